import Foundation
import MoodyModel

/// Tells files that are whole from those that somebody still writes to, by looking twice.
///
/// A file that did not change for a second is whole: by its time of change or, where clocks differ, because
/// it was the same a second ago.
struct FileSettling {
    /// Seconds.
    static let quiet = 1.0

    private var seen: [BytePath: (file: PhotoFile, since: Date)] = [:]

    /// - Parameter now: a parameter, so that a test need not wait.
    mutating func isSettled(_ path: BytePath, _ file: PhotoFile, now: Date = Date()) -> Bool {
        let age = now.timeIntervalSince1970 - Double(file.mtimeNs) / 1e9
        if age >= Self.quiet {
            seen[path] = nil
            return true
        }
        if let last = seen[path], last.file == file {
            if now.timeIntervalSince(last.since) < Self.quiet { return false }
            seen[path] = nil
            return true
        }
        seen[path] = (file, now)
        return false
    }
}
