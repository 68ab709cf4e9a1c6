/// Objects in the order they came, each once, told apart by identity.
struct ObjectList {
    private var objects: [ManagedObject?] = []
    private var places: [ObjectIdentifier: Int] = [:]

    var isEmpty: Bool { places.isEmpty }
    var count: Int { places.count }

    func contains(_ object: ManagedObject) -> Bool { places[ObjectIdentifier(object)] != nil }

    mutating func append(_ object: ManagedObject) {
        if contains(object) { return }
        places[ObjectIdentifier(object)] = objects.count
        objects.append(object)
    }

    @discardableResult
    mutating func remove(_ object: ManagedObject) -> Bool {
        guard let place = places.removeValue(forKey: ObjectIdentifier(object)) else { return false }
        objects[place] = nil
        return true
    }

    var all: [ManagedObject] { objects.compactMap { $0 } }
}
