/// Inserted and updated objects of one family, found by the values that fetches ask for.
///
/// An import that looks for each of 40,000 objects by a unique value would look at all that it made before, each
/// time. So what is asked for by equality gets an index, from the first time on until the save.
struct UnsavedObjects {
    private var objects = ObjectList()
    /// By slot.
    private var indexes: [Int: [StoredValue: [ManagedObject]]] = [:]
    /// Fewer are looked at one by one.
    private static let threshold = 32

    var isEmpty: Bool { objects.isEmpty }
    var all: [ManagedObject] { objects.all }

    mutating func append(_ object: ManagedObject) {
        objects.append(object)
        for slot in indexes.keys where slot < object.values.count {
            indexes[slot]?[object.values[slot], default: []].append(object)
        }
    }

    mutating func remove(_ object: ManagedObject) {
        guard objects.remove(object) else { return }
        for slot in indexes.keys where slot < object.values.count {
            indexes[slot]?[object.values[slot]]?.removeAll { $0 === object }
        }
    }

    mutating func willSet(_ value: StoredValue, at slot: Int, of object: ManagedObject) {
        if indexes.isEmpty || indexes[slot] == nil || !objects.contains(object) { return }
        indexes[slot]?[object.values[slot]]?.removeAll { $0 === object }
        indexes[slot]?[value, default: []].append(object)
    }

    /// All that may match; nil when the predicate asks for no value by equality.
    mutating func matching(_ predicate: PredicateNode?) -> [ManagedObject]? {
        guard objects.count > Self.threshold, let predicate, let first = objects.all.first else { return nil }
        for (name, value) in predicate.equalities {
            // The slot is the same in the whole family, if the root has the property.
            guard let slot = first.core?.model.entities[first.entity.rootIndex].slot(of: name) else { continue }
            if indexes[slot] == nil {
                indexes[slot] = Dictionary(grouping: objects.all) { $0.values[slot] }
            }
            return indexes[slot]?[value] ?? []
        }
        return nil
    }
}

extension PredicateNode {
    /// Properties of the object itself that must have these values for the predicate to hold.
    fileprivate var equalities: [(name: String, value: StoredValue)] {
        switch self {
        case .and(let a, let b): a.equalities + b.equalities
        case .compare(.property(let path), .equal, .constant(let value)),
            .compare(.constant(let value), .equal, .property(let path)):
            path.variable == 0 && path.names.count == 1 ? [(path.names[0], value)] : []
        default: []
        }
    }
}
