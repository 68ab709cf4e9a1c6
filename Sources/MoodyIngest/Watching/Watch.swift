import Foundation

/// Keeps a store up to date with folders: an ingest of everything first, then one for each burst of changes.
///
/// Where the kernel tells of changes, what changed is looked at and nothing else; elsewhere (network file
/// systems, too many folders) everything is looked at every few seconds. Files that are still being written
/// are left until they are whole.
package struct Watch {
    /// How photos are read. Its filter says which folders are watched.
    package var ingest: Ingest
    /// Seconds between looks at everything; nil to look when the kernel tells of changes.
    package var pollSeconds: Double?
    /// Ends once nothing is left to do, instead of staying.
    package var endsWhenSettled = false
    /// Told what a user should know of how the folders are watched.
    package var onNote: (String) -> Void = { _ in }
    /// Called before each run, with its options: those that another process has changed in the store
    /// meanwhile may be changed here. What it throws ends the watch.
    package var willRun: (inout IngestOptions) throws -> Void = { _ in }
    /// Told of the first run, and of each that found something to do; what it throws ends the watch.
    package var onRun: (IngestReport) throws -> Void = { _ in }
    /// Whether another part of the program is reading a file, as an upload: the file is left for a later
    /// look.
    package var isBusy: (BytePath) -> Bool = { _ in false }
    /// To be rung when `ingest.callbacks.isStopped` has become true.
    package let bell: WakeupSignal

    /// Seconds without news that end a burst, and seconds that a burst takes at most.
    private static let quiet = 0.3, longest = 5.0
    /// Seconds between looks where nobody tells of changes.
    private static let usualPoll = 10.0

    /// Seconds between looks for a folder that is gone.
    private static let returnPoll = 1.0

    private var roots: [FoundFolder] = []
    /// What is mounted where, as far as it was taken in.
    private var mounts = MountTable.current()
    /// Where something was unmounted below a root: what lay there is not missing.
    private var unmounted: Set<BytePath> = []
    /// Folders that were named, and were there once.
    private var gone: [FoundFolder] = []
    private var settling = FileSettling()
    /// Files that were written to and not closed since, as far as is known.
    private var open: Set<BytePath> = []
    private var unsettled: Set<BytePath> = []
    private var isComplete = true
    /// Whether an end was asked for before everything that was found was read.
    package private(set) var wasStopped = false
    /// The files that `recompute` and the like are still meant for; nil for all.
    private var askedAnew: Set<BytePath>?

    package init(ingest: Ingest, bell: WakeupSignal) { (self.ingest, self.bell) = (ingest, bell) }

    /// Watches until `ingest.callbacks.isStopped`, or until nothing is left to do. Called again after an
    /// error, it goes on with what it knew of folders that are gone.
    ///
    /// - Returns: whether everything that was found could be read.
    /// - Throws: ``StoreError``, and what `onRun` throws.
    package mutating func run(_ folders: [BytePath]) throws -> Bool {
        if roots.isEmpty, gone.isEmpty {
            for folder in folders { name(folder) }
            if roots.isEmpty { return false }
        } else {
            _ = takeInMounts()
            _ = regain(nil)
        }
        // Without /proc nothing is heard of mounts.
        let mountNews = try? MountNews(bell: bell)
        let askedPoll = pollSeconds
        var watcher = startWatcher()
        let told = ingest.callbacks.onProblem
        defer { ingest.callbacks.onProblem = told }
        // A look at everything meets the same unreadable folder each time: once is enough, as long as it
        // stays unreadable.
        var said: Set<[UInt8]> = [], saying: Set<[UInt8]> = []
        ingest.callbacks.onProblem = {
            let problem = $0.bytes + [0] + Array($1.utf8)
            saying.insert(problem)
            if said.insert(problem).inserted { told($0, $1) }
        }
        try willRun(&ingest.options)
        if !roots.isEmpty { try sweep(isFirst: true) }
        if !endsWhenSettled, !ingest.callbacks.isStopped() { onNote("watching \(shownRoots)") }
        while !ingest.callbacks.isStopped() {
            let news = wait(for: watcher)
            if ingest.callbacks.isStopped() { break }
            let isMounted = mountNews?.consumeNews() == true && takeInMounts()
            if isMounted {
                // What was watched may lie under something now, and what is new may be of a kind that tells
                // nothing.
                pollSeconds = askedPoll
                watcher = startWatcher()
            }
            if let news {
                for root in news.gone { markMissing(root, told) }
                let isBack = regain(watcher)
                if news.isEmpty && unsettled.isEmpty && !isBack && !isMounted {
                    if endsWhenSettled { break } else { continue }
                }
                said = []
                if roots.isEmpty { if endsWhenSettled { break } else { continue } }
                if let failure = news.failure {
                    (watcher, pollSeconds) = (nil, Self.usualPoll)
                    (roots, gone) = (roots + gone, [])
                    onNote("a folder cannot be watched (\(Inotify.reason(for: failure))): \(everySoOften)")
                }
                if news.hasOverflowed {
                    onNote("changes came faster than they were told: looking at everything")
                }
                let filter = ingest.options.filter
                try willRun(&ingest.options)
                let isOtherFilter = ingest.options.filter != filter
                if isOtherFilter, watcher != nil { watcher = startWatcher() }
                let looksAtAll =
                    news.hasOverflowed || news.failure != nil || isBack || isOtherFilter || isMounted
                if looksAtAll { try sweep() } else { try burst(news) }
            } else {
                saying = []
                _ = regain(watcher)
                try willRun(&ingest.options)
                try sweep()
                said = saying
                if endsWhenSettled && unsettled.isEmpty { break }
            }
        }
        return isComplete
    }

    private mutating func name(_ folder: BytePath) {
        do throws(FileError) {
            guard try FileStatus(at: folder).kind == .folder else { throw FileError(code: ENOTDIR) }
            roots.append(FoundFolder(path: try folder.resolved(), shown: folder))
        } catch {
            ingest.callbacks.onProblem(folder, error.description)
            isComplete = false
        }
    }

    private var away: [BytePath] { gone.map(\.path) + unmounted }

    private mutating func markMissing(_ root: FoundFolder, _ tell: (BytePath, String) -> Void) {
        if gone.contains(where: { $0.path == root.path }) { return }
        tell(root.shown, "the folder is gone; nothing below it was marked missing")
        roots.removeAll { $0.path == root.path }
        gone.append(root)
        isComplete = false
    }

    /// Looks whether a folder that was gone is back, as a disk that is plugged in again. Where a disk was, an
    /// empty folder may be left, or one with a file that says so: one that holds nothing is not back yet, nor
    /// is one whose disk was unmounted and has not come back.
    private mutating func regain(_ watcher: FolderWatcher?) -> Bool {
        var isBack = false
        for root in gone where !isUnmounted(root) && (try? root.path.entries())?.isEmpty == false {
            gone.removeAll { $0 === root }
            roots.append(root)
            watcher?.watch(root)
            onNote("\(root.shown.description) is back")
            isBack = true
        }
        return isBack
    }

    /// Whether something was mounted or unmounted at a root, on the way to one, or below one; says what.
    private mutating func takeInMounts() -> Bool {
        let current = MountTable.current()
        var changes: Set<BytePath> = []
        for root in roots + gone {
            changes.formUnion(current.changes(since: mounts, around: root.path))
        }
        for point in changes.sorted(by: { $0.bytes.lexicographicallyPrecedes($1.bytes) }) {
            let isMount = current.isMounted(point)
            if isMount {
                unmounted = unmounted.filter { !$0.isBelow(point) }
            } else {
                unmounted.insert(point)
            }
            onNote(
                isMount
                    ? "\(point) was mounted: looking at everything"
                    : "\(point) was unmounted; nothing below it was marked missing")
        }
        mounts = current
        gone += roots.filter(isUnmounted)
        roots.removeAll(where: isUnmounted)
        return !changes.isEmpty
    }

    private func isUnmounted(_ root: FoundFolder) -> Bool {
        unmounted.contains { root.path.isBelow($0) }
    }

    private var shownRoots: String { roots.map(\.shown.description).joined(separator: ", ") }
    private var everySoOften: String { "looking every \(pollSeconds ?? Self.usualPoll) s" }

    /// Nil where everything is looked at again and again instead, which is said.
    private mutating func startWatcher() -> FolderWatcher? {
        if pollSeconds != nil { return nil }
        for root in roots {
            guard let type = mounts.types(around: root.path).first(where: MountTable.isRemote) else {
                continue
            }
            pollSeconds = Self.usualPoll
            onNote(
                "\(root.shown.description) is on a file system that does not tell of changes (\(type)): "
                    + "\(everySoOften)"
            )
            return nil
        }
        do throws(FileError) {
            return try FolderWatcher(
                roots, filter: ingest.options.filter, skipping: ingest.options.skipped, bell: bell)
        } catch {
            pollSeconds = Self.usualPoll
            onNote("the folders cannot be watched (\(Inotify.reason(for: error))): \(everySoOften)")
            return nil
        }
    }

    /// Waits for a burst and for its end. Nil: it is time to look at everything.
    private mutating func wait(for watcher: FolderWatcher?) -> FolderWatcher.News? {
        guard let watcher else {
            // A file that is being written is looked at again sooner.
            bell.wait(seconds: unsettled.isEmpty ? pollSeconds : min(FileSettling.quiet, pollSeconds ?? 1))
            return nil
        }
        bell.wait(
            seconds: !unsettled.isEmpty
                ? FileSettling.quiet
                : endsWhenSettled ? Self.quiet : !gone.isEmpty ? Self.returnPoll : nil)
        var news = watcher.consumeNews()
        let begun = Date()
        while !news.isEmpty && !ingest.callbacks.isStopped() && Date().timeIntervalSince(begun) < Self.longest
        {
            bell.wait(seconds: Self.quiet)
            let more = watcher.consumeNews()
            if more.isEmpty { break }
            news.add(more)
        }
        return news
    }

    private mutating func sweep(isFirst: Bool = false) throws {
        var found = FileFinder.find(
            roots.map(\.shown), filter: ingest.options.filter, skipping: ingest.options.skipped,
            namingOthers: isFirst && ingest.callbacks.wantsAllSkips)
        found.away += away
        try run(IngestInputs(found: found), isFirst: isFirst) { _ in false }
    }

    /// Makes one run, usually with one save.
    private mutating func burst(_ news: FolderWatcher.News) throws {
        open = open.union(news.modified).subtracting(news.changed)
        let found = FileFinder.find(
            changed: Array(news.changed.union(news.touched).union(news.modified).union(unsettled)),
            below: roots,
            away: away, filter: ingest.options.filter, skipping: ingest.options.skipped)
        var inputs = IngestInputs(found: found)
        // Whatever the burst brought goes into one transaction, as far as memory allows.
        (inputs.batchSize, inputs.batchTime) = (512, .infinity)
        try run(inputs) { path in
            news.changed.contains(path) || news.moved.contains { path.isBelow($0) }
        }
    }

    /// - Parameter isWhole: whether a file was closed or moved: nobody writes to it.
    private mutating func run(
        _ inputs: IngestInputs, isFirst: Bool = false, isWhole: @escaping (BytePath) -> Bool
    ) throws {
        var inputs = inputs, settling = settling
        inputs.askedAnew = askedAnew
        inputs.isSettled = { [isBusy, open] file in
            let quiet = open.contains(file.path) ? FileSettling.quietWhileOpen : FileSettling.quiet
            return !isBusy(file.path)
                && (isWhole(file.path) || settling.isSettled(file.path, file.file, quiet: quiet))
        }
        let (report, unsettled) = try ingest.run(inputs)
        settling.keep(only: Set(unsettled))
        self.settling = settling
        self.unsettled = Set(unsettled)
        open.formIntersection(unsettled)
        wasStopped = report.wasStopped
        isComplete = isComplete && report.isComplete
        // Asked of what there was at first, once: of those that were not whole yet when they are.
        askedAnew = askedAnew.map(self.unsettled.intersection) ?? self.unsettled
        if report.hasChanges || (isFirst && unsettled.isEmpty) { try onRun(report) }
    }
}

extension FolderWatcher.News {
    mutating func add(_ more: Self) {
        changed.formUnion(more.changed)
        touched.formUnion(more.touched)
        modified.formUnion(more.modified)
        moved += more.moved
        hasOverflowed = hasOverflowed || more.hasOverflowed
        gone += more.gone
        failure = failure ?? more.failure
    }
}
