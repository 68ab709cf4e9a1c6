import Synchronization

/// The name of an entity, in four bytes: names are kept once a process and told apart by number, so that an
/// object's ID is hashed and compared without looking at text.
struct EntityName: Hashable, Sendable {
    private let number: Int32

    private static let names = Mutex<(list: [String], numbers: [String: Int32])>(([], [:]))

    init(_ name: String) {
        number = Self.names.withLock { names in
            if let known = names.numbers[name] { return known }
            let number = Int32(names.list.count)
            names.list.append(name)
            names.numbers[name] = number
            return number
        }
    }

    var text: String { Self.names.withLock { $0.list[Int(number)] } }
}
