import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Random operations in three contexts, one of them on a second stack, against the plainest model of the
/// same: values, every kind of relationship with its inverse, inheritance, deletions, saves, merges,
/// rollbacks, saves to parents, batch requests, a log of changes by which the stacks follow each other,
/// faults, fetches, a list with sections. After each operation everything is compared; after each save with a
/// fresh context, at the end with plain SQL.
@Suite struct ReferenceModelTests {
    /// As many as `MOODY_SEEDS` says: `scripts/check` runs a thousand.
    static var seeds: Int { ProcessInfo.processInfo.environment["MOODY_SEEDS"].flatMap { Int($0) } ?? 200 }

    @Test(arguments: StoreKind.allCases)
    func `a graph is what the plainest model of it says`(kind: StoreKind) throws {
        let folder = try ScratchFolder()
        let seeds = kind == .sqlite || kind == .memory ? Self.seeds : Self.seeds / 10
        for seed in 1...UInt64(max(seeds, 3)) {
            var random = SplitMix64(seed: seed)
            let operations =
                Self.founding
                + (seed % 4 == 0
                    ? Self.pictureOperations(&random)
                    : seed % 4 == 2
                        ? Self.orderOperations(&random)
                        : (0..<36).map { _ in GraphOperation(number: random.next()) })
            let depths = Self.depths[Int(seed) % Self.depths.count]
            guard let failure = try run(operations, depths, kind, folder) else { continue }
            let (least, why) = try shortened(operations, failure, depths, kind, folder)
            Issue.record("seed \(seed): \(least.map(\.description).joined(separator: " "))\n\(why)")
            return
        }
    }

    /// How many parents the three contexts have.
    private static let depths = [[0, 0, 0], [0, 1, 0], [1, 0, 2]]

    /// Some of each kind, so that there is somebody to be related to, and a save.
    private static let founding = [
        GraphOperation.Kind.createResident, .createResident, .createPupil, .createPlace, .createPlace,
        .createClub, .createEvent, .createEvent, .createPass, .createPass, .createStatue, .save,
    ].enumerated().map { index, kind in GraphOperation(kind, UInt64(index) << 35) }

    /// Changes of large values with saves, undos and redos between them, all in the first context.
    private static func pictureOperations(_ random: inout SplitMix64) -> [GraphOperation] {
        (0..<36).map { _ in
            let kinds: [GraphOperation.Kind] = [
                .setPicture, .setPicture, .setPicture, .save, .save, .undo, .undo, .redo,
                GraphOperation(number: random.next()).kind,
            ]
            let kind = kinds[Int(random.next() % UInt64(kinds.count))]
            return GraphOperation(kind, random.next() >> 16)
        }
    }

    /// Changes of ordered members and deletions of their owners, with undos and redos, in the first context.
    private static func orderOperations(_ random: inout SplitMix64) -> [GraphOperation] {
        (0..<40).map { index in
            let kinds: [GraphOperation.Kind] = [
                .createEvent, .createClub, .setClub, .setClub, .setClub, .turnEvents, .setGuests, .deleteClub,
                .delete, .undo, .undo, .undo, .redo, .redo, .save, GraphOperation(number: random.next()).kind,
            ]
            let kind = index < 6 ? [.createEvent, .setClub][index % 2] : kinds[Int(random.next() % 16)]
            return GraphOperation(kind, random.next() >> 16)
        }
    }

    private func run(
        _ operations: [GraphOperation], _ depths: [Int], _ kind: StoreKind, _ folder: ScratchFolder
    )
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
            let keepsHistory = kind == .sqlite && operations.last.map { $0.number % 2 == 0 } ?? false
            // Where all happens in one context the store is not open anywhere else.
            let isShared = operations.last.map { $0.number >> 56 != 0 } ?? true
            return try ReferenceRunner(
                at: url, type: kind.type, depths: depths, keepsHistory: keepsHistory, isShared: isShared
            ).run(operations)
        } catch { return "\(error)" }
    }

    /// The fewest of the operations that still go wrong: runs of them are left out, then single ones.
    private func shortened(
        _ operations: [GraphOperation], _ failure: String, _ depths: [Int], _ kind: StoreKind,
        _ folder: ScratchFolder
    ) throws -> ([GraphOperation], String) {
        var (operations, failure, size) = (operations, failure, operations.count / 2)
        while size > 0 {
            var start = 0
            while start < operations.count {
                var fewer = operations
                fewer.removeSubrange(start..<min(start + size, operations.count))
                if let why = try run(fewer, depths, kind, folder) {
                    (operations, failure) = (fewer, why)
                } else {
                    start += size
                }
            }
            size /= 2
        }
        return (operations, failure)
    }
}
