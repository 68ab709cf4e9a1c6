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
    private var store: IngestStore
    let inputs: IngestInputs
    var report = IngestReport()
    /// Whether anything was committed.
    var hasWritten = false
    /// Tells what is missing; made when the store's folders are known.
    var presence = Presence(named: [])
    /// Files that came back during the run, and have not been read.
    var late: [BytePath] = []
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
        case .there(let stack):
            stored = try inputs.stored?.get() ?? catalog(of: stack, asking: request)
            roots = try SearchRoots(searched: found.searched, in: stack.coordinator)
        case .new: (stored, roots) = (PhotoCatalog(), SearchRoots(searched: found.searched))
        }
        countsCountries = !stored.isWhole
        presence = Presence(
            named: found.searched + found.away, remembered: roots.all, filter: options.filter)
        let plan = try IngestPlan(inputs, stored, options, presence)
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
        }
        report.missingBefore += contents.missingBefore
        for folder in plan.emptyRoots {
            problem(folder.description, "nothing found in it; nothing below it was marked missing")
        }
        return (report, plan.unsettled + late)
    }

    /// The photos that the files of this run may concern: all, unless the run is about a few places.
    private func catalog(of stack: DataStack, asking request: PaletteRequest) throws -> PhotoCatalog {
        guard let places = inputs.found.places, places.count <= PhotoCatalog.mostPlaces, !options.isDryRun
        else { return try PhotoCatalog(in: stack, asking: request) }
        return try PhotoCatalog(at: places, in: stack, asking: request)
    }

    /// The store; one that is not there yet is made now.
    mutating func openStore() throws -> DataStack {
        switch store {
        case .there(let stack): return stack
        case .new(let make):
            let stack = try make()
            store = .there(stack)
            return stack
        }
    }

    /// Prepares the store before the first photo.
    private mutating func begin(
        _ plan: IngestPlan, _ contents: ContentIndex, _ roots: SearchRoots
    ) throws {
        let stack = try openStore()
        try retryingConflicts { try PaletteHashes.repair(in: stack) }
        // A killed server leaves marks that no undo can reach any more. A search for them reads every mood, so a
        // run over a few files leaves it to the next run over folders.
        if plan.stored.isWhole {
            let due = Date() - DataStack.markLifetime
            _ = try retryingConflicts { try stack.purgeMarks(before: due) }
        }
        try tell(plan)
        if !plan.work.isEmpty || contents.hasMissing { try callbacks.willWrite(stack) }
        try retryingConflicts { try roots.keep(in: stack.coordinator) }
        if !PaletteRequest(options.settings.palette).leftOut.isEmpty {
            try retryingConflicts { try LeftOutMark.set(in: stack) }
        }
    }

    /// Says what is known before any file is opened.
    private mutating func tell(_ plan: IngestPlan) throws {
        for (path, error) in inputs.found.problems {
            if inputs.named.contains(path), (try? FileStatus(at: path))?.kind != .folder {
                fail(path.description, error.description)
            } else {
                problem(path.description, error.description)
            }
        }
        try count(plan)
    }

    private mutating func count(_ plan: IngestPlan) throws {
        report.others += inputs.found.others
        report.unchanged += plan.unchanged
        report.unsettled = plan.unsettled.count
        for path in inputs.found.otherPaths { callbacks.onPassedOver(path.description, .other) }
        let wantsAll = callbacks.wantsAllPassedOver
        for (file, verdict) in plan.verdicts {
            let shown = file.shown.description
            switch verdict {
            // A file that the user named is no other file and no old story: its reason is named again.
            case .other where file.isNamed: count(.failed(reason: "\(ImageError.unknownFormat)"), file)
            case .failedBefore where file.isNamed: count(.failed(reason: try failure(of: file)), file)
            default: report.count(verdict)
            }
            switch verdict {
            case .other where wantsAll && !file.isNamed: callbacks.onPassedOver(shown, .other)
            case .failedBefore where wantsAll && !file.isNamed: callbacks.onPassedOver(shown, .failedBefore)
            case .leftOut where wantsAll || file.isNamed: callbacks.onPassedOver(shown, .leftOut)
            default: break
            }
        }
    }

    /// Why a file failed in an earlier run, as the store has it.
    private func failure(of file: FoundFile) throws -> String {
        guard case .there(let stack) = store else { return "failed before" }
        let reason = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest(Photo.filter(uniqueID: file.place))).first?.failure
        }
        return reason ?? "failed before"
    }

    /// Reads the photos that need it and writes what became of them; last, what was not found any more.
    ///
    /// The first photos are being read while the store is made and the list of moods is fetched.
    private mutating func work(_ plan: IngestPlan, _ contents: ContentIndex, _ roots: SearchRoots) throws {
        // Previews are put beside the store by those who read.
        var hasBegun = false
        if options.settings.previewSide != nil {
            try begin(plan, contents, roots)
            hasBegun = true
        }
        var coordinator: PersistentStoreCoordinator?
        if case .there(let stack) = store { coordinator = stack.coordinator }
        let reader = PhotoReader(settings: options.settings, coordinator: coordinator, read: read)
        var batch: [PhotoOutcome] = [], begun = Date()
        var others = report.others
        report.planned = plan.work.count
        callbacks.onProgress(0, report.planned, 0)
        func flush(_ run: inout IngestRun, isLast: Bool = false) throws {
            let (all, count) = (batch, batch.count)
            batch = []
            try run.write(all, contents, reader, losing: isLast)
            run.report.done += count
            let photos = run.report.done - (run.report.others - others)
            run.callbacks.onProgress(run.report.done, run.report.planned, photos)
            begun = Date()
        }
        let items = plan.work, jobs = max(options.jobs, 1)
        do {
            try pipeline(
                count: items.count, width: jobs, window: max(jobs * 4, Self.window),
                isStopped: callbacks.isStopped,
                work: { index in
                    PhotoOutcome(item: items[index], result: reader.outcome(of: items[index], contents))
                },
                meanwhile: {
                    if !hasBegun { try begin(plan, contents, roots) }
                    (others, begun) = (report.others, Date())
                },
                sink: { outcome in
                    if case .unwritable(let error) = outcome.result { throw error }
                    batch.append(outcome)
                    // The last ones wait for what is missing: one transaction holds both.
                    if report.done + batch.count == items.count { return }
                    let isFull =
                        batch.count >= inputs.batchSize || Date().timeIntervalSince(begun) >= inputs.batchTime
                    if isFull { try flush(&self) }
                })
        } catch {
            // Finished photos are saved if the store can still be written.
            try? flush(&self)
            throw error
        }
        report.wasStopped = report.done + batch.count < items.count
        try flush(&self, isLast: !report.wasStopped)
        if !report.wasStopped { while contents.hasMissing { try flush(&self, isLast: true) } }
    }

    /// Photos that may be done and not written: as many as the workers do while a batch is being written,
    /// small ones too. 20 KB each, or a preview's size.
    private static let window = 64

    mutating func fail(_ path: String, _ reason: String) {
        report.failed += 1
        callbacks.onProblem(path, reason)
    }

    private mutating func problem(_ path: String, _ reason: String) {
        report.problems += 1
        callbacks.onProblem(path, reason)
    }
}

/// The outcome of a file.
struct PhotoOutcome: Sendable {
    let item: IngestPlan.Item
    let result: PhotoReader.Outcome
}
