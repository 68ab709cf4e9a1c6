import Foundation
import Glibc
import MoodyIngest
import Synchronization

/// Files that are written but not in their place yet: removed when Ctrl-C or SIGTERM ends a command
/// that has nothing else to finish.
enum Unfinished {
    private static let all = Mutex<[BytePath: @Sendable () -> Void]>([:])

    /// - Parameter path: where it is.
    static func add(_ path: BytePath, remove: @escaping @Sendable () -> Void) {
        all.withLock { $0[path] = remove }
    }

    static func done(_ path: BytePath) { all.withLock { _ = $0.removeValue(forKey: path) } }

    /// From now on a signal takes away what is unfinished and ends the process with 128 and its number.
    ///
    /// - Returns: to be kept as long as that shall hold.
    static func endOnSignals() -> Signals {
        Signals { number in
            // Under the lock, so that nothing is put in its place meanwhile.
            all.withLock { all in
                for remove in all.values { remove() }
                _exit(128 + number)
            }
        }
    }
}
