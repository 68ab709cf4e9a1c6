import DataStacks
import Foundation
import ManagedObjects
import MoodyIngest
import MoodyModel
import Synchronization

/// Keeps the folders up to date on a thread of its own, and tells how far it is.
final class FolderDesk: Sendable {
    struct Progress: Sendable, Equatable {
        /// The folders, as the user named them.
        let folder: String
        let done: Int, planned: Int, photos: Int
        /// Seconds; nil while nobody can know.
        let left: Int?

        var fields: [(String, JSON)] {
            [
                ("folder", .string(folder)), ("done", .number(Int64(done))),
                ("planned", .number(Int64(planned))), ("photos", .number(Int64(photos))),
                ("left", left.map { .number(Int64($0)) } ?? .null),
            ]
        }
    }

    enum News: Sendable {
        case progress(Progress), problem(FolderProblems.Problem), note(String)
        /// The watch ended by itself, for this reason.
        case ended(any Error)
    }

    private struct State {
        var progress: Progress?
        var told: ContinuousClock.Instant?
        var began = ContinuousClock.now
        var isStopped = false
    }

    private let folders: [BytePath]
    private let stack: DataStack
    private let options: @Sendable () throws -> IngestOptions
    private let isBusy: @Sendable (BytePath) -> Bool
    private let showsPaths: Bool
    private let tell: @Sendable (News) -> Void
    private let problem: @Sendable (String, String) -> Void
    private let state = Mutex<State>(State())
    private let bell = WakeupSignal()
    private let ended = DispatchGroup()

    let problems: FolderProblems
    /// Seconds until a watch that failed is tried again.
    private let pause: Double

    /// - Parameters:
    ///   - showsPaths: whether progress names the folders as the user did, or by their last parts.
    ///   - isBusy: whether a file is being taken in otherwise.
    ///   - problem: told of each problem with its whole path: for the log.
    ///   - tell: called on the desk's thread.
    init(
        _ folders: [BytePath], _ stack: DataStack, options: @escaping @Sendable () throws -> IngestOptions,
        showsPaths: Bool, pause: Double, isBusy: @escaping @Sendable (BytePath) -> Bool,
        problem: @escaping @Sendable (String, String) -> Void, tell: @escaping @Sendable (News) -> Void
    ) {
        (self.folders, self.stack, self.options) = (folders, stack, options)
        (self.problem, self.tell, self.isBusy, self.showsPaths) = (problem, tell, isBusy, showsPaths)
        self.pause = pause
        problems = FolderProblems { tell(.problem($0)) }
    }

    var progress: Progress? { state.withLock { $0.progress } }

    func start() {
        ended.enter()
        Thread.detachNewThread { [self] in
            defer { ended.leave() }
            do {
                var watch: Watch?
                while try !watchesToTheEnd(&watch) {
                    let end = ContinuousClock.now + .seconds(pause)
                    while !isStopped, ContinuousClock.now < end { bell.wait(seconds: pause) }
                }
            } catch { tell(.ended(error)) }
        }
    }

    private var isStopped: Bool { state.withLock { $0.isStopped } }

    /// - Returns: false when the watch must be begun again, as on a full disk: a gallery goes on showing.
    /// - Throws: what will be no better later.
    private func watchesToTheEnd(_ known: inout Watch?) throws -> Bool {
        do {
            var watch = try known ?? makeWatch()
            defer { known = watch }
            _ = try watch.run(folders)
            return true
        } catch  where Self.mayPass(error) {
            let again = "it is tried again every \(Int(pause.rounded(.up))) s", shown = shownFolders
            problem(shown, "\(error); \(again)")
            problems.add(.init(name: shown, reason: "\(Refusal(of: error)); \(again)"), of: nil)
            finish()
            return isStopped
        }
    }

    /// Whether a later try may go well: a disk that is full has room again, a store that is locked is free.
    private static func mayPass(_ error: any Error) -> Bool {
        if error is FileError { return true }
        return switch StackError(error) {
        case .store(.sqlite(let code, _, _)): ![11, 26].contains(code & 255)  // SQLITE_CORRUPT, SQLITE_NOTADB
        case .store(.file), .store(.inUse): true
        default: false
        }
    }

    private var shownFolders: String {
        folders.map { showsPaths ? $0.description : BytePath($0.name).description }.joined(separator: ", ")
    }

    /// Ends the watch, and waits until the photos under way are kept.
    func stop() {
        state.withLock { $0.isStopped = true }
        bell.ring()
        ended.wait()
    }

    private func makeWatch() throws -> Watch {
        var callbacks = IngestCallbacks()
        callbacks.onProblem = { [self] path, reason in
            problem(path.description, reason)
            let name = displayText(path.name)
            problems.add(.init(name: name, reason: reason), of: path, isRoot: folders.contains(path))
        }
        callbacks.onRead = { [problems] in problems.solve($0) }
        callbacks.onProgress = { [self] done, planned, photos in progress(done, planned, photos) }
        callbacks.isStopped = { [self] in isStopped }
        var first = try options()
        first.keepsMarks = true
        let ingest = Ingest(stack: stack, options: first, callbacks: callbacks)
        var watch = Watch(ingest: ingest, bell: bell)
        watch.willRun = { [options] current in
            let now = try options()
            (current.settings, current.filter) = (now.settings, now.filter)
        }
        watch.isBusy = isBusy
        watch.onNote = { [tell] in tell(.note($0)) }
        watch.onRun = { [self] report in
            finish()
            problems.solve(nil)
            tell(.note("\(report)"))
        }
        return watch
    }

    private func progress(_ done: Int, _ planned: Int, _ photos: Int) {
        guard planned > 0 else { return }
        let news = state.withLock { state -> Progress? in
            let now = ContinuousClock.now
            if done == 0 { state.began = now }
            let seconds = (now - state.began) / .seconds(1)
            let left = done > 0 ? Int((Double(planned - done) / Double(done) * seconds).rounded(.up)) : nil
            let progress = Progress(
                folder: shownFolders, done: done, planned: planned, photos: photos, left: left)
            state.progress = done < planned ? progress : nil
            // Four a second are enough; the last one always counts.
            if done < planned, let told = state.told, now - told < .milliseconds(250) { return nil }
            state.told = now
            return progress
        }
        if let news { tell(.progress(news)) }
    }

    private func finish() {
        state.withLock { ($0.progress, $0.told) = (nil, nil) }
    }
}
