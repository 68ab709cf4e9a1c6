import DataStacks
import Foundation
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

    struct Problem: Sendable, Equatable {
        /// The last part of the path, for people.
        let name: String
        let reason: String
        var fields: [(String, JSON)] { [("name", .string(name)), ("reason", .string(reason))] }
    }

    enum News: Sendable {
        case progress(Progress), problem(Problem), note(String)
        /// The watch ended by itself, for this reason.
        case ended(any Error)
    }

    private struct State {
        var progress: Progress?
        var problems: [Problem] = []
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

    /// Problems that are kept for those who come later.
    private static let mostProblems = 100

    /// - Parameters:
    ///   - showsPaths: whether progress names the folders as the user did, or by their last parts.
    ///   - isBusy: whether a file is being taken in otherwise.
    ///   - problem: told of each problem with its whole path: for the log.
    ///   - tell: called on the desk's thread.
    init(
        _ folders: [BytePath], _ stack: DataStack, options: @escaping @Sendable () throws -> IngestOptions,
        showsPaths: Bool, isBusy: @escaping @Sendable (BytePath) -> Bool,
        problem: @escaping @Sendable (String, String) -> Void, tell: @escaping @Sendable (News) -> Void
    ) {
        (self.folders, self.stack, self.options) = (folders, stack, options)
        (self.problem, self.tell, self.isBusy, self.showsPaths) = (problem, tell, isBusy, showsPaths)
    }

    var progress: Progress? { state.withLock { $0.progress } }
    var problems: [Problem] { state.withLock { $0.problems } }

    func start() {
        ended.enter()
        Thread.detachNewThread { [self] in
            defer { ended.leave() }
            do { try watch() } catch { tell(.ended(error)) }
        }
    }

    /// Ends the watch, and waits until the photos under way are kept.
    func stop() {
        state.withLock { $0.isStopped = true }
        bell.ring()
        ended.wait()
    }

    private func watch() throws {
        var callbacks = IngestCallbacks()
        callbacks.onProblem = { [self] path, reason in
            problem(path, reason)
            let name = path.split(separator: "/").last.map(String.init) ?? path
            add(Problem(name: name, reason: reason))
        }
        callbacks.onProgress = { [self] done, planned, photos in progress(done, planned, photos) }
        callbacks.isStopped = { [self] in state.withLock { $0.isStopped } }
        let ingest = Ingest(stack: stack, options: try options(), callbacks: callbacks)
        var watch = Watch(ingest: ingest, bell: bell)
        watch.willRun = { [options] current in
            let now = try options()
            (current.settings, current.filter) = (now.settings, now.filter)
        }
        watch.isBusy = isBusy
        watch.onNote = { [tell] in tell(.note($0)) }
        watch.onRun = { [self] report in
            finish()
            tell(.note("\(report)"))
        }
        _ = try watch.run(folders)
    }

    private func add(_ problem: Problem) {
        state.withLock { state in
            state.problems.append(problem)
            state.problems.removeFirst(max(0, state.problems.count - Self.mostProblems))
        }
        tell(.problem(problem))
    }

    private func progress(_ done: Int, _ planned: Int, _ photos: Int) {
        guard planned > 0 else { return }
        let news = state.withLock { state -> Progress? in
            let now = ContinuousClock.now
            if done == 0 { state.began = now }
            let seconds = (now - state.began) / .seconds(1)
            let left = done > 0 ? Int((Double(planned - done) / Double(done) * seconds).rounded(.up)) : nil
            let names = folders.map { showsPaths ? $0.description : BytePath($0.name).description }.joined(
                separator: ", ")
            let progress = Progress(
                folder: names, done: done, planned: planned, photos: photos, left: left)
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
