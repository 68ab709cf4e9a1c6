import Foundation

// Values by name, for entities without a class and for those who learn names at run time.
extension ManagedObject {
    /// The value of a property: a `Bool`, an `Int64`, a `Double`, a `Decimal`, a
    /// `String`, a `URL`, a `Date`, a `Data`
    /// (transformable values undecoded) or a `UUID`; a ``ManagedObject``; a set of them, or where they have
    /// an order a list. Nil when there is none.
    ///
    /// - Throws: ``FetchError/unknownKey(entity:key:)``; ``StoreError`` when the object's row cannot be read
    ///   or is gone.
    public final func value(forKey key: String) throws -> Any? {
        checkQueue()
        if let found = try fetchedObjects(forKey: key) { return found }
        let slot = try slot(forKey: key)
        try fire()
        guard let core, let stored = value(at: slot) else { return nil }
        if let relationship = entity.relationship(at: slot) {
            if !relationship.isToMany { return core.relationships.target(of: self, at: slot) }
            return relationship.isOrdered
                ? try core.relationships.readOrderedMembers(of: self, at: slot)
                : try core.relationships.readMembers(of: self, at: slot)
        }
        guard case .attribute(let attribute) = entity.slots[slot] else { return nil }
        if attribute.type == .undefined { return transient(at: slot) }
        return attribute.type.value(resolved(stored))
    }

    /// The value of an attribute as a type of the program's: a number as any type of numbers that it fits,
    /// where ``value(forKey:)`` has an `Int64` or a `Double`. Nil when there is none.
    ///
    ///     let stars = try song.value(forKey: "stars", as: Int.self)
    ///
    /// - Throws: ``FetchError/wrongType(entity:key:type:)`` for a value that is none of the type's;
    ///   otherwise as ``value(forKey:)``.
    public final func value<Value>(forKey key: String, as type: Value.Type) throws -> Value? {
        guard let found = try value(forKey: key) else { return nil }
        if let value = found as? Value { return value }
        let number: Any? =
            switch (found, type) {
            case (let found as Int64, let type as any FixedWidthInteger.Type): type.init(exactly: found)
            case (let found as Int64, let type as any BinaryFloatingPoint.Type): type.init(exactly: found)
            case (let found as Double, let type as any BinaryFloatingPoint.Type): type.init(found)
            default: nil
            }
        if let value = number as? Value { return value }
        throw FetchError.wrongType(entity: entity.name, key: key, type: "\(type)")
    }

    /// Sets a property; see ``value(forKey:)`` for what it may be. Numbers and texts of Foundation's classes,
    /// as they come from JSON, stand for Swift's.
    ///
    /// - Throws: ``FetchError/unknownKey(entity:key:)``, ``FetchError/wrongType(entity:key:type:)``,
    ///   ``StoreError``.
    public final func setValue(_ value: Any?, forKey key: String) throws {
        checkQueue()
        let slot = try slot(forKey: key)
        try fire()
        guard let core else { return }
        let wrong = FetchError.wrongType(
            entity: entity.name, key: key, type: value.map { "\(type(of: $0))" } ?? "nil")
        if let relationship = entity.relationship(at: slot) {
            switch value {
            case nil where !relationship.isToMany:
                core.relationships.setTarget(of: self, at: slot, to: nil)
            case let object as ManagedObject where !relationship.isToMany:
                try check(object, relationship, wrong)
                core.relationships.setTarget(of: self, at: slot, to: object)
            case let objects as [ManagedObject] where relationship.isToMany:
                for object in objects { try check(object, relationship, wrong) }
                relationship.isOrdered
                    ? core.relationships.setOrderedMembers(of: self, at: slot, to: objects)
                    : core.relationships.setMembers(of: self, at: slot, to: Set(objects))
            case let objects as Set<ManagedObject> where relationship.isToMany:
                for object in objects { try check(object, relationship, wrong) }
                core.relationships.setMembers(of: self, at: slot, to: objects)
            default: throw wrong
            }
            return
        }
        guard case .attribute(let attribute) = entity.slots[slot] else { return }
        if attribute.isFetched {
            throw FetchError.unsupported("a value for \(entity.name).\(key), which is fetched")
        }
        if attribute.type == .undefined { return setTransient(value, at: slot) }
        try entity.checkSettable(attribute)
        guard let stored = attribute.type.storedValue(value) else { throw wrong }
        setValue(stored, at: slot)
    }

    private func check(
        _ object: ManagedObject, _ relationship: RelationshipDescription, _ error: FetchError
    ) throws(FetchError) {
        guard let model = core?.model, object.entity.isKind(of: model.destination(of: relationship)) else {
            throw error
        }
    }

    /// Reads the object's row, if that was not done yet.
    ///
    /// - Throws: ``StoreError`` when it cannot be read or is gone.
    public final func fire() throws {
        checkQueue()
        guard values.isEmpty, let core else { return }
        let before = core.faultErrorCount
        core.registry.fill(self)
        try core.throwFaultError(after: before)
    }

    final func slot(forKey key: String) throws(FetchError) -> Int {
        guard let slot = entity.slot(of: key), !entity.slots[slot].isHidden else {
            throw .unknownKey(entity: entity.name, key: key)
        }
        return slot
    }
}

extension AttributeType {
    /// Returns a stored value as programs see it.
    func value(_ stored: StoredValue) -> Any? {
        if case .null = stored { return nil }
        return switch self {
        case .integer16, .integer32, .integer64: Int64(storedValue: stored)
        case .boolean: Bool(storedValue: stored)
        case .double, .float: Double(storedValue: stored)
        case .decimal: Decimal(storedValue: stored)
        case .string: String(storedValue: stored)
        case .uri: URL(storedValue: stored)
        case .date: Date(storedValue: stored)
        case .uuid: UUID(storedValue: stored)
        case .binaryData, .transformable: Data(storedValue: stored)
        case .undefined, .composite: nil
        }
    }

    /// Nil for a value of another type.
    func storedValue(_ value: Any?) -> StoredValue? {
        guard var value else { return .null }
        if self != .boolean { value = unboxed(value) }
        switch self {
        case .integer16: return (value as? any BinaryInteger).flatMap { Int16(exactly: $0) }?.storedValue
        case .integer32: return (value as? any BinaryInteger).flatMap { Int32(exactly: $0) }?.storedValue
        case .integer64: return (value as? any BinaryInteger).flatMap { Int64(exactly: $0) }?.storedValue
        case .boolean: return (value as? Bool)?.storedValue
        case .double:
            return (value as? Double)?.storedValue
                ?? (value as? any BinaryInteger).map { Double($0).storedValue }
        case .float:
            return (value as? Float)?.storedValue ?? (value as? Double).map { Float($0).storedValue }
                ?? (value as? any BinaryInteger).map { Float($0).storedValue }
        case .decimal:
            return (value as? Decimal)?.storedValue
                ?? (value as? any BinaryInteger).flatMap {
                    Decimal(string: "\($0)", locale: nil)?.storedValue
                }
                ?? (value as? Double).flatMap { Decimal(nearest: $0)?.storedValue }
        case .string: return (value as? String)?.storedValue
        case .uri: return (value as? URL)?.storedValue
        case .date: return (value as? Date)?.storedValue
        case .uuid: return (value as? UUID)?.storedValue
        case .binaryData, .transformable: return (value as? Data)?.storedValue
        case .undefined, .composite: return nil
        }
    }
}

extension EntityDescription {
    /// - Throws: ``FetchError`` for a derived attribute.
    func checkSettable(_ attribute: AttributeDescription) throws(FetchError) {
        if attribute.derivationExpression != nil {
            throw .unsupported("a value for \(name).\(attribute.name), which is derived")
        }
    }
}
