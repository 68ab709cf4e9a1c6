public import DataStacks
import Foundation
import Images
import ManagedObjects
import MoodyModel
import Palettes

/// Brings a store up to date with files: the one writer.
///
///     var ingest = Ingest(stack: stack)
///     let report = try ingest.run([BytePath("Photos")])
///
/// Photos are read and reduced on many threads; their outcomes come back in the order of their paths and are
/// written in transactions of at most 64 photos or half a second. A run that is stopped, or killed, has kept what
/// was committed; the next one goes on from there and ends with the same store.
public struct Ingest {
    public var settings = PaletteSettings()
    public var filter = FileFilter()
    /// Photos worked on at once.
    public var jobs = ProcessInfo.processInfo.activeProcessorCount
    /// Compute all palettes again, changed or not.
    public var recompute = false
    /// Look again at files that failed.
    public var retry = false
    /// Take missing photos out of the store.
    public var prune = false
    /// Photos whose moods were deleted on purpose come back.
    public var restore = false
    /// Say what would be done; nothing is written.
    public var isDryRun = false
    /// Paths never looked at: the store's own.
    public var skipped: Set<BytePath> = []

    /// Told, on the caller's thread, what could not be done: a path as the user would write it, and why.
    public var onProblem: (String, String) -> Void = { _, _ in }
    /// Told, on the caller's thread, how many of how many files are through, and how many of them were photos; first
    /// of all when none is.
    public var onProgress: (Int, Int, Int) -> Void = { _, _, _ in }
    /// Told of each file that a dry run would do something with: a path as the user would write it, and what.
    public var onPlan: (String, PlannedChange) -> Void = { _, _ in }
    /// Asked now and then; once true what was begun is finished and saved, and the run ends.
    public var isStopped: @Sendable () -> Bool = { false }
    /// The files that `recompute`, `retry` and `restore` are meant for; nil for all.
    var askedAnew: Set<BytePath>?
    /// Whether a file is whole: one that is still being written is left for a later look.
    var isSettled: (FoundFile) -> Bool = { _ in true }
    /// Most photos in one transaction.
    var batchSize = 64
    /// Longest wait of a finished photo for its transaction, in seconds.
    var batchTime = 0.5
    /// Path to bytes. A parameter so that a test can hand in bytes, or a disk that fails.
    public var read: @Sendable (BytePath) throws(FileError) -> [UInt8] = { path throws(FileError) in
        try readPhoto(path)
    }

    let stack: DataStack
    var report = IngestReport()

    public init(stack: DataStack) { self.stack = stack }

    /// - Throws: ``StoreError`` when the store cannot be used. What was committed before stays.
    public mutating func run(_ paths: [BytePath]) throws -> IngestReport {
        try run(FileFinder.find(paths, filter: filter, skipping: skipped), named: Set(paths)).report
    }

    /// - Parameter named: paths of which one that is no folder counts as a photo, whatever is there.
    /// - Returns: besides, the files that were left for a later look.
    mutating func run(_ found: FoundFiles, named: Set<BytePath> = []) throws
        -> (report: IngestReport, unsettled: [BytePath])
    {
        report = IngestReport()
        for (path, error) in found.problems {
            if named.contains(path), (try? FileStatus(at: path))?.kind != .folder {
                fail(path.description, error.description)
            } else {
                problem(path.description, error.description)
            }
        }
        report.others += found.others
        let stored = try StoredPhotos(in: stack.reader)
        let plan = IngestPlan(found, stored, self)
        count(plan)
        for file in plan.namedOthers { fail(file.shown.description, "\(ImageError.unknownFormat)") }
        if isDryRun { rehearse(plan) } else { try work(plan) }
        for folder in plan.emptyRoots {
            problem(folder.description, "nothing found in it; nothing below it was marked missing")
        }
        return (report, plan.unsettled)
    }

    private mutating func count(_ plan: IngestPlan) {
        report.unchanged += plan.unchanged
        report.leftOut += plan.leftOut
        report.failedBefore += plan.failedBefore
        report.others += plan.others
        report.unsettled = plan.unsettled.count
    }

    /// Reads the photos that need it and writes what became of them; last, what was not found any more.
    private mutating func work(_ plan: IngestPlan) throws {
        let reader = PhotoReader(settings: settings, coordinator: stack.coordinator, read: read)
        var batch: [IngestPlan.Outcome] = [], begun = Date()
        var done = 0
        let others = report.others
        onProgress(0, plan.work.count, 0)
        var moves = MovedPhotos(plan.missing, plan.stored, restores: restore)
        func flush(_ ingest: inout Ingest, isLast: Bool = false) throws {
            try ingest.write(batch, &moves, losing: isLast)
            done += batch.count
            ingest.onProgress(done, plan.work.count, done - (ingest.report.others - others))
            (batch, begun) = ([], Date())
        }
        var failure: (any Error)?
        let items = plan.work
        pipeline(
            count: items.count, width: max(jobs, 1), window: max(jobs, 1) * 4, isStopped: isStopped,
            work: { index in
                let item = items[index]
                return IngestPlan.Outcome(
                    item: item, result: reader.outcome(of: item.found, known: item.knownHash))
            },
            sink: { outcome in
                if failure != nil { return }
                batch.append(outcome)
                // The last ones wait for what is missing: one transaction holds both.
                if done + batch.count == items.count { return }
                if batch.count < batchSize && Date().timeIntervalSince(begun) < batchTime { return }
                do { try flush(&self) } catch { failure = error }
            })
        if let failure { throw failure }
        report.wasStopped = done + batch.count < items.count
        try flush(&self, isLast: !report.wasStopped)
        if !report.wasStopped { while !moves.missing.isEmpty { try flush(&self, isLast: true) } }
    }

    /// One transaction.
    ///
    /// - Parameter losing: with the next of the missing photos, those that have not turned up elsewhere.
    private mutating func write(
        _ batch: [IngestPlan.Outcome], _ moves: inout MovedPhotos, losing: Bool
    ) throws {
        var steps: [IngestStep] = []
        for outcome in batch {
            let item = outcome.item
            switch outcome.result {
            case .unreadable(let reason): fail(item.found.shown.description, reason)
            case .sameContents(let file):
                report.unchanged += 1
                steps.append(.touch(item.found.place, file, item.found.date))
            case .read(let source):
                if !item.isKnown, let old = moves.claim(source.contentHash) {
                    if old.isRemoved { report.leftOut += 1 } else { report.moved += 1 }
                    steps.append(.move(from: old.place, to: source.place, source.file, item.found.date))
                    continue
                }
                var source = source
                source.restores = item.isRestored
                steps.append(.write(source, isKnown: item.isKnown))
                switch source.result {
                case .kept: if item.isKnown { report.changed += 1 } else { report.new += 1 }
                case .failed(let reason): fail(item.found.shown.description, reason)
                case .notPicture:
                    report.others += 1
                    if item.found.isNamed {
                        fail(item.found.shown.description, "\(ImageError.unknownFormat)")
                    }
                }
            }
        }
        if losing { steps += moves.takeMissing(500).map { .lose($0, prune: prune) } }
        if steps.isEmpty { return }
        let all = steps, seen = Date()
        let outcomes = try againstOthers {
            try stack.performAndWait { transaction in
                try all.compactMap { try $0.run(in: transaction, seen: seen) }
            }
        }
        for outcome in outcomes {
            switch outcome {
            case .markedMissing: report.missing += 1
            case .pruned: report.pruned += 1
            case .redated: (report.unchanged, report.changed) = (report.unchanged - 1, report.changed + 1)
            case .leftOut(let wasKnown):
                report.leftOut += 1
                if wasKnown { report.changed -= 1 } else { report.new -= 1 }
            }
        }
    }

    /// Another process may have written what this one was about to write: then the transaction, which was thrown
    /// away, is run anew on what is there now.
    private func againstOthers<Value>(_ body: () throws -> Value) throws -> Value {
        for _ in 0..<8 {
            do { return try body() } catch StoreError.notUnique { continue } catch StoreError.conflict {
                continue
            } catch StoreError.inUse { continue }
        }
        return try body()
    }

    mutating func fail(_ path: String, _ reason: String) {
        report.failed += 1
        onProblem(path, reason)
    }

    private mutating func problem(_ path: String, _ reason: String) {
        report.problems += 1
        onProblem(path, reason)
    }
}
