import Foundation
import Glibc
import MoodyGallery
import MoodyIngest
import Synchronization

/// A file that is written beside its place and put there when it is whole.
///
/// A file that moody wrote, which it says inside, is replaced; any other is refused unless told to overwrite.
final class OutputFile: Sendable {
    private struct State {
        var file: Int32
        var buffer: [UInt8] = []
        var failure: FileError?
        var isFinished = false
    }

    private let path: String, temporary: String
    private let state: Mutex<State>

    init(_ path: String, overwrite: Bool) throws {
        self.path = path
        temporary = path + ".\(getpid()).part"
        if !overwrite && FileManager.default.fileExists(atPath: path) && !Self.isOurs(path) {
            throw StoreProblem("\(path): exists and was not written by moody (to replace it: --overwrite)")
        }
        var isFolder: ObjCBool = false
        if unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw OutputError(name: path, error: FileError(code: EISDIR))
        }
        let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw OutputError(name: path, error: FileError(code: errno)) }
        state = Mutex(State(file: file))
    }

    deinit {
        state.withLock { state in
            if state.isFinished { return }
            close(state.file)
            _ = unsafe unlink(temporary)
        }
    }

    /// How a page, JSON and a style sheet of ours begin.
    private static let marks = [
        "<!-- Written by moody, which may replace this file. -->", "{\"v\":1,\"generator\":\"moody\"",
        PaletteText.cssHead,
    ]

    private static func isOurs(_ path: String) -> Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        let head = (try? file.read(upToCount: 1024)) ?? Data()
        let text = String(decoding: head, as: UTF8.self)
        return head.isEmpty || marks.contains { text.contains($0) }
    }

    func write(_ text: String) {
        state.withLock { state in
            state.buffer += Array(text.utf8)
            if state.buffer.count > 1 << 16 { send(&state) }
        }
    }

    /// Puts the file in its place.
    func finish() throws {
        try state.withLock { state in
            send(&state)
            state.isFinished = true
            if close(state.file) != 0 && state.failure == nil { state.failure = FileError(code: errno) }
            if state.failure == nil, unsafe rename(temporary, path) != 0 {
                state.failure = FileError(code: errno)
            }
            if let failure = state.failure {
                _ = unsafe unlink(temporary)
                throw OutputError(name: path, error: failure)
            }
        }
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
