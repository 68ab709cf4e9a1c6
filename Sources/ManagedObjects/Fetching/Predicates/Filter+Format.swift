extension Filter {
    /// A predicate written as text, in the language of `NSPredicate(format:)`:
    ///
    ///     try Filter<Mood>(format: "date > %@ AND ANY swatches.share > 0.3", cutoff)
    ///
    /// Operators: `==`, `!=`, `<`, `<=`, `>`, `>=`, `BETWEEN {a, b}`, `IN`; `CONTAINS`, `BEGINSWITH`,
    /// `ENDSWITH`, `LIKE` (`?` and `*`), `MATCHES` (a regular expression for the whole text), `==[c]` and the
    /// like without case and with `[d]` without marks; `AND`, `OR`, `NOT`, also as `&&`, `||`, `!`; `+`, `-`,
    /// `*`; `ANY`, `ALL`, `NONE` before a path through a relationship to many, `@count` behind one, or
    /// `@max`, `@min`, `@sum`, `@avg` with an attribute (`songs.@max.stars`); `tags CONTAINS %@` and
    /// `%@ IN tags` with an object. Texts stand in quotes, dates too, as in ISO 8601; `%@` is the next
    /// argument, `%K` one that is a name. Functions, division and blocks are not read.
    ///
    /// - Throws: ``FetchError/format(_:at:reason:)`` with the offset where the text cannot be read,
    ///   ``FetchError/unknownKey(entity:key:)``.
    public init(format: String, _ arguments: Any?...) throws(FetchError) {
        try self.init(format: format, arguments: arguments)
    }

    /// Creates a filter from a format string and an array of arguments.
    public init(format: String, arguments: [Any?]) throws(FetchError) {
        let node = try PredicateParser.parse(format, arguments, ClassDescription.of(Object.self))
        self.init(.success(node))
    }

    /// Creates a filter for an entity that may have no class.
    ///
    /// - Throws: also ``FetchError/unknownEntity(_:)``.
    public init(format: String, arguments: [Any?] = [], entityName: String, in model: ManagedObjectModel)
        throws(FetchError)
    {
        guard let entity = model.entity(named: entityName) else { throw .unknownEntity(entityName) }
        let node = try PredicateParser.parse(format, arguments, EntitySchema(entity: entity, model: model))
        self.init(.success(node))
    }

    /// Creates a filter from a format with words of the program's own.
    package init(format: String, words: PredicateWords) throws(FetchError) {
        let node = try PredicateParser.parse(format, [], ClassDescription.of(Object.self), words: words)
        self.init(.success(node))
    }
}
