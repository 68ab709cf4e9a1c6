import Glibc
import MoodyIngest

/// How a file or a folder takes a place: it is written beside it, under a name that says whose process writes
/// it, and renamed when it is whole. What a process leaves that was killed is removed by a later one.
enum Replacement {
    private static let end = ".part"

    /// `.NAME.PID.part`, in the folder of the place.
    ///
    /// - Parameter more: tells several of one process apart.
    static func temporary(beside target: BytePath, _ more: String = "") -> BytePath {
        target.folder.appending(prefix(target) + Array("\(getpid())\(more)\(end)".utf8))
    }

    private static func prefix(_ target: BytePath) -> [UInt8] {
        Array(".".utf8) + target.name.prefix(200) + Array(".".utf8)
    }

    /// Removes what processes that are gone have left beside a place.
    ///
    /// - Parameter remove: removes one of them.
    static func sweep(beside target: BytePath, remove: (BytePath) -> Void) {
        let start = prefix(target)
        for name in (try? target.folder.entries()) ?? [] where name.starts(with: start) {
            let rest = name.dropFirst(start.count), digits = rest.prefix { (0x30...0x39).contains($0) }
            let behind = String(decoding: rest.dropFirst(digits.count), as: UTF8.self)
            guard let number = pid_t(String(decoding: digits, as: UTF8.self)), number > 0,
                behind.contains(end), behind.hasPrefix(".") || behind.hasPrefix("-")
            else { continue }
            // No signal: whether there is such a process. kill(2)
            if kill(number, 0) != 0 && errno == ESRCH { remove(target.folder.appending(name)) }
        }
    }

    /// Puts `temporary` in the place of whatever is there.
    ///
    /// - Throws: ``FileError``.
    static func rename(_ temporary: BytePath, to target: BytePath) throws(FileError) {
        let result = unsafe temporary.withCString { temporary in
            unsafe target.withCString { unsafe Glibc.rename(temporary, $0) }
        }
        guard result == 0 else { throw FileError(code: errno) }
    }
}
