import Foundation
import ManagedObjects
import TestSupport
import Testing

/// Processes that write one store at the same time, and one that reads it meanwhile.
///
/// The sum over all accounts never changes, whatever is moved between them; each move leaves a trace of its
/// own. A commit that got lost, was seen by half or was written over changes one of the two.
@Suite struct TwoProcessesTests {
    private static let accounts: Int16 = 12
    private static let moves = 150

    @Test func `two processes write, a third reads, and no commit is lost or half seen`() async throws {
        let folder = try ScratchFolder(), path = folder.url.appending(path: "A.moody").path
        let coordinator = try Self.open(path)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            for code in 0..<Self.accounts {
                Country.insert(into: context, code: 100, name: "account \(code)")
            }
            try context.save()
        }
        async let first: Void = move(path, seed: 1)
        async let second: Void = move(path, seed: 2)
        // Reads beside both, and opens and closes the store: every answer is one that was committed. Both go
        // on until it has seen some.
        let watcher = Thread.detached { [coordinator, path] in
            var traces: [Int] = []
            while Set(traces).count < 5 {
                traces.append(try Self.look(coordinator))
                try Self.open(path).close()
            }
            try Data().write(to: Self.flag(path))
            return traces
        }
        _ = await (first, second)
        let traces = try await watcher.value
        #expect(traces == traces.sorted(), "a commit that was seen was not seen later")
        let all = try Self.look(coordinator)
        #expect(all >= 2 * Self.moves)
        try coordinator.close()
        let sums = try shell(
            """
            sqlite3 '\(path)' "SELECT SUM(ZCODE) FROM ZCOUNTRY; SELECT COUNT(DISTINCT ZTITLE) FROM ZMOOD; \
            SELECT SUM(Z_OPT - 1) FROM ZCOUNTRY; PRAGMA integrity_check"
            """)
        // Each move counts two rows up: Z_OPT tells of every one that was written.
        #expect(sums == "\(100 * Int(Self.accounts))\n\(all)\n\(2 * all)\nok\n")
        let missing = try shell(
            """
            sqlite3 '\(path)' "SELECT substr(ZTITLE, 1, 2), COUNT(*), MAX(CAST(substr(ZTITLE, 3) AS \
            INTEGER)) + 1 \
            FROM ZMOOD GROUP BY 1" | awk -F'|' '$2 != $3'
            """)
        #expect(missing == "", "a process wrote more moves than there are")
        // What saves had put there that were not to be goes when nobody else has the store.
        try Self.open(path).close()
        let kept = try FileManager.default.contentsOfDirectory(
            atPath: folder.url.appending(path: ".A_SUPPORT/_EXTERNAL_DATA").path)
        let named = try shell("sqlite3 '\(path)' 'SELECT COUNT(*) FROM ZMOOD WHERE ZPREVIEW IS NOT NULL'")
        #expect("\(kept.count)\n" == named && kept.count >= 2 * Self.moves / 10)
    }

    /// There from when the reader has seen enough.
    private static func flag(_ path: String) -> URL { URL(filePath: path + ".seen") }

    private static func open(_ path: String) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try coordinator.addPersistentStore(ofType: .sqlite, at: URL(filePath: path))
        return coordinator
    }

    /// How many moves one fetch sees, if what it sees adds up.
    private static func look(_ coordinator: PersistentStoreCoordinator) throws -> Int {
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            let sum = try context.fetch(FetchRequest<Country>()).reduce(0) { $0 + Int($1.code) }
            #expect(sum == 100 * Int(accounts))
            return try context.count(FetchRequest<Mood>())
        }
    }

    /// Another process moves something from account to account, again and again when the other one was first.
    private func move(_ path: String, seed: UInt64) async {
        await #expect(processExitsWith: .success) { [path = path as String, seed = seed as UInt64] in
            let coordinator = try TwoProcessesTests.open(path)
            let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
            var random = SplitMix64(seed: seed), done = 0
            let flag = TwoProcessesTests.flag(path).path
            while done < TwoProcessesTests.moves || !FileManager.default.fileExists(atPath: flag) {
                let (from, to) = (random.next(), random.next())
                let number = done
                let isDone = try context.performAndWait { context in
                    try TwoProcessesTests.move(from, to, "\(seed)-\(number)", number % 10 == 0, context)
                }
                if isDone { done += 1 }
            }
            try coordinator.close()
        }
    }

    private static func move(
        _ from: UInt64, _ to: UInt64, _ title: String, _ hasPreview: Bool,
        _ context: isolated ManagedObjectContext
    ) throws -> Bool {
        let accounts = try context.fetch(FetchRequest<Country>(sortedBy: .ascending(\.name)))
        let count = UInt64(accounts.count), start = from % count
        let (a, b) = (accounts[Int(start)], accounts[Int((start + 1 + to % (count - 1)) % count)])
        a.code -= Int16(from % 7) + 1
        b.code += Int16(from % 7) + 1
        let mood = Mood.insert(into: context, title: title, date: day(1))
        mood.country = b
        if hasPreview { mood.preview = Data(repeating: UInt8(truncatingIfNeeded: from), count: 200_000) }
        do {
            try context.save()
            return true
        } catch StoreError.conflict {
            // Somebody else was first: begin again from what is there now.
            context.reset()
            return false
        }
    }
}

extension Thread {
    /// Runs `body` on a thread of its own, so that it does not wait for tests that block the others.
    fileprivate static func detached<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value)
        -> Task<Value, any Error>
    {
        Task {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
            }
        }
    }
}
