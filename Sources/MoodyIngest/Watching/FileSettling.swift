import Foundation
import MoodyModel

/// Tells files that are whole from those that somebody still writes to, by looking twice.
///
/// A file that did not change for a second is whole: by its time of change or, where clocks differ or are set
/// back, because it was the same a second ago.
///
/// No other way is sure without harm: a lease on the file, which tells whether it is open for writing, makes
/// the kernel send SIGIO to this process and hold up the program that opens the file.
struct FileSettling {
    /// Seconds.
    static let quiet = 1.0
    /// Seconds for a file that was written to and not closed: a slow program pauses longer than a second.
    static let quietWhileOpen = 5.0

    private var seen: [BytePath: (file: FileStamp, since: ContinuousClock.Instant)] = [:]

    /// - Parameters:
    ///   - quiet: the seconds without a change that make it whole.
    ///   - now: what the clock shows that files' times come from. A parameter, so that a test need not wait.
    ///   - instant: the same moment, on a clock that nobody sets.
    mutating func isSettled(
        _ path: BytePath, _ file: FileStamp, quiet: Double = Self.quiet, now: Date = Date(),
        at instant: ContinuousClock.Instant = .now
    ) -> Bool {
        let age = now.timeIntervalSince1970 - Double(file.mtimeNs) / 1e9
        if age >= quiet {
            seen[path] = nil
            return true
        }
        if let last = seen[path], last.file == file {
            if instant - last.since < .seconds(quiet) { return false }
            seen[path] = nil
            return true
        }
        seen[path] = (file, instant)
        return false
    }

    /// Forgets files that went before they were whole.
    mutating func keep(only paths: Set<BytePath>) { seen = seen.filter { paths.contains($0.key) } }
}
