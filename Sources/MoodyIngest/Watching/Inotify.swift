import Glibc

/// The kernel's news of folders: inotify(7).
final class Inotify: Sendable {
    struct Event: Equatable {
        /// The watched folder, as ``watch(_:)`` numbered it; -1 when events were lost.
        let folder: Int32
        let mask: UInt32
        /// The name in the folder; empty when the event is about the folder itself.
        let name: [UInt8]

        func has(_ bits: Int...) -> Bool { bits.contains { mask & UInt32($0) != 0 } }
        var isAboutFolder: Bool { has(Int(IN_ISDIR)) }
    }

    /// To be watched for reading.
    let file: Int32

    /// - Throws: ``FileError``, as when the user has too many of them.
    init() throws(FileError) {
        // IN_NONBLOCK and IN_CLOEXEC are O_NONBLOCK and O_CLOEXEC by definition.
        file = inotify_init1(O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw FileError(code: errno) }
    }

    deinit { close(file) }

    /// The events of a folder: completed files, arrivals, departures, folders that became
    /// into now, and its own end.
    private static let ofFolder =
        ofFile | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_CREATE) | UInt32(IN_DELETE)
        | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_ONLYDIR)
    /// The events of a file with several names.
    private static let ofFile = UInt32(IN_CLOSE_WRITE) | UInt32(IN_ATTRIB) | UInt32(IN_MODIFY)

    /// - Returns: the number of a folder, or of a file with other names; the same for the same one under
    ///   another path.
    /// - Throws: ``FileError``; ENOSPC when the user watches as much as the system allows.
    func watch(_ path: BytePath, _ kind: FileStatus.Kind = .folder) throws(FileError) -> Int32 {
        let wanted = kind == .folder ? Self.ofFolder : Self.ofFile
        let number = unsafe path.withCString { unsafe inotify_add_watch(file, $0, wanted) }
        guard number >= 0 else { throw FileError(code: errno) }
        return number
    }

    /// Why something could not be watched, in words: the system's own for a limit are those for a full disk.
    ///
    /// - Source: inotify(7).
    static func reason(for error: FileError) -> String {
        func limit(_ name: String) -> String {
            let path = "/proc/sys/fs/inotify/" + name
            let text = (try? readList(BytePath(path))).map { String(decoding: $0, as: UTF8.self) } ?? ""
            let digits = text.prefix { $0.isNumber }
            return "fs.inotify.\(name)" + (digits.isEmpty ? "" : " is \(digits)")
        }
        return switch error.code {
        case ENOSPC: "more than the system lets a user watch: \(limit("max_user_watches"))"
        case EMFILE: "more watchers than the system lets a user have: \(limit("max_user_instances"))"
        default: error.description
        }
    }

    func forget(_ folder: Int32) { inotify_rm_watch(file, folder) }

    /// Returns the unread events, without waiting.
    func read() -> [Event] {
        var events: [Event] = []
        while true {
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                // SAFETY: the buffer has 64 KiB, and read(2) writes no more.
                unsafe count = max(0, Glibc.read(file, buffer.baseAddress, 1 << 16))
            }
            if bytes.isEmpty { return events }
            events += Self.parse(bytes)
        }
    }

    /// Each event is its folder, its mask, a cookie and the length of its name, four bytes each in the
    /// machine's order, and the name, padded with NULs.
    static func parse(_ bytes: [UInt8]) -> [Event] {
        var events: [Event] = [], start = 0
        func word(_ offset: Int) -> UInt32 {
            // SAFETY: `offset + 4` is within the bytes: a header is read only where 16 of them are left.
            unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
        }
        while start + 16 <= bytes.count {
            let end = start + 16 + Int(word(start + 12))
            guard end <= bytes.count else { break }
            let name = bytes[(start + 16)..<end].prefix { $0 != 0 }
            events.append(
                Event(folder: Int32(bitPattern: word(start)), mask: word(start + 4), name: Array(name)))
            start = end
        }
        return events
    }
}
