import ManagedObjects

extension Transaction {
    /// Makes an object from a source, whether there is one of it already or not.
    ///
    /// - Returns: nil when the source is skipped.
    /// - Throws: ``StackError/user(_:)`` with what the class throws: nothing of the import should be kept
    ///   then.
    public func importObject<Object: ImportableObject>(
        _ into: Into<Object>, source: Object.ImportSource
    ) throws(StackError) -> Object? {
        guard checkOpen(), Object.shouldInsert(from: source, in: self) else { return nil }
        let object = create(into)
        try wrapping { try object.didInsert(from: source, in: self) }
        return object
    }

    /// Fills an object that is there from a source, as a new one would be.
    ///
    /// - Throws: as `importObject(_:source:)`.
    public func importObject<Object: ImportableObject>(_ object: Object, source: Object.ImportSource)
        throws(StackError)
    {
        guard checkOpen(), Object.shouldInsert(from: source, in: self), let own = edit(object) else { return }
        try wrapping { try own.didInsert(from: source, in: self) }
    }

    /// Makes objects from sources, in their order; sources that are skipped are left out.
    ///
    /// - Throws: as `importObject(_:source:)`, at the first source that throws.
    public func importObjects<Object: ImportableObject>(
        _ into: Into<Object>, sourceArray: some Sequence<Object.ImportSource>
    ) throws(StackError) -> [Object] {
        var objects: [Object] = []
        for source in sourceArray {
            if let object = try importObject(into, source: source) { objects.append(object) }
        }
        return objects
    }

    /// Brings the object that a source is about up to date, or makes it.
    ///
    /// - Returns: nil when the source is skipped.
    /// - Throws: as `importObject(_:source:)`.
    /// - Complexity: one fetch by the unique ID, which wants an index on it.
    public func importUniqueObject<Object: ImportableUniqueObject>(
        _ into: Into<Object>, source: Object.ImportSource
    ) throws(StackError) -> Object? {
        guard checkOpen() else { return nil }
        guard let id = try wrapping({ try Object.uniqueID(from: source, in: self) }) else { return nil }
        let found = try existing(into, [id])[UniqueKey(id)]
        return try bringUpToDate(found, into: into, id: id, source: source)
    }

    /// Brings the objects that sources are about up to date, or makes them, in the order of the sources.
    /// Sources that are skipped are left out. Of sources with the same ID the last counts, in the place of
    /// the first. A hook may insert and delete objects that later sources are about; it must not give an
    /// existing object another unique ID that a later source has.
    ///
    /// - Throws: as `importObject(_:source:)`, at the first source that throws.
    /// - Complexity: one fetch for 10,000 sources.
    public func importUniqueObjects<Object: ImportableUniqueObject>(
        _ into: Into<Object>, sourceArray: some Sequence<Object.ImportSource>
    ) throws(StackError) -> [Object] {
        guard checkOpen() else { return [] }
        var objects: [Object] = [], batch: [Object.ImportSource] = [], ids: [Object.UniqueID] = []
        var indices: [UniqueKey<Object.UniqueID>: Int] = [:]
        for source in sourceArray {
            guard let id = try wrapping({ try Object.uniqueID(from: source, in: self) }) else { continue }
            let key = UniqueKey(id)
            if let index = indices[key] {
                batch[index] = source
                continue
            }
            indices[key] = batch.count
            batch.append(source)
            ids.append(id)
        }
        // Without unsaved objects at the start each look is one among rows: those made meanwhile are this
        // import's own, with other IDs, or those of a hook, which is seen by their count.
        let looksAtUnsaved = core.hasChanges
        var hooksInsert = false, count = core.insertionCount(of: Object.self)
        for start in stride(from: 0, to: ids.count, by: Self.batchSize) {
            let range = start..<min(start + Self.batchSize, ids.count)
            let known = try existing(into, Array(ids[range]), looksAtUnsaved)
            // By index: `zip` of generic elements looks up its metadata at each step.
            for index in range {
                // A hook of another source may have deleted it.
                var found = known[UniqueKey(ids[index])].flatMap { $0.isDeleted ? nil : $0 }
                if found == nil && hooksInsert { found = try unsaved(into, ids[index]) }
                let object = try bringUpToDate(
                    found, into: into, id: ids[index], source: batch[index])
                let expected = count + (found == nil && object != nil ? 1 : 0)
                count = core.insertionCount(of: Object.self)
                if count > expected { hooksInsert = true }
                if let object { objects.append(object) }
            }
        }
        return objects
    }

    /// Sources that are looked for with one fetch.
    private static var batchSize: Int { 10_000 }

    /// The objects with these IDs that are there, in the store that `into` names.
    private func existing<Object: ImportableUniqueObject>(
        _ into: Into<Object>, _ ids: [Object.UniqueID], _ includesPendingChanges: Bool = true
    ) throws(StackError) -> [UniqueKey<Object.UniqueID>: Object] {
        var request = try request(into, ids)
        request.includesPendingChanges = includesPendingChanges
        let fetched = request
        var found: [UniqueKey<Object.UniqueID>: Object] = [:]
        // The first one counts when a store has several.
        for object in try wrapping({ try core.fetch(fetched) }) {
            let key = UniqueKey(object.uniqueIDValue)
            if found[key] == nil { found[key] = object }
        }
        return found
    }

    /// The first unsaved object with this ID.
    private func unsaved<Object: ImportableUniqueObject>(
        _ into: Into<Object>, _ id: Object.UniqueID
    ) throws(StackError) -> Object? {
        let request = try request(into, [id])
        return try wrapping { try core.unsavedObjects(request) }.first {
            UniqueKey($0.uniqueIDValue) == UniqueKey(id)
        }
    }

    private func request<Object: ImportableUniqueObject>(
        _ into: Into<Object>, _ ids: [Object.UniqueID]
    ) throws(StackError) -> FetchRequest<Object> {
        let from: From<Object> =
            if case .configuration(let name) = into.choice { From(name) } else { From() }
        return try stack.request(from, [Where(Object.filter(uniqueIDs: ids))])
    }

    private func bringUpToDate<Object: ImportableUniqueObject>(
        _ found: Object?, into: Into<Object>, id: Object.UniqueID, source: Object.ImportSource
    ) throws(StackError) -> Object? {
        guard let found else { return try insert(into, id, source) }
        guard found.shouldUpdate(from: source, in: self) else { return nil }
        try wrapping { try found.update(from: source, in: self) }
        return found
    }

    private func insert<Object: ImportableUniqueObject>(
        _ into: Into<Object>, _ id: Object.UniqueID, _ source: Object.ImportSource
    ) throws(StackError) -> Object? {
        guard Object.shouldInsert(from: source, in: self) else { return nil }
        let object = create(into)
        object.uniqueIDValue = id
        try wrapping { try object.didInsert(from: source, in: self) }
        return object
    }

    /// Makes the object that a source is about, without looking whether it is there.
    ///
    /// For sources that are known to be new, and entities whose unique values say so at the save if one was
    /// not: `StoreError.notUnique`. What was made is thrown away then, and can
    /// be imported with a look.
    ///
    /// - Returns: nil when the source is skipped.
    /// - Throws: as `importObject(_:source:)`.
    /// - Complexity: no fetch.
    public func importNewObject<Object: ImportableUniqueObject>(
        _ type: Object.Type = Object.self, from source: Object.ImportSource
    ) throws(StackError) -> Object? {
        guard checkOpen() else { return nil }
        guard let id = try wrapping({ try Object.uniqueID(from: source, in: self) }) else { return nil }
        return try insert(Into<Object>(), id, source)
    }

    /// Calls `importObject(_:source:)` for the one store of a class.
    public func importObject<Object: ImportableObject>(
        _ type: Object.Type = Object.self, from source: Object.ImportSource
    ) throws(StackError) -> Object? { try importObject(Into<Object>(), source: source) }

    /// Calls ``importUniqueObject(_:source:)`` for the one store of a class.
    public func importUniqueObject<Object: ImportableUniqueObject>(
        _ type: Object.Type = Object.self, from source: Object.ImportSource
    ) throws(StackError) -> Object? { try importUniqueObject(Into<Object>(), source: source) }
}

/// A unique ID, compared as a store compares it: texts by their bytes, so that "é" in one scalar and in two
/// are different ones.
private struct UniqueKey<ID: Hashable>: Hashable {
    let id: ID

    init(_ id: ID) { self.id = id }

    static func == (a: Self, b: Self) -> Bool {
        guard a.id == b.id else { return false }
        guard let text = a.id as? String, let other = b.id as? String else { return true }
        return text.utf8.elementsEqual(other.utf8)
    }

    func hash(into hasher: inout Hasher) { id.hash(into: &hasher) }
}
