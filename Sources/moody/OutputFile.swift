import Foundation
import Glibc
import MoodyGallery
import MoodyIngest
import Synchronization

/// A file for results.
///
/// It is written beside its place and put there when it is whole; a report that is read while it grows is put there
/// empty and grows. A file that moody wrote, which is seen inside, is replaced; any other is refused unless told to
/// overwrite. Pipes and devices are written to as they are.
final class OutputFile: Sendable {
    enum Manner { case wholeAtTheEnd, growing }

    private struct State {
        var file: Int32
        /// Not in its place yet.
        var temporary: String?
        var buffer: [UInt8] = []
        var failure: FileError?
    }

    private let path: String
    private let state: Mutex<State>

    /// - Throws: ``StoreProblem`` for a file that is somebody else's, ``OutputError``.
    init(_ path: String, overwrite: Bool, _ manner: Manner = .wholeAtTheEnd) throws {
        self.path = path
        try Self.check(path, overwrite: overwrite)
        let isSpecial = (try? FileStatus(at: BytePath(path)))?.kind == .other
        let temporary = isSpecial ? nil : path + ".\(getpid()).part"
        let flags = isSpecial ? O_WRONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        let file = unsafe open(temporary ?? path, flags, 0o644)
        guard file >= 0 else { throw OutputError(name: path, error: FileError(code: errno)) }
        state = Mutex(State(file: file, temporary: temporary))
        if let temporary { Unfinished.add(temporary) { _ = unsafe unlink(temporary) } }
        if manner == .growing { try state.withLock { try putInPlace(&$0) } }
    }

    deinit {
        state.withLock { state in
            if state.file >= 0 { close(state.file) }
            if let temporary = state.temporary {
                _ = unsafe unlink(temporary)
                Unfinished.done(temporary)
            }
        }
    }

    /// Whether a file may be written there: asked before the work, not after it.
    ///
    /// - Throws: ``StoreProblem``, ``OutputError``.
    static func check(_ path: String, overwrite: Bool) throws {
        guard let status = try? FileStatus(at: BytePath(path)) else { return }
        switch status.kind {
        case .folder: throw OutputError(name: path, error: FileError(code: EISDIR))
        case .regular where !overwrite && !isOurs(path):
            throw StoreProblem(
                "\(path): exists and does not say that moody wrote it (to replace it: --overwrite)")
        case .regular, .link, .other: break
        }
    }

    /// How our files begin, and what else is in their first lines. A list of colours in hexadecimal cannot say whose
    /// it is.
    private static let marks: [(start: String, more: String)] = [
        ("<!doctype html>\n", GalleryPage.marker),
        ("{\"v\":1,\"generator\":\"moody\"", ""),
        (PaletteText.cssHead, ""),
        (PaletteTable.moodHead, ""), (PaletteTable.photoHead, ""),
        // JSON Lines: of moods, of changes, of photos.
        ("{\"v\":1,\"id\":", "\"colors\":["), ("{\"v\":1,\"change\":\"", "\"batch\":"),
        ("{\"v\":1,\"path\":\"", "\"colors\":["), ("{\"v\":1,\"path\":\"", "\"error\":\""),
    ]

    private static func isOurs(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        // A path is 4 KiB at most, and four times that when all of it is escaped.
        let head = (try? file.read(upToCount: 1 << 15)) ?? Data()
        let text = String(decoding: head, as: UTF8.self)
        // An empty file is nobody's work.
        return head.isEmpty
            || marks.contains {
                text.utf8.starts(with: $0.start.utf8) && ($0.more.isEmpty || text.contains($0.more))
            }
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) {
        state.withLock { state in
            state.buffer += bytes
            if state.buffer.count > 1 << 16 { send(&state) }
        }
    }

    /// Everything written so far goes out.
    ///
    /// - Throws: ``OutputError``, as for a full disk.
    func flush() throws {
        try state.withLock { state in
            send(&state)
            if let failure = state.failure { throw OutputError(name: path, error: failure) }
        }
    }

    /// Puts the file in its place.
    ///
    /// - Throws: ``OutputError``.
    func finish() throws {
        try state.withLock { state in
            send(&state)
            if close(state.file) != 0 && state.failure == nil { state.failure = FileError(code: errno) }
            state.file = -1
            if let failure = state.failure { throw OutputError(name: path, error: failure) }
            try putInPlace(&state)
        }
    }

    private func putInPlace(_ state: inout State) throws {
        guard let temporary = state.temporary else { return }
        guard unsafe rename(temporary, path) == 0 else {
            throw OutputError(name: path, error: FileError(code: errno))
        }
        Unfinished.done(temporary)
        state.temporary = nil
    }

    private func send(_ state: inout State) {
        var sent = 0
        while sent < state.buffer.count && state.failure == nil {
            let count = unsafe state.buffer.withUnsafeBytes { bytes in
                // SAFETY: the rest lies inside `bytes`, and write(2) reads no more than its length.
                let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[sent...])
                return unsafe Glibc.write(state.file, rest.baseAddress, rest.count)
            }
            if count >= 0 {
                sent += count
            } else if errno != EINTR {
                state.failure = FileError(code: errno)
            }
        }
        state.buffer = []
    }
}
