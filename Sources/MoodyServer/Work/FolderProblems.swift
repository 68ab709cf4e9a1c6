import Glibc
import MoodyIngest
import MoodyModel
import Synchronization

/// The problems of the watched folders, for as long as they last: the newest 100.
final class FolderProblems: Sendable {
    struct Problem: Sendable, Equatable {
        /// The last part of the path, for people.
        let name: String
        let reason: String
        /// Whether the file can be read by now, or is gone.
        var isSolved = false
        /// The number of changes of the list up to this one; 0 in the list itself.
        var revision: UInt64 = 0
        var fields: [(String, JSON)] {
            [("name", .string(name)), ("reason", .string(reason))] + (isSolved ? [("solved", true)] : [])
                + (revision > 0 ? [("revision", .number(Int64(clamping: revision)))] : [])
        }
    }

    private struct Known {
        /// As the user would write it; nil for what concerns all folders.
        let path: BytePath?
        let problem: Problem
        let look: Look
    }

    /// What is at a path, as far as that says whether a problem lasts: a file's ends when the file is read.
    private enum Look {
        /// Nothing, or an empty folder, as where a disk was.
        case nothing
        case file, folder, unreadable

        init(at path: BytePath) {
            do throws(FileError) {
                guard try FileStatus(at: path).kind == .folder else {
                    self = .file
                    return
                }
                self = try path.entries().isEmpty ? .nothing : .folder
            } catch { self = [ENOENT, ENOTDIR].contains(error.code) ? .nothing : .unreadable }
        }
    }

    private struct State {
        var known: [Known] = []
        var revision: UInt64 = 0
    }

    private static let most = 100

    private let state = Mutex<State>(State())
    private let tell: @Sendable (Problem) -> Void

    /// - Parameter tell: called with each problem, and again when it is solved.
    init(_ tell: @escaping @Sendable (Problem) -> Void) { self.tell = tell }

    /// The problems, and the number of changes that led to them.
    var all: (problems: [Problem], revision: UInt64) {
        state.withLock { ($0.known.map(\.problem), $0.revision) }
    }

    /// The number of changes so far.
    var revision: UInt64 { state.withLock { $0.revision } }

    /// Adds a problem in the place of an earlier one of the same path.
    ///
    /// - Parameters:
    ///   - path: what has the problem; nil for all folders.
    ///   - isRoot: whether it is a folder that is watched, whose problem may be that it is gone.
    func add(_ problem: Problem, of path: BytePath?, isRoot: Bool = false) {
        let look = path.map { Look(at: $0) } ?? .unreadable
        // Gone since it was read.
        if look == .nothing, !isRoot { return solve(path) }
        if state.withLock({ $0.known.contains { $0.path == path && $0.problem.reason == problem.reason } }) {
            return
        }
        solve(path)
        let told = state.withLock { state in
            state.revision += 1
            state.known.append(Known(path: path, problem: problem, look: look))
            state.known.removeFirst(max(0, state.known.count - Self.most))
            return state.revision
        }
        tell(Problem(name: problem.name, reason: problem.reason, revision: told))
    }

    /// Drops the problem of what can be read by now.
    func solve(_ path: BytePath?) { solve { $0.path == path } }

    private func solve(_ isSolved: (Known) -> Bool) {
        let solved = state.withLock { state -> [Problem] in
            let solved = state.known.filter(isSolved)
            state.known.removeAll(where: isSolved)
            return solved.map { known in
                state.revision += 1
                return Problem(
                    name: known.problem.name, reason: known.problem.reason, isSolved: true,
                    revision: state.revision)
            }
        }
        for problem in solved { tell(problem) }
    }

    /// Drops the problems of files that are gone, and of folders that are there again or can be read by now.
    func lookAgain() {
        let paths = Set(state.withLock { $0.known.compactMap(\.path) })
        let looks = Dictionary(uniqueKeysWithValues: paths.map { ($0, Look(at: $0)) })
        solve { known in
            guard let path = known.path, let look = looks[path] else { return false }
            return look != known.look
        }
    }
}
