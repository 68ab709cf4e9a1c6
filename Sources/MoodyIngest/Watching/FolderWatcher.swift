import Dispatch
import Foundation
import Glibc
import MoodyModel
import Synchronization

/// Hears what changes in folders and everything below, and remembers it until it is asked.
final class FolderWatcher: Sendable {
    /// The events since the last call.
    struct News {
        /// Files that are whole now, folders that came, and what went: paths from the root.
        var changed: Set<BytePath> = []
        /// Files of which something changed, and that another program may still write to.
        var touched: Set<BytePath> = []
        /// Files whose bytes changed and that were not closed since: open elsewhere, or cut by truncate(2).
        /// Each is named at most once per second.
        var modified: Set<BytePath> = []
        /// Folders that were moved here: their files were written before.
        var moved: [BytePath] = []
        /// The kernel had no room for all events: only a look at everything tells what happened.
        var hasOverflowed = false
        /// Folders that were named and are gone.
        var gone: [FoundFolder] = []
        /// A folder could not be watched, and its news are not heard.
        var failure: FileError?

        var isEmpty: Bool {
            changed.isEmpty && touched.isEmpty && modified.isEmpty && !hasOverflowed && gone.isEmpty
                && failure == nil
        }
    }

    private struct State {
        var news = News()
        var folders: [Int32: BytePath] = [:]
        /// Files with other names, elsewhere it may be: what is done by those the folder does not hear of.
        var linked: [Int32: Set<BytePath>] = [:]
        /// The numbers of those files by their names here.
        var numbers: [BytePath: Int32] = [:]
        /// Files that were reported as modified within the last second, and when.
        var reported: [BytePath: ContinuousClock.Instant] = [:]
        var roots: [FoundFolder]
        var source: Source?
    }

    /// @unchecked Sendable: a dispatch source may be used from any thread, and this one is only kept and
    /// ended.
    private struct Source: @unchecked Sendable { let source: any DispatchSourceRead }

    private let inotify: Inotify
    private let filter: FileFilter
    private let skipped: Set<BytePath>
    private let bell: WakeupSignal
    private let state: Mutex<State>

    /// Watches from now on.
    ///
    /// - Parameter bell: rung when there is news.
    /// - Throws: ``FileError`` when a folder cannot be watched.
    init(_ roots: [FoundFolder], filter: FileFilter, skipping skipped: Set<BytePath>, bell: WakeupSignal)
        throws(FileError)
    {
        inotify = try Inotify()
        (self.filter, self.skipped, self.bell) = (filter, skipped, bell)
        state = Mutex(State(roots: roots))
        let failure = state.withLock { state in
            for root in roots { watch([root.path], &state) }
            return state.news.failure
        }
        if let failure { throw failure }
        // Not the global queue, whose threads an ingest may all keep: the kernel would run out of room for
        // events.
        let queue = DispatchQueue(label: "moody.folders")
        let source = DispatchSource.makeReadSource(fileDescriptor: inotify.file, queue: queue)
        source.setEventHandler { [weak self] in self?.listen() }
        // Keeps the descriptor open until the source has let go of it.
        source.setCancelHandler { [inotify] in _ = inotify }
        source.resume()
        let kept = Source(source: source)
        state.withLock { $0.source = kept }
    }

    deinit { state.withLock { $0.source?.source.cancel() } }

    /// How many folders are watched.
    var count: Int { state.withLock { $0.folders.count } }

    func consumeNews() -> News {
        state.withLock { state in
            defer { state.news = News() }
            return state.news
        }
    }

    /// Each folder is watched before it is looked into: what comes in between is seen twice, never missed.
    private func watch(_ paths: [BytePath], _ state: inout State) {
        var folders: [(Int32, BytePath)] = [], linked: [(Int32, BytePath)] = [], failure: FileError?
        func watch(_ path: BytePath, _ list: inout [(Int32, BytePath)], _ kind: FileStatus.Kind) {
            do throws(FileError) { list.append((try inotify.watch(path, kind), path)) } catch {
                // Gone again, or not ours to look into: the ingest says what there is to say.
                if ![ENOENT, ENOTDIR, EACCES, ENAMETOOLONG, ELOOP].contains(error.code) {
                    failure = failure ?? error
                }
            }
        }
        _ = FileFinder.find(
            changed: paths, below: state.roots, filter: filter, skipping: skipped,
            onFolder: { watch($0.path, &folders, .folder) }, onLinked: { watch($0, &linked, .regular) })
        for (number, path) in folders { state.folders[number] = path }
        for (number, path) in linked {
            state.linked[number, default: []].insert(path)
            state.numbers[path] = number
        }
        if let failure { state.news.failure = failure }
    }

    private func listen() { hear(inotify.read()) }

    /// Takes in what happened; internal, so that a test can say what the kernel says but seldom.
    func hear(_ events: [Inotify.Event]) {
        let hasNews = state.withLock { state in
            // A file that is being written to says so again and again.
            var modified: Set<BytePath> = []
            for event in events {
                if event.has(Int(IN_MODIFY)) {
                    if let folder = state.folders[event.folder], !event.name.isEmpty {
                        modified.insert(folder.appending(event.name))
                    }
                    modified.formUnion(state.linked[event.folder] ?? [])
                } else {
                    apply(event, &state)
                }
            }
            report(modified, &state)
            return !state.news.isEmpty
        }
        if hasNews { bell.ring() }
    }

    /// A program that writes all the time would otherwise wake the watch each time.
    private func report(_ modified: Set<BytePath>, _ state: inout State) {
        let now = ContinuousClock.now
        state.reported = state.reported.filter { now - $0.value < .seconds(1) }
        for path in modified where state.reported[path] == nil {
            state.reported[path] = now
            state.news.modified.insert(path)
        }
    }

    /// Watches a folder too, as one that was gone and is back.
    func watch(_ root: FoundFolder) {
        let hasNews = state.withLock { state in
            state.roots.append(root)
            watch([root.path], &state)
            return !state.news.isEmpty
        }
        if hasNews { bell.ring() }
    }

    private func apply(_ event: Inotify.Event, _ state: inout State) {
        if event.has(Int(IN_Q_OVERFLOW)) {
            state.news.hasOverflowed = true
            // Folders that came are among what was not told. To watch one twice is to watch it once.
            watch(state.roots.map(\.path), &state)
            return
        }
        if let paths = state.linked[event.folder] {
            if event.has(Int(IN_CLOSE_WRITE)) { state.news.changed.formUnion(paths) }
            if event.has(Int(IN_ATTRIB)) { state.news.touched.formUnion(paths) }
            if event.has(Int(IN_IGNORED)) { state.linked[event.folder] = nil }
            return
        }
        guard let folder = state.folders[event.folder] else { return }
        if event.has(Int(IN_DELETE_SELF), Int(IN_MOVE_SELF), Int(IN_UNMOUNT)) {
            if let index = state.roots.firstIndex(where: { $0.path == folder }) {
                state.news.gone.append(state.roots.remove(at: index))
                // Moved away, it would go on telling of itself by its old path.
                forget(folder, &state)
            }
        }
        if event.has(Int(IN_IGNORED)) { state.folders[event.folder] = nil }
        if event.name.isEmpty { return }
        let path = folder.appending(event.name)
        if event.has(Int(IN_MOVED_FROM), Int(IN_DELETE)) {
            if let number = state.numbers.removeValue(forKey: path) { state.linked[number]?.remove(path) }
            if event.isAboutFolder { forget(path, &state) }
            state.news.changed.insert(path)
        } else if event.isAboutFolder {
            watch([path], &state)
            if event.has(Int(IN_MOVED_TO)) { state.news.moved.append(path) }
            state.news.changed.insert(path)
        } else {
            let status = try? FileStatus(at: path, followingLinks: false)
            let isLinked = status?.kind == .regular && status?.links ?? 1 > 1
            // A new name for what was there before, by link(2) or symlink(2): nobody will close it. The other
            // name may be gone by now, as rsync's --backup has it: what is being written is not old.
            let isOld = status.map { Self.isOld($0.file.mtimeNs) } ?? false
            let isNewName = event.has(Int(IN_CREATE)) && status?.kind == .regular && isOld
            if event.has(Int(IN_CLOSE_WRITE), Int(IN_MOVED_TO)) || status?.kind == .link || isLinked
                || isNewName
            {
                state.news.changed.insert(path)
            } else if event.has(Int(IN_ATTRIB)) {
                // Times alone, or rights.
                state.news.touched.insert(path)
            }
            if isLinked, event.has(Int(IN_CREATE), Int(IN_MOVED_TO)) { watch([path], &state) }
        }
    }

    private static func isOld(_ time: Int64) -> Bool {
        Double(time) / 1e9 < Date().timeIntervalSince1970 - 2
    }

    private func forget(_ folder: BytePath, _ state: inout State) {
        for (path, number) in state.numbers where path.isBelow(folder) {
            state.numbers[path] = nil
            state.linked[number]?.remove(path)
        }
        for (number, path) in state.folders where path.isBelow(folder) {
            inotify.forget(number)
            state.folders[number] = nil
        }
    }
}
