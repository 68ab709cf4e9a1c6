import Glibc

/// How a file or a folder takes a place: it is written beside it, under a name that says whose process writes
/// it, and renamed when it is whole. What a process leaves that was killed is removed by a later one.
package enum Replacement {
    private static let end = ".part"

    /// `.NAME.PID.part`, in the folder of the place.
    ///
    /// - Parameter more: tells several of one process apart.
    package static func temporary(beside target: BytePath, _ more: String = "") -> BytePath {
        target.folder.appending(prefix(target) + Array("\(getpid())\(more)\(end)".utf8))
    }

    private static func prefix(_ target: BytePath) -> [UInt8] {
        Array(".".utf8) + target.name.prefix(200) + Array(".".utf8)
    }

    /// A new file beside a place, whatever somebody has put there.
    ///
    /// - Parameter status: of the file that it will replace: whose it is, and who may read and write it.
    /// - Throws: ``FileError``.
    package static func makeTemporary(beside target: BytePath, like status: FileStatus?) throws(FileError)
        -> (path: BytePath, file: Int32)
    {
        var last = FileError(code: EEXIST)
        for _ in 0..<16 {
            let number = UInt32.random(in: 0 ... .max)
            let path = temporary(beside: target, "-\(String(number, radix: 36))")
            do throws(FileError) {
                let file = try makeFile(path)
                if let status {
                    // Only root may give a file away; the owner's rights come last, as a new owner ends some.
                    _ = fchown(file, status.owner, status.group)
                    _ = fchmod(file, status.mode)
                }
                return (path, file)
            } catch {
                last = error
                if error.code != EEXIST { break }
            }
        }
        throw last
    }

    /// Removes what processes that are gone have left beside a place.
    ///
    /// - Parameter remove: removes one of them.
    package static func sweep(beside target: BytePath, remove: (BytePath) -> Void) {
        let start = prefix(target)
        for name in (try? target.folder.entries()) ?? [] where name.starts(with: start) {
            if isLeft(name.dropFirst(start.count)) { remove(target.folder.appending(name)) }
        }
    }

    /// The same beside all places in a folder whose names have an ending.
    package static func sweep(in folder: BytePath, named ending: String, remove: (BytePath) -> Void) {
        let middle = Array("\(ending).".utf8)
        for name in (try? folder.entries()) ?? [] where name.first == UInt8(ascii: ".") {
            guard let dot = name.dropLast(end.utf8.count).lastIndex(of: UInt8(ascii: ".")),
                name[...dot].suffix(middle.count).elementsEqual(middle, by: { $0 | 0x20 == $1 | 0x20 })
            else { continue }
            if isLeft(name[(dot + 1)...]) { remove(folder.appending(name)) }
        }
    }

    /// - Parameter rest: of a name, from the number of the process on that made it.
    private static func isLeft(_ rest: ArraySlice<UInt8>) -> Bool {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        let behind = String(decoding: rest.dropFirst(digits.count), as: UTF8.self)
        guard let number = pid_t(String(decoding: digits, as: UTF8.self)), number > 0,
            behind.contains(end), behind.hasPrefix(".") || behind.hasPrefix("-")
        else { return false }
        // No signal: whether there is such a process. kill(2)
        return kill(number, 0) != 0 && errno == ESRCH
    }

    /// Puts `temporary` in the place of whatever is there.
    ///
    /// - Throws: ``FileError``.
    package static func rename(_ temporary: BytePath, to target: BytePath) throws(FileError) {
        let result = unsafe temporary.withCString { temporary in
            unsafe target.withCString { unsafe Glibc.rename(temporary, $0) }
        }
        guard result == 0 else { throw FileError(code: errno) }
    }
}
