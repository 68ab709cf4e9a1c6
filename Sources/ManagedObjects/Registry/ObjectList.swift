/// Objects in the order they came, each once, told apart by identity.
///
/// Where each is, is worked out only when somebody asks: a hundred thousand inserted objects are listed, and
/// not one of them looked up.
struct ObjectList {
    private var objects: [ManagedObject?] = []
    private var indices: [ObjectIdentifier: Int]?
    private(set) var count = 0

    init() {}

    /// - Parameter objects: each once.
    init(_ objects: [ManagedObject]) {
        self.objects = objects
        count = objects.count
    }

    var isEmpty: Bool { count == 0 }
    /// In their order. O(*n*).
    var all: [ManagedObject] { objects.compactMap { $0 } }

    mutating func contains(_ object: ManagedObject) -> Bool { index(of: object) != nil }

    private mutating func index(of object: ManagedObject) -> Int? {
        // A table of so few costs more than a look at each.
        if objects.count <= 8 { return objects.firstIndex { $0 === object } }
        if indices == nil {
            var known: [ObjectIdentifier: Int] = [:]
            known.reserveCapacity(count)
            for (index, object) in objects.enumerated() {
                if let object { known[ObjectIdentifier(object)] = index }
            }
            indices = known
        }
        return indices?[ObjectIdentifier(object)]
    }

    mutating func append(_ object: ManagedObject) { if !contains(object) { appendNew(object) } }

    /// For who knows that the object is not there.
    mutating func appendNew(_ object: ManagedObject) {
        indices?[ObjectIdentifier(object)] = objects.count
        objects.append(object)
        count += 1
    }

    @discardableResult
    mutating func remove(_ object: ManagedObject) -> Bool {
        guard let index = index(of: object) else { return false }
        indices?[ObjectIdentifier(object)] = nil
        objects[index] = nil
        count -= 1
        return true
    }
}
