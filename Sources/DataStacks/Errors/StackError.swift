public import Foundation
public import ManagedObjects

/// Why a stack did not do what it was asked to do. Every throwing call of a stack, a transaction, or a
/// monitor throws it, and nothing else.
public enum StackError: Error {
    /// There is no model of this name, or its file cannot be read.
    case noModel(String)
    /// A migration chain contradicts itself: the reason names the versions.
    case invalidChain(String)
    /// The file is a store of the stack already, added with other options or by another link to it.
    case differentStorage(URL)
    /// There is no store at the place, none can be made there, or it cannot be read.
    case unreadable(URL, StoreError)
    /// The store was written with a version of the model that the stack does not know. The entities that
    /// differ from the nearest version.
    case unknownVersion(URL, entities: [String])
    /// The store is of an earlier version, and the call does not migrate.
    case migrationRequired(from: String, to: String)
    /// A step of a migration failed; the store is what it was.
    case migration(from: String, to: String, MigrationError)
    /// No store of the stack takes objects of the entity; or none of this configuration, where one was named.
    case noStore(entity: String, configuration: String?)
    /// Several stores take objects of the entity: name one of their configurations.
    case ambiguousStore(entity: String, configurations: [String?])
    /// The call would wait for the transaction that it was made in.
    case nested
    /// The call was made in a block of the stack's reader, such as an observer, which the call waits for.
    case insideReader
    /// The call would wait for a transaction of another stack that waits for one of this stack.
    case wouldWaitForever
    /// The transaction, the import, or the migration was cancelled.
    case cancelled
    /// The transaction was committed before.
    case alreadyCommitted
    /// An object or a reference of another stack was used.
    case foreignObject(ManagedObjectID)
    /// Changes to be saved break rules of the model.
    case validation(ValidationError)
    /// The store refused.
    case store(StoreError)
    /// A clause cannot be translated.
    case fetch(FetchError)
    /// A model contradicts itself.
    case model(ModelError)
    /// An error of the program's own closure.
    case user(any Error)
}

extension StackError: Equatable {
    /// Errors of programs are equal when their types and descriptions are.
    public static func == (a: StackError, b: StackError) -> Bool {
        switch (a, b) {
        case (.noModel(let x), .noModel(let y)), (.invalidChain(let x), .invalidChain(let y)): x == y
        case (.differentStorage(let x), .differentStorage(let y)): x == y
        case (.unreadable(let x, let why), .unreadable(let y, let other)): x == y && why == other
        case (.unknownVersion(let x, let entities), .unknownVersion(let y, let others)):
            x == y && entities == others
        case (.migrationRequired(let a, let b), .migrationRequired(let c, let d)): a == c && b == d
        case (.migration(let a, let b, let x), .migration(let c, let d, let y)): a == c && b == d && x == y
        case (.noStore(let a, let b), .noStore(let c, let d)): a == c && b == d
        case (.ambiguousStore(let a, let b), .ambiguousStore(let c, let d)): a == c && b == d
        case (.nested, .nested), (.insideReader, .insideReader), (.wouldWaitForever, .wouldWaitForever),
            (.cancelled, .cancelled), (.alreadyCommitted, .alreadyCommitted):
            true
        case (.foreignObject(let x), .foreignObject(let y)): x == y
        case (.validation(let x), .validation(let y)): x == y
        case (.store(let x), .store(let y)): x == y
        case (.fetch(let x), .fetch(let y)): x == y
        case (.model(let x), .model(let y)): x == y
        case (.user(let x), .user(let y)): type(of: x) == type(of: y) && "\(x)" == "\(y)"
        default: false
        }
    }
}

extension StackError: CustomStringConvertible {
    /// A sentence for people.
    public var description: String {
        switch self {
        case .noModel(let name): "no model: \(name)"
        case .invalidChain(let problem): "the migration chain is invalid: \(problem)"
        case .differentStorage(let url):
            "\(url.path) was added to the stack before, with other options or by another name"
        case .unreadable(let url, let error): "\(url.path): \(error)"
        case .unknownVersion(let url, let entities):
            "\(url.path): written with an unknown version of the model: \(entities.joined(separator: ", "))"
        case .migrationRequired(let source, let destination):
            "of version \(source) of the model, and must be migrated to \(destination) first"
        case .migration(let source, let destination, let error):
            "cannot be migrated from version \(source) to \(destination): \(error)"
        case .noStore(let entity, nil): "no store takes objects of \(entity)"
        case .noStore(let entity, let configuration?):
            "no store of configuration \(configuration) takes objects of \(entity)"
        case .ambiguousStore(let entity, let configurations):
            "several stores take objects of \(entity): name one of the configurations "
                + configurations.map { $0 ?? "nil" }.joined(separator: ", ")
        case .nested: "a transaction was begun inside another one of the same stack"
        case .insideReader: "a transaction was begun in a block of the stack's reader"
        case .wouldWaitForever: "two transactions would wait for each other"
        case .cancelled: "cancelled"
        case .alreadyCommitted: "the transaction was committed before"
        case .foreignObject(let id): "\(id) belongs to another stack"
        case .validation(let error): "\(error)"
        case .store(let error): "\(error)"
        case .fetch(let error): "\(error)"
        case .model(let error): "\(error)"
        case .user(let error): "\(error)"
        }
    }
}

extension StackError {
    /// The error as a stack throws it: errors of ManagedObjects by their kind, all others as ``user(_:)``.
    public init(_ error: any Error) {
        self =
            switch error {
            case let error as StackError: error
            case let error as ValidationError: .validation(error)
            case let error as StoreError: .store(error)
            case let error as FetchError: .fetch(error)
            case let error as ModelError: .model(error)
            case let error as ModelFileError: .noModel("\(error)")
            case is CancellationError: .cancelled
            default: .user(error)
            }
    }

    /// The error of ManagedObjects, or of the program's closure, that this one holds; else the error itself.
    public var underlying: any Error {
        switch self {
        case .unreadable(_, let error), .store(let error): error
        case .migration(_, _, let error): error
        case .validation(let error): error
        case .fetch(let error): error
        case .model(let error): error
        case .user(let error): error
        default: self
        }
    }

    /// Whether another attempt of the same work may succeed: another context, or another process, wrote at
    /// the same time. The one list of such errors.
    package var isCausedByOthers: Bool {
        switch self {
        case .store(.conflict), .store(.notUnique), .store(.objectGone), .store(.inUse),
            .store(.changedByOthers):
            true
        default: false
        }
    }
}

/// Runs `body` again, seven times at most, while it fails for what another context or process did.
///
/// - Parameters:
///   - onRetry: called with the error before each further attempt.
///   - body: work that may run several times: a transaction, or a read.
package func retryingWhatOthersCause<Value>(
    onRetry: (StackError) throws -> Void = { _ in }, _ body: () throws -> Value
) throws -> Value {
    var last: StackError?
    for _ in 0..<7 {
        do {
            if let last { try onRetry(last) }
            return try body()
        } catch {
            let error = StackError(error)
            guard error.isCausedByOthers else { throw error }
            last = error
        }
    }
    if let last { try onRetry(last) }
    return try body()
}

/// Runs `body`, whose errors become ``StackError``.
func wrapping<Value>(_ body: () throws -> Value) throws(StackError) -> Value {
    do { return try body() } catch { throw StackError(error) }
}
