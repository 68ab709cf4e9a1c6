/// Inserted and updated objects of one family, found by the values that fetches ask for.
///
/// An import that looks for each of 40,000 objects by a unique value would look at all that it made before,
/// each time. So what is asked for by equality gets an index, from the first time on until the save.
struct UnsavedObjects {
    private var objects = ObjectList()
    /// How many inserted objects were ever appended.
    private(set) var insertionCount = 0
    /// Few: one a slot that was asked for.
    private var indexes: [ValueIndex] = []
    /// Fewer are looked at one by one.
    private static let threshold = 32

    var isEmpty: Bool { objects.isEmpty }
    var hasIndexes: Bool { !indexes.isEmpty }
    var all: [ManagedObject] { objects.all }

    /// The object is not there yet.
    mutating func append(_ object: ManagedObject) {
        objects.appendNew(object)
        if object.status == .inserted { insertionCount += 1 }
        for index in indexes { index.append(object) }
    }

    mutating func remove(_ object: ManagedObject) {
        guard objects.remove(object) else { return }
        for index in indexes { index.remove(object) }
    }

    mutating func forgetIndexes() { indexes = [] }

    mutating func willSet(_ value: StoredValue, at slot: Int, of object: ManagedObject) {
        guard !indexes.isEmpty, let index = indexes.first(where: { $0.slot == slot }),
            objects.contains(object)
        else {
            return
        }
        index.remove(object)
        index.objects[value, default: ObjectList()].append(object)
    }

    /// All that may match, found by a value that the predicate asks for, if it asks for one.
    ///
    /// - Parameter root: the entity at the top of the family: a slot of its is the same in all of them.
    mutating func matching(_ predicate: PredicateNode?, _ root: EntityDescription) -> [ManagedObject] {
        guard objects.count > Self.threshold, let predicate else { return objects.all }
        for (name, values) in predicate.equalities {
            guard let slot = root.slot(of: name) else { continue }
            if let index = indexes.first(where: { $0.slot == slot }) { return index.matching(values) }
            let index = ValueIndex(slot)
            for object in objects.all { index.append(object) }
            indexes.append(index)
            return index.matching(values)
        }
        return objects.all
    }
}

/// Objects by the value they have in one slot.
private final class ValueIndex {
    let slot: Int
    var objects: [StoredValue: ObjectList] = [:]

    init(_ slot: Int) { self.slot = slot }

    func append(_ object: ManagedObject) {
        objects[object.values[slot], default: ObjectList()].append(object)
    }
    func remove(_ object: ManagedObject) { objects[object.values[slot]]?.remove(object) }

    /// The objects with one of these values.
    func matching(_ values: [StoredValue]) -> [ManagedObject] {
        if values.count == 1 { return objects[values[0]]?.all ?? [] }
        return Set(values).flatMap { objects[$0]?.all ?? [] }
    }
}

extension PredicateNode {
    /// Properties of the object itself that must have one of these values for the predicate to hold.
    fileprivate var equalities: [(name: String, values: [StoredValue])] {
        switch self {
        case .and(let chain): chain.terms.flatMap(\.equalities)
        case .compare(.property(let path), .equal, .constant(let value)),
            .compare(.constant(let value), .equal, .property(let path)):
            path.variable == 0 && path.names.count == 1 ? [(path.names[0], [value])] : []
        case .isAmong(.property(let path), let list):
            path.variable == 0 && path.names.count == 1 ? [(path.names[0], list.values)] : []
        default: []
        }
    }
}
