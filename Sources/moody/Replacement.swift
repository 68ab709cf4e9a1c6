import Glibc
import MoodyIngest

/// How a file or a folder takes a place: it is written beside it, under a name that says whose process writes
/// it, and renamed when it is whole. What a process leaves that was killed is removed by a later one.
enum Replacement {
    private static let end = ".part"

    /// `.NAME.PID.part`, in the folder of the place.
    ///
    /// - Parameter more: tells several of one process apart.
    static func temporary(beside place: BytePath, _ more: String = "") -> BytePath {
        place.folder.appending(prefix(place) + Array("\(getpid())\(more)\(end)".utf8))
    }

    private static func prefix(_ place: BytePath) -> [UInt8] {
        Array(".".utf8) + place.name.prefix(200) + Array(".".utf8)
    }

    /// Removes what processes that are gone have left beside a place.
    ///
    /// - Parameter remove: removes one of them.
    static func sweep(beside place: BytePath, remove: (BytePath) -> Void) {
        let start = prefix(place)
        for name in (try? place.folder.entries()) ?? [] where name.starts(with: start) {
            let rest = name.dropFirst(start.count), digits = rest.prefix { (0x30...0x39).contains($0) }
            let behind = String(decoding: rest.dropFirst(digits.count), as: UTF8.self)
            guard let number = pid_t(String(decoding: digits, as: UTF8.self)), number > 0,
                behind.contains(end), behind.hasPrefix(".") || behind.hasPrefix("-")
            else { continue }
            // No signal: whether there is such a process. kill(2)
            if kill(number, 0) != 0 && errno == ESRCH { remove(place.folder.appending(name)) }
        }
    }

    /// Puts `temporary` in the place of whatever is there.
    ///
    /// - Throws: ``FileError``.
    static func rename(_ temporary: BytePath, to place: BytePath) throws(FileError) {
        let result = unsafe temporary.withCString { temporary in
            unsafe place.withCString { unsafe Glibc.rename(temporary, $0) }
        }
        guard result == 0 else { throw FileError(code: errno) }
    }
}
