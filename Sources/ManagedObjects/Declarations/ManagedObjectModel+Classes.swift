extension ManagedObjectModel {
    /// The model that these classes declare.
    ///
    /// A class whose superclass is listed too inherits from that entity and shares its table. A superclass that
    /// is not listed is no entity: its properties belong to each of its subclasses.
    ///
    /// - Parameter versionIdentifiers: what a store's metadata calls this version of the model.
    /// - Throws: ``ModelError`` when a class cannot be modelled, with the name of the property at fault.
    public convenience init(_ classes: ManagedObject.Type..., versionIdentifiers: [String] = ["1"])
        throws(ModelError)
    {
        try self.init(classes: classes, versionIdentifiers: versionIdentifiers)
    }

    convenience init(classes: [ManagedObject.Type], versionIdentifiers: [String]) throws(ModelError) {
        var declarations: [EntityDeclaration] = []
        for objectClass in classes {
            declarations.append(try ClassDescription.describing(objectClass).entity(among: classes))
        }
        try self.init(declarations, versionIdentifiers: versionIdentifiers)
    }

    /// The entity of `objectClass`.
    func entity(for objectClass: ManagedObject.Type) -> EntityDescription? {
        guard let entity = entity(named: objectClass.entityName),
            let bound = entity.classBinding?.objectClass, bound == objectClass
        else { return nil }
        return entity
    }
}

extension ClassDescription {
    fileprivate func entity(among classes: [ManagedObject.Type]) throws(ModelError) -> EntityDeclaration {
        var properties: [PropertyDescription] = []
        for (name, declaration) in zip(names, declarations) {
            properties.append(try property(name, declaration))
        }
        let codecs = declarations.map(\.codec)
        let parent = superclasses.first { type in classes.contains { $0 == type } }
        return EntityDeclaration(
            name: name, properties: properties, superentityName: parent?.entityName,
            isAbstract: objectClass.isAbstractEntity,
            uniquenessConstraints: objectClass.uniquenessConstraints,
            classBinding: ClassBinding(
                objectClass: objectClass, codecs: codecs,
                defaultValues: { codecs.map { $0.initialValue() } },
                makePrototype: { self.makePrototype(recorder: nil) }))
    }

    private func property(_ name: String, _ declaration: Declarations.Declaration) throws(ModelError)
        -> PropertyDescription
    {
        switch declaration {
        case .attribute(let type, let isOptional, let options, _):
            return .attribute(AttributeDescription(name, type, isOptional: isOptional, options: options))
        case .relationship(let relationship, _):
            guard let inverse = try? relationship.inverseName() else {
                throw .inverseMismatch(entity: self.name, property: name)
            }
            return .relationship(
                RelationshipDescription(
                    name, isToMany: relationship.isToMany, isOptional: relationship.isOptional,
                    deleteRule: relationship.deleteRule,
                    destinationName: relationship.destination.entityName, inverseName: inverse))
        }
    }
}
