import Foundation
import Glibc
import MoodyIngest
import Synchronization

/// Where results go.
///
/// A reader that has seen enough (`| head`) closes the pipe: then everything further is dropped and
/// `isClosed` says so. That is no error.
final class StandardOutput: Sendable {
    static let shared = StandardOutput(file: STDOUT_FILENO)

    private struct State {
        var buffer: [UInt8] = []
        var isClosed = false
        var failure: FileError?
    }

    private let file: Int32
    private let state = Mutex(State())

    /// Gives each of the three standard files that is closed a place to go. Else the next file that is opened
    /// would be standard output, and results would go into it.
    static func openAll() {
        for file in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(file, F_GETFD) < 0 && errno == EBADF {
            // The lowest number that is free, which is this one: those below are open. open(2)
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }

    init(file: Int32) { self.file = file }

    var isTerminal: Bool { isatty(file) == 1 }
    /// Columns of the terminal, 40 at least; nil where there is none, or it does not say.
    var width: Int? {
        var size = winsize()
        guard isTerminal, unsafe ioctl(file, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return nil
        }
        return max(40, Int(size.ws_col))
    }
    /// Nobody reads any more.
    var isClosed: Bool { state.withLock { $0.isClosed } }

    func line(_ text: String) { write(text + "\n") }

    func write(_ text: String) { write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) {
        state.withLock { state in
            if state.isClosed || state.failure != nil { return }
            state.buffer += bytes
            if state.buffer.count > 1 << 16 { send(&state) }
        }
    }

    /// Everything written so far goes out.
    ///
    /// - Throws: ``FileError``, as for a full disk.
    func flush() throws {
        try state.withLock { state in
            send(&state)
            if let failure = state.failure { throw OutputError(name: "standard output", error: failure) }
        }
    }

    private func send(_ state: inout State) {
        defer { state.buffer = [] }
        if state.isClosed || state.failure != nil { return }
        do throws(FileError) { try writeAll(state.buffer, to: file) } catch {
            if error.code == EPIPE { state.isClosed = true } else { state.failure = error }
        }
    }
}

/// Something could not be written, or must not be: exit status 2.
struct OutputError: Error, CustomStringConvertible {
    let description: String

    init(_ text: String) { description = text }
    init(name: String, error: FileError) { description = "\(name): \(error)" }
}

/// A signal asked for an end while nothing could be done but wait.
struct Interrupted: Error {}
