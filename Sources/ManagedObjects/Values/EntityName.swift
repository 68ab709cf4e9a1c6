import Synchronization

/// The name of an entity, in four bytes: names are kept once a process and told apart by number, so that an
/// object's ID is hashed and compared without looking at text.
struct EntityName: Hashable, Sendable {
    private let number: Int32

    private struct Names {
        var list: [String] = []
        var numbers: [String: Int32] = [:]
    }

    // Not a tuple: of what is done with one the thread sanitizer does not know that a mutex guards it
    // (scripts/checks/tsan-suppressions).
    private static let names = Mutex(Names())

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
