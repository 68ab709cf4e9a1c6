import Synchronization

/// The known members of an object's to-many relationship: the stored ones, read once, and the set that was
/// built from them on request.
final class KnownMembers {
    /// The source's members in its order; nil when only the set is known.
    var ids: [ManagedObjectID]?
    /// With the unsaved changes of `stamp`; nil when nobody asked.
    var set: Set<ManagedObject>?
    var stamp = 0
    /// The members as a set or a list of the declared class: `TypedMembers` or `TypedList`.
    var typed: AnyObject?
    /// An order that undoing goes back to, with members that went since; nil once one came.
    var notedOrder: [ManagedObject]?
    /// Good for as long as nothing was merged: see ``RelationshipGraph/epoch``.
    let epoch: Int

    init(_ ids: [ManagedObjectID], epoch: Int) { (self.ids, self.epoch) = (ids, epoch) }
}

/// A set of members as a program sees it. Made once, since to cast a set costs as much as to make it.
final class TypedMembers<Target: ManagedObject> {
    var set: Set<Target>
    /// With the unsaved changes of this stamp; -1 while it is being changed.
    var stamp: Int

    init(_ set: Set<Target>, stamp: Int) { (self.set, self.stamp) = (set, stamp) }
}

/// The objects that were hashed while a set was changed in place.
///
/// A set hashes each element that it is given, to insert it, to remove it or to look for it. So these are all
/// that can have come, and with the number of elements before and after it shows whether others went.
final class HashedObjects {
    private(set) var objects: [ManagedObject] = []
    /// The recorder of the surrounding change, while one change is made inside another.
    let outer: HashedObjects?
    /// Where the set's elements lay.
    let storage: UInt

    init(inside outer: HashedObjects?, storage: UInt) { (self.outer, self.storage) = (outer, storage) }

    func note(_ object: ManagedObject) { objects.append(object) }
}

/// The unsaved changes of a to-many relationship of one object.
struct MembersDelta {
    /// Held until the save, which looks at its order and its counts: in memory it may be a fault.
    let owner: ManagedObject?
    /// The members that came since, in their order: new ones, and stored ones that were taken out and put
    /// in again, which stand behind all others in an ordered relationship.
    private(set) var coming = ObjectList()
    private(set) var removed: Set<ManagedObjectID> = []
    /// Those that came and went again: the source does not have them.
    private var gone: Set<ManagedObjectID> = []
    /// The stored ones among `coming`; none where there is no order.
    private(set) var returned: Set<ManagedObjectID> = []
    private let isOrdered: Bool
    /// An order that somebody gave; nil when nobody did. Members that another context added since are not in
    /// it, and some may be that are members no more.
    private(set) var order: ObjectList?
    /// Another number after each change, never one that was used before.
    private(set) var stamp = 0

    /// Whether all that came went again.
    var isNothing: Bool { coming.isEmpty && removed.isEmpty && order == nil }

    /// The members that the source does not have.
    var added: [ManagedObject] {
        returned.isEmpty ? coming.all : coming.all.filter { !returned.contains($0.objectID) }
    }

    mutating func contains(coming object: ManagedObject) -> Bool { coming.contains(object) }

    /// Whether the object was taken out already.
    func lacks(_ object: ManagedObject) -> Bool {
        removed.contains(object.objectID) || gone.contains(object.objectID)
    }

    private mutating func didChange() { stamp = MembersDelta.nextStamp() }

    private static func nextStamp() -> Int { stamps.add(1, ordering: .relaxed).newValue }

    init(owner: ManagedObject?, isOrdered: Bool) { (self.owner, self.isOrdered) = (owner, isOrdered) }

    mutating func insert(_ object: ManagedObject) {
        didChange()
        gone.remove(object.objectID)
        if removed.remove(object.objectID) == nil {
            coming.append(object)
        } else if isOrdered {
            coming.append(object)
            returned.insert(object.objectID)
        }
        order?.append(object)
    }

    mutating func remove(_ object: ManagedObject) {
        didChange()
        let wasReturned = returned.remove(object.objectID) != nil
        let isStored = !coming.remove(object) || wasReturned
        if isStored { removed.insert(object.objectID) } else { gone.insert(object.objectID) }
        order?.remove(object)
    }

    /// The object keeps its position in an order that somebody gave.
    mutating func forgetAddition(of object: ManagedObject) {
        didChange()
        coming.remove(object)
    }

    mutating func forgetRemoval(of object: ManagedObject) {
        didChange()
        removed.remove(object.objectID)
    }

    mutating func setOrder(_ objects: [ManagedObject]?) {
        didChange()
        order = objects.map { ObjectList($0) }
    }

    /// Takes back every order: stored members stand where the source has them.
    mutating func forgetOrder() {
        didChange()
        order = nil
        for object in coming.all where returned.contains(object.objectID) { coming.remove(object) }
        returned = []
    }
}

private let stamps = Atomic<Int>(0)
