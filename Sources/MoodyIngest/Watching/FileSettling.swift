import Foundation
import MoodyModel

/// Tells files that are whole from those that somebody still writes to, by looking twice.
///
/// A file that did not change for a second is whole: by its time of change or, where clocks differ or are set
/// back, because it was the same a second ago.
struct FileSettling {
    /// Seconds.
    static let quiet = 1.0

    private var seen: [BytePath: (file: FileStamp, since: ContinuousClock.Instant)] = [:]

    /// - Parameters:
    ///   - now: what the clock shows that files' times come from. A parameter, so that a test need not wait.
    ///   - instant: the same moment, on a clock that nobody sets.
    mutating func isSettled(
        _ path: BytePath, _ file: FileStamp, now: Date = Date(), at instant: ContinuousClock.Instant = .now
    ) -> Bool {
        let age = now.timeIntervalSince1970 - Double(file.mtimeNs) / 1e9
        if age >= Self.quiet {
            seen[path] = nil
            return true
        }
        if let last = seen[path], last.file == file {
            if instant - last.since < .seconds(Self.quiet) { return false }
            seen[path] = nil
            return true
        }
        seen[path] = (file, instant)
        return false
    }

    /// Forgets files that went before they were whole.
    mutating func keep(only paths: Set<BytePath>) { seen = seen.filter { paths.contains($0.key) } }
}
