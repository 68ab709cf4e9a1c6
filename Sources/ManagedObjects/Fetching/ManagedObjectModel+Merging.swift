extension ManagedObjectModel {
    /// All the entities, configurations and request templates of several models.
    ///
    /// - Throws: ``ModelError/differentEntity(_:)`` when two define one entity differently.
    public convenience init(merging models: [ManagedObjectModel]) throws(ModelError) {
        var entities: [EntityDeclaration] = [], hashes: [String: EntityDescription] = [:]
        var configurations: [String: [String]] = [:], identifiers: [String] = []
        var templates: [String: FetchRequestTemplate] = [:]
        for model in models {
            for (declaration, entity) in zip(model.declarations, model.entities) {
                if let known = hashes[entity.name] {
                    if known.versionHash != entity.versionHash { throw .differentEntity(entity.name) }
                    continue
                }
                hashes[entity.name] = entity
                entities.append(declaration)
            }
            for (name, members) in model.configurations {
                configurations[name, default: []] += members.filter {
                    !(configurations[name]?.contains($0) ?? false)
                }
            }
            identifiers += model.versionIdentifiers.filter { !identifiers.contains($0) }
            templates.merge(model.fetchRequestTemplates) { first, _ in first }
        }
        try self.init(
            entities: entities, configurations: configurations, versionIdentifiers: identifiers,
            fetchRequestTemplates: templates)
    }

    /// The request that the model has under a name, with values for its variables.
    ///
    /// - Throws: ``FetchError`` when there is none, a variable has no value, or its format cannot be read.
    public func fetchRequest(fromTemplate name: String, substituting values: [String: Any?] = [:])
        throws(FetchError) -> FetchRequest<ManagedObject>
    {
        guard let template = fetchRequestTemplates[name] else {
            throw .unsupported("the model has no request \(name)")
        }
        guard entity(named: template.entityName) != nil else { throw .unknownEntity(template.entityName) }
        var request = FetchRequest<ManagedObject>(entityName: template.entityName)
        if template.format != nil {
            let (format, arguments) = try template.substituting(values)
            request.filter = try Filter(
                format: format, arguments: arguments, entityName: template.entityName, in: self)
        }
        if template.limit > 0 { request.fetchLimit = template.limit }
        return request
    }
}
