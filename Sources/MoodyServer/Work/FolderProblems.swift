import MoodyIngest
import MoodyModel
import Synchronization

/// The problems of the watched folders, for as long as they last: the newest 100.
final class FolderProblems: Sendable {
    struct Problem: Sendable, Equatable {
        /// The last part of the path, for people.
        let name: String
        let reason: String
        /// Whether the file is gone by now, or another one.
        var isSolved = false
        var fields: [(String, JSON)] {
            [("name", .string(name)), ("reason", .string(reason))] + (isSolved ? [("solved", true)] : [])
        }
    }

    private struct Known {
        let path: String
        let problem: Problem
        /// What the file was like; nil for what is no file.
        let stamp: FileStamp?
        /// When the file was seen to be another one.
        var changed: ContinuousClock.Instant?
    }

    private static let most = 100
    /// Seconds in which a file that was changed is read again.
    private static let settling = 10.0

    private let known = Mutex<[Known]>([])
    private let tell: @Sendable (Problem) -> Void

    /// - Parameter tell: called with each problem, and again when it is solved.
    init(_ tell: @escaping @Sendable (Problem) -> Void) { self.tell = tell }

    var all: [Problem] { known.withLock { $0.map(\.problem) } }

    func add(_ problem: Problem, of path: String) {
        let stamp = Self.stamp(path)
        known.withLock { known in
            known.removeAll { $0.path == path }
            known.append(Known(path: path, problem: problem, stamp: stamp))
            known.removeFirst(max(0, known.count - Self.most))
        }
        tell(problem)
    }

    func solve(_ path: String) { solve { $0.path == path } }

    private func solve(_ isSolved: (Known) -> Bool) {
        let solved = known.withLock { known in
            defer { known.removeAll(where: isSolved) }
            return known.filter(isSolved).map(\.problem)
        }
        for var problem in solved {
            problem.isSolved = true
            tell(problem)
        }
    }

    /// Drops the problems of files that are gone, or have been other files for a while: what is wrong with
    /// those has been told anew.
    func lookAgain(at now: ContinuousClock.Instant = .now) {
        let paths = known.withLock { $0.compactMap { $0.stamp == nil ? nil : $0.path } }
        if paths.isEmpty { return }
        let stamps = Dictionary(paths.map { ($0, Self.stamp($0)) }, uniquingKeysWith: { $1 })
        known.withLock { known in
            for index in known.indices where known[index].changed == nil {
                guard let stamp = stamps[known[index].path], stamp != known[index].stamp else { continue }
                known[index].changed = now
            }
        }
        solve { one in
            guard let changed = one.changed, let stamp = stamps[one.path] else { return false }
            return stamp == nil || now - changed > .seconds(Self.settling)
        }
    }

    private static func stamp(_ path: String) -> FileStamp? { (try? FileStatus(at: BytePath(path)))?.file }
}
