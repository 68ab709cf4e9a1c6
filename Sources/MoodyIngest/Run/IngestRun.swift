import DataStacks
import Foundation
import Images
import ManagedObjects
import MoodyModel
import Palettes

/// A run of an ingest: its inputs, and its results so far.
struct IngestRun {
    let options: IngestOptions
    let callbacks: IngestCallbacks
    let read: @Sendable (BytePath) throws(FileError) -> [UInt8]
    private(set) var store: StoreProvider
    let inputs: IngestInputs
    var report = IngestReport()
    /// Whether anything was committed.
    var hasWritten = false
    /// Tells what is missing; made when the store's folders are known.
    var presence = Presence(named: [])
    /// Files that came back during the run, and have not been read.
    var late: [BytePath] = []
    /// Photos that changed sidecars tell of, and that could not be read.
    var unread: Set<BytePath> = []
    /// Whether each transaction keeps the numbers of moods of countries right. Other runs count all moods
    /// once, at their end, so that runs side by side do not wait for each other's countries.
    private(set) var countsCountries = false

    init(_ ingest: Ingest, _ inputs: IngestInputs) {
        (options, callbacks, read) = (ingest.options, ingest.callbacks, ingest.read)
        (store, self.inputs) = (ingest.store, inputs)
    }

    /// - Returns: besides the report, the files that were left for a later look.
    mutating func perform() throws -> (report: IngestReport, unsettled: [BytePath]) {
        let found = inputs.found, request = PaletteRequest(options.settings.palette)
        let stored: PhotoCatalog, roots: SearchRoots
        switch store {
        case .existing(let stack):
            stored = try inputs.stored?.get() ?? catalog(of: stack, asking: request)
            roots = try SearchRoots(searched: found.searched, in: stack)
        case .deferred: (stored, roots) = (PhotoCatalog(), SearchRoots(searched: found.searched))
        }
        countsCountries = !stored.isWhole
        presence = Presence(
            named: found.searched + found.away, remembered: roots.all, filter: options.filter)
        let plan = try IngestPlan(inputs, stored: stored, options: options, presence: presence)
        let contents = ContentIndex(plan, options, presence)
        if options.isDryRun {
            try tell(plan)
            try rehearse(plan, contents)
        } else {
            try work(plan, contents, roots)
            let stack = try openStore()
            if hasWritten && !countsCountries {
                try retryingConflicts { try stack.performAndWait { try Country.recount(in: $0) } }
            }
            if hasWritten { try retryingConflicts { try ColorPages.fill(in: stack) } }
        }
        report.missingBefore += contents.missingBefore
        for folder in plan.emptyRoots {
            problem(folder, "nothing found in it; nothing below it was marked missing")
        }
        return (report, plan.unsettled + late)
    }

    /// The photos that the files of this run may concern: all, unless the run is about a few paths.
    private func catalog(of stack: DataStack, asking request: PaletteRequest) throws -> PhotoCatalog {
        guard let changed = inputs.found.changed, changed.count <= PhotoCatalog.maximumPaths,
            !options.isDryRun
        else { return try PhotoCatalog(in: stack, asking: request) }
        return try PhotoCatalog(at: changed, in: stack, asking: request)
    }

    /// The store; one that is not there yet is made now.
    mutating func openStore() throws -> DataStack {
        switch store {
        case .existing(let stack): return stack
        case .deferred(let make):
            let stack = try make()
            store = .existing(stack)
            return stack
        }
    }

    /// Prepares the store before the first photo.
    private mutating func begin(
        _ plan: IngestPlan, _ contents: ContentIndex, _ roots: SearchRoots
    ) throws {
        let stack = try openStore()
        if try !PaletteHashes.upkeep.isDone(in: stack) {
            try retryingConflicts { try PaletteHashes.upkeep.run(in: stack) }
        }
        // A killed server leaves marks that no undo can reach any more. A search for them reads every mood,
        // so a run over a few files leaves it to the next run over folders.
        if plan.stored.isWhole, !options.keepsMarks {
            let due = Date() - DataStack.markLifetime
            _ = try retryingConflicts { try stack.purgeMarks(before: due) }
        }
        try tell(plan)
        if !plan.work.isEmpty || contents.hasMissing { try callbacks.willWrite(stack) }
        try retryingConflicts { try roots.keep(in: stack) }
        if !PaletteRequest(options.settings.palette).leftOut.isEmpty {
            try retryingConflicts { try LeftOutMark.set(in: stack) }
        }
    }

    /// Says what is known before any file is opened.
    private mutating func tell(_ plan: IngestPlan) throws {
        for (path, error) in inputs.found.problems {
            if inputs.named.contains(path), (try? FileStatus(at: path))?.kind != .folder {
                fail(path, error.description)
            } else {
                problem(path, error.description)
            }
        }
        try count(plan)
    }

    private mutating func count(_ plan: IngestPlan) throws {
        report.others += inputs.found.others
        report.excluded += inputs.found.excluded
        report.unchanged += plan.unchanged
        report.outdated += plan.outdated
        report.unsettled = plan.unsettled.count
        for path in inputs.found.otherPaths { callbacks.onSkip(path.description, .other) }
        for path in inputs.found.excludedPaths { callbacks.onSkip(path.description, .excluded) }
        let wantsAll = callbacks.wantsAllSkips
        for (file, verdict) in plan.verdicts {
            let shown = file.shown.description
            switch verdict {
            // A file that the user named is no other file and no old story: its reason is named again.
            case .other where file.isNamed: count(.failed(reason: file.reasonAsOther), file)
            case .failedBefore where file.isNamed: count(.failed(reason: try failure(of: file)), file)
            default: report.count(verdict)
            }
            switch verdict {
            case .other where wantsAll && !file.isNamed: callbacks.onSkip(shown, .other)
            case .failedBefore where wantsAll && !file.isNamed: callbacks.onSkip(shown, .failedBefore)
            case .leftOut where wantsAll || file.isNamed: callbacks.onSkip(shown, .leftOut)
            default: break
            }
        }
    }

    /// Why a file failed in an earlier run, as the store has it.
    private func failure(of file: FoundFile) throws -> String {
        guard case .existing(let stack) = store else { return "failed before" }
        let reason = try stack.read { view in
            try view.fetchAll(FetchRequest(Photo.filter(uniqueID: file.location))).first?.failure
        }
        return reason ?? "failed before"
    }

    /// Reads the photos that need it and writes their outcomes; last, marks the photos that are missing.
    ///
    /// The first photos are being read while the store is made and the list of moods is fetched.
    private mutating func work(_ plan: IngestPlan, _ contents: ContentIndex, _ roots: SearchRoots) throws {
        // The workers put previews beside the store, which has to be there then.
        let beginsFirst = options.settings.previewSide != nil
        if beginsFirst { try begin(plan, contents, roots) }
        var coordinator: PersistentStoreCoordinator?
        if case .existing(let stack) = store { coordinator = stack.coordinator }
        let reader = PhotoReader(settings: options.settings, coordinator: coordinator, read: read)
        report.planned = plan.work.count
        callbacks.onProgress(0, report.planned, 0)
        let work = plan.work, jobs = max(options.jobs, 1)
        var writer = BatchWriter(
            contents: contents, reader: reader, inputs: inputs, othersBefore: report.others)
        do {
            try pipeline(
                count: work.count, width: jobs, window: max(jobs * 4, Self.window),
                isStopped: callbacks.isStopped,
                work: { index in
                    let item = work[index]
                    return PhotoOutcome(item: item, result: reader.outcome(of: item, contents))
                },
                meanwhile: {
                    if !beginsFirst { try begin(plan, contents, roots) }
                    writer.start(othersBefore: report.others)
                },
                sink: { outcome in
                    if case .unwritable(let error) = outcome.result { throw error }
                    writer.add(outcome)
                    // The last ones wait for what is missing: one transaction holds both.
                    if report.done + writer.count == work.count { return }
                    if writer.isDue { try writer.flush(into: &self) }
                })
        } catch {
            // Finished photos are saved if the store can still be written.
            try? writer.flush(into: &self)
            throw error
        }
        report.wasStopped = report.done + writer.count < work.count
        try writer.flush(into: &self, marksMissing: !report.wasStopped)
        if !report.wasStopped {
            while contents.hasMissing { try writer.flush(into: &self, marksMissing: true) }
        }
    }

    /// Photos that may be done and not written: as many as the workers do while a batch is being written,
    /// small ones too. 20 KB each, or a preview's size.
    private static let window = 256

    mutating func fail(_ path: BytePath, _ reason: String) {
        report.failed += 1
        callbacks.onProblem(path, reason)
    }

    private mutating func problem(_ path: BytePath, _ reason: String) {
        report.problems += 1
        callbacks.onProblem(path, reason)
    }
}

/// The outcome of a file.
struct PhotoOutcome: Sendable {
    let item: IngestPlan.Item
    let result: PhotoReader.Outcome
}
