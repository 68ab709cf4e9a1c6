import Foundation
public import ManagedObjects

/// A list as a value: references by sections. May travel anywhere.
public struct ListSnapshot<Object: ManagedObject>: Sendable {
    /// Counts the steps of the list that the snapshot was taken from.
    public let generation: UInt64
    /// The names of the sections, in order; of a list that is not divided one, "".
    public let sectionIDs: [String]
    let ids: [ManagedObjectID]
    /// Where each section begins, and the end of the last.
    let starts: [Int]
    /// The objects that the last steps updated, the newest step last.
    let updates: [Update]
    /// The list that the snapshot was taken from.
    let list: UInt64

    struct Update: Sendable {
        let generation: UInt64
        let ids: Set<ManagedObjectID>
    }

    /// The number of steps whose updates a snapshot remembers.
    static var remembered: Int { 64 }

    init(
        of list: UInt64, generation: UInt64, sections: [(name: String, ids: [ManagedObjectID])],
        updates: [Update]
    ) {
        (self.list, self.generation, self.updates) = (list, generation, updates)
        sectionIDs = sections.map(\.name)
        ids = sections.flatMap(\.ids)
        starts = sections.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.ids.count) }
    }

    init(_ watcher: ListWatcher<Object>, updates: [Update]) {
        (list, generation, self.updates) = (watcher.number, watcher.generation, updates)
        let sections = watcher.list.sections ?? []
        sectionIDs = sections.map(\.name)
        ids = watcher.list.fetchedObjectIDs
        starts = sections.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.numberOfObjects) }
    }

    // MARK: Looking

    /// All objects in order.
    public var itemIDs: [ObjectReference<Object>] { ids.map { ObjectReference(objectID: $0) } }
    /// The number of objects in all sections.
    public var numberOfItems: Int { ids.count }
    /// The number of sections.
    public var numberOfSections: Int { sectionIDs.count }

    /// The number of objects in a section. There must be one.
    public func numberOfItems(inSectionIndex section: Int) -> Int { starts[section + 1] - starts[section] }

    /// The objects of a section, in order. There must be one.
    public func itemIDs(inSectionIndex section: Int) -> [ObjectReference<Object>] {
        ids[starts[section]..<starts[section + 1]].map { ObjectReference(objectID: $0) }
    }

    /// The object at an index in the whole list. There must be one.
    public subscript(index: Int) -> ObjectReference<Object> { ObjectReference(objectID: ids[index]) }

    /// The object at an index in a section. There must be one.
    public subscript(section: Int, item: Int) -> ObjectReference<Object> {
        precondition((0..<numberOfItems(inSectionIndex: section)).contains(item))
        return self[starts[section] + item]
    }

    var sections: [(name: String, ids: [ManagedObjectID])] {
        sectionIDs.indices.map { (sectionIDs[$0], Array(ids[starts[$0]..<starts[$0 + 1]])) }
    }
}

/// Equal snapshots have the same generation and the same objects in the same sections.
extension ListSnapshot: Hashable {
    /// Returns whether two values are the same.
    public static func == (a: ListSnapshot, b: ListSnapshot) -> Bool {
        a.generation == b.generation && a.sectionIDs == b.sectionIDs && a.starts == b.starts && a.ids == b.ids
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(generation)
        hasher.combine(sectionIDs)
        hasher.combine(ids)
    }
}
