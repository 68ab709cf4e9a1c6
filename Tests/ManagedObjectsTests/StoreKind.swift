import Foundation
import Glibc
import ManagedObjects
import Testing

/// The stores that keep the same promises. A test with the trait `.everyStore` runs on each of them.
enum StoreKind: String, CaseIterable {
    case sqlite, memory, xml, binary, lines

    var type: PersistentStoreCoordinator.StoreType {
        switch self {
        case .sqlite: .sqlite
        case .memory: .inMemory
        case .xml: .xml
        case .binary: .binary
        case .lines: .file(JSONLinesFormat())
        }
    }

    /// Those that `MOODY_STORES` names, as in `memory,xml`; all without it.
    fileprivate static let wanted = ProcessInfo.processInfo.environment["MOODY_STORES"]?.split(separator: ",")
        .map(String.init)

    @TaskLocal static var current = StoreKind.memory

    /// Where SQLite stores of tests lie, for as long as the process runs.
    static let folder: URL = {
        let url = FileManager.default.temporaryDirectory.appending(path: "moody-tests-\(getpid())")
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(at: StoreKind.folder) }
        return url
    }()
}

/// Runs a test once on each kind of store.
struct EveryStore: TestTrait, SuiteTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        if testCase == nil { return try await function() }
        for kind in StoreKind.allCases where StoreKind.wanted?.contains(kind.rawValue) ?? true {
            try await StoreKind.$current.withValue(kind, operation: function)
        }
    }
}

extension Trait where Self == EveryStore {
    static var everyStore: Self { EveryStore() }
}
