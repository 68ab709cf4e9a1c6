import Foundation
import Testing

@testable import ManagedObjects

/// Random deeds in three contexts, one of them on a second stack, against the plainest model of the same:
/// values, every kind of relationship with its inverse, inheritance, deletions, saves, merges, rollbacks,
/// saves to parents, batch requests, a log of changes by which the stacks follow each other, faults,
/// fetches, a list with sections. After each deed everything is compared; after each save with a fresh
/// context, at the end with plain SQL.
@Suite struct ReferenceModelTests {
    /// As many as `MOODY_SEEDS` says: `scripts/check` runs a thousand.
    static var seeds: Int { ProcessInfo.processInfo.environment["MOODY_SEEDS"].flatMap { Int($0) } ?? 200 }

    @Test(arguments: StoreKind.allCases)
    func `a graph is what the plainest model of it says`(kind: StoreKind) throws {
        let folder = try ScratchFolder()
        let seeds = kind == .sqlite || kind == .memory ? Self.seeds : Self.seeds / 10
        for seed in 1...UInt64(max(seeds, 3)) {
            var random = SplitMix64(seed: seed)
            let deeds =
                Self.founding
                + (seed % 4 == 0
                    ? Self.deedsOfPictures(&random)
                    : (0..<36).map { _ in GraphOperation(number: random.next()) })
            let depths = Self.depths[Int(seed) % Self.depths.count]
            guard let failure = try run(deeds, depths, kind, folder) else { continue }
            let (least, why) = try shortened(deeds, failure, depths, kind, folder)
            Issue.record("seed \(seed): \(least.map(\.description).joined(separator: " "))\n\(why)")
            return
        }
    }

    /// How many parents the three contexts have.
    private static let depths = [[0, 0, 0], [0, 1, 0], [1, 0, 2]]

    /// Some of each kind, so that there is somebody to be related to, and a save.
    private static let founding: [GraphOperation] = [0, 0, 2, 3, 3, 4, 5, 5, 6, 6, 7, 22].enumerated().map {
        place, what in
        GraphOperation(number: UInt64(what) + GraphOperation.kinds * (UInt64(place) << 35))
    }

    /// Changes of large values with saves, undos and redos between them, all in the first context.
    private static func deedsOfPictures(_ random: inout SplitMix64) -> [GraphOperation] {
        (0..<36).map { _ in
            let kinds: [UInt64] = [34, 34, 34, 22, 22, 27, 27, 30, random.next() % GraphOperation.kinds]
            let what = kinds[Int(random.next() % UInt64(kinds.count))]
            return GraphOperation(number: what + GraphOperation.kinds * (random.next() >> 16))
        }
    }

    private func run(_ deeds: [GraphOperation], _ depths: [Int], _ kind: StoreKind, _ folder: ScratchFolder)
        throws
        -> String?
    {
        let url = kind != .memory ? folder.url.appending(path: "\(UUID().uuidString).sqlite") : nil
        defer {
            if let url {
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: url.path + suffix)
                }
            }
        }
        do {
            // Every second graph of a SQLite store, in each depth.
            let keepsHistory = kind == .sqlite && deeds.last.map { $0.number % 2 == 0 } ?? false
            // Where all happens in one context the store is not open anywhere else.
            let isShared = deeds.last.map { $0.number >> 56 != 0 } ?? true
            return try ReferenceRunner(
                at: url, type: kind.type, depths: depths, keepsHistory: keepsHistory, isShared: isShared
            ).run(deeds)
        } catch { return "\(error)" }
    }

    /// The fewest of the deeds that still go wrong: runs of them are left out, then single ones.
    private func shortened(
        _ deeds: [GraphOperation], _ failure: String, _ depths: [Int], _ kind: StoreKind,
        _ folder: ScratchFolder
    ) throws -> ([GraphOperation], String) {
        var (deeds, failure, size) = (deeds, failure, deeds.count / 2)
        while size > 0 {
            var start = 0
            while start < deeds.count {
                var fewer = deeds
                fewer.removeSubrange(start..<min(start + size, deeds.count))
                if let why = try run(fewer, depths, kind, folder) {
                    (deeds, failure) = (fewer, why)
                } else {
                    start += size
                }
            }
            size /= 2
        }
        return (deeds, failure)
    }
}
