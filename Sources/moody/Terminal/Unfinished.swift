import Foundation
import Glibc
import Synchronization

/// What is being written and is not in its place yet: to be taken away when Ctrl-C or SIGTERM ends a command that has
/// nothing else to finish.
enum Unfinished {
    private static let all = Mutex<[String: @Sendable () -> Void]>([:])

    /// - Parameter name: what it is called on disk; unique.
    static func add(_ name: String, remove: @escaping @Sendable () -> Void) {
        all.withLock { $0[name] = remove }
    }

    static func done(_ name: String) { all.withLock { _ = $0.removeValue(forKey: name) } }

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
