extension ManagedObjectModel {
    /// The model that these classes declare.
    ///
    /// A class whose superclass is listed too inherits from that entity and shares its table. A superclass
    /// that is not listed is no entity: its properties belong to each of its subclasses.
    ///
    /// - Parameter classes: the classes of the model.
    /// - Parameter configurations: names, each with the entities that a store of that configuration holds.
    /// - Parameter versionIdentifiers: what a store's metadata calls this version of the model.
    /// - Throws: ``ModelError`` when a class cannot be modeled, with the name of the property at fault.
    public convenience init(
        _ classes: ManagedObject.Type..., configurations: [String: [String]] = [:],
        versionIdentifiers: [String] = ["1"]
    ) throws(ModelError) {
        try self.init(
            classes: classes, configurations: configurations, versionIdentifiers: versionIdentifiers)
    }

    /// Creates a model from a list of classes.
    public convenience init(
        classes: [ManagedObject.Type], configurations: [String: [String]] = [:],
        versionIdentifiers: [String] = ["1"]
    ) throws(ModelError) {
        var declarations: [EntityDeclaration] = []
        for objectClass in classes {
            declarations.append(try ClassDescription.describing(objectClass).entity(among: classes))
        }
        try self.init(
            entities: declarations, configurations: configurations, versionIdentifiers: versionIdentifiers)
    }

    /// Creates a model whose stores of earlier versions are opened as well: they are read as if the
    /// attributes that they lack were nil, and get their columns when they are opened to be written.
    ///
    /// - Parameter added: the optional attributes that each version brought, by entity, the latest first.
    package convenience init(
        _ classes: ManagedObject.Type..., adding added: [[String: Set<String>]]
    ) throws(ModelError) {
        var declarations: [EntityDeclaration] = []
        for objectClass in classes {
            declarations.append(try ClassDescription.describing(objectClass).entity(among: classes))
        }
        var older = declarations
        var earlierVersions: [ManagedObjectModel] = []
        for attributes in added {
            for index in older.indices {
                older[index].binding = nil
                let names = attributes[older[index].name] ?? []
                older[index].properties.removeAll { names.contains($0.name) }
            }
            earlierVersions.append(try ManagedObjectModel(entities: older))
        }
        try self.init(
            entities: declarations, [:], ["\(added.count + 1)"], [:], isRecovered: false,
            earlierVersions: earlierVersions)
    }

    /// The entity of `objectClass`.
    package func entity(for objectClass: ManagedObject.Type) -> EntityDescription? {
        entity(of: objectClass)
    }
}

extension ClassDescription {
    func entity(among classes: [ManagedObject.Type]) throws(ModelError) -> EntityDeclaration {
        let parent = superclasses.first { type in classes.contains { $0 == type } }
        let inherited =
            try parent.map { type throws(ModelError) in try Self.describing(type).names.count } ?? 0
        var properties: [PropertyDescription] = []
        for (name, declaration) in zip(names, declarations).dropFirst(inherited) {
            properties.append(try property(name, declaration))
        }
        var declaration = EntityDeclaration(
            name, properties: properties, inheritingFrom: parent?.entityName,
            isAbstract: objectClass.isAbstractEntity, uniquenessConstraints: objectClass.uniquenessConstraints
        )
        declaration.fetchedProperties = zip(names, declarations).dropFirst(inherited).compactMap {
            $1.codec.fetchedProperty(named: $0)
        }
        // A class that says nothing of indexes says what its superclass says.
        let parents = parent?.fetchIndexes ?? []
        declaration.fetchIndexes = objectClass.fetchIndexes.filter { !parents.contains($0) }
        declaration.renamingIdentifier = objectClass.renamingIdentifier
        declaration.binding = binding
        return declaration
    }

    /// Links the class to an entity whose slots the model assigned.
    private func binding(_ slots: [PropertyDescription]) -> ClassBinding {
        var slotsByName: [String: Int] = [:]
        for (slot, property) in slots.enumerated() { slotsByName[property.name] = slot }
        let own = names.map { slotsByName[$0] ?? -1 }
        var codecs = [(any PropertyCodec)?](repeating: nil, count: slots.count)
        for (slot, declaration) in zip(own, declarations) where slot >= 0 { codecs[slot] = declaration.codec }
        let evaluated = codecs.enumerated().compactMap { slot, codec in
            codec?.initialValue.map { (slot, $0) }
        }
        // A model from a file may say what a class does not.
        let defaults = zip(slots, codecs).map { property, codec in
            guard case .attribute(let attribute) = property else { return StoredValue.null }
            let isSaid = attribute.defaultValue != .null || attribute.isOptional || attribute.isTransient
            return isSaid ? attribute.defaultValue : codec?.zero ?? .null
        }
        return ClassBinding(
            objectClass: objectClass, codecs: codecs,
            defaultValues: {
                var values = defaults
                for (slot, evaluate) in evaluated {
                    let value = evaluate()
                    if value != .null { values[slot] = value }
                }
                return values
            },
            makePrototype: { self.makePrototype(recorder: nil, slots: own.map { Int32($0) }) })
    }

    private func property(_ name: String, _ declaration: Declarations.Declaration) throws(ModelError)
        -> PropertyDescription
    {
        switch declaration {
        case .attribute(let type, let isOptional, let options, let codec):
            var attribute = AttributeDescription(
                name, type, isOptional: isOptional, options: options, validation: codec.validation,
                renamingIdentifier: objectClass.renamingIdentifiers[name],
                derivedBy: codec.derivationExpression)
            attribute.isFetched = codec.fetchedProperty(named: name) != nil
            return .attribute(attribute)
        case .relationship(let relationship, _):
            var inverse: String?
            if let inverseName = relationship.inverseName {
                inverse = try? inverseName()
                if inverse == nil { throw .inverseMismatch(entity: self.name, property: name) }
            }
            return .relationship(
                RelationshipDescription(
                    name, to: relationship.destination.entityName, isToMany: relationship.isToMany,
                    isOrdered: relationship.isOrdered, isOptional: relationship.isOptional,
                    deleteRule: relationship.deleteRule, inverse: inverse,
                    minCount: relationship.minCount, maxCount: relationship.maxCount,
                    renamingIdentifier: objectClass.renamingIdentifiers[name]))
        }
    }
}
