import Foundation
import Glibc
import Synchronization
import Testing

/// A program at work in a process group of its own, its output read by threads of ours, so that it never
/// waits.
///
/// Foundation's `Process` copies the list of open descriptors while other threads open some: in a runner of
/// many threads it reads past the end of that list, and the whole suite crashes (seen on Swift 6.3.1, in
/// `memcpy` below `Process.run()`). Nothing here looks at descriptors but its own.
final class RunningCommand: Sendable {
    private let process: pid_t
    private let progress: Progress

    /// - Parameter arguments: the program's path first.
    init(_ arguments: [String], environment: [String: String], folder: String, input: String?) throws {
        // env(1) changes the folder: what posix_spawn has for it is not in Swift's module of the C library.
        let arguments = ["/usr/bin/env", "--chdir=" + folder] + arguments
        let environment = environment.map { "\($0)=\($1)" }
        let outRead: Int32, errRead: Int32
        (process, outRead, errRead) = try Self.starting.withLock { _ in
            let files = [try Self.file(input ?? "")] + (try Self.pipe()) + (try Self.pipe())
            // Those handed on are the program's copies; ours are closed at once, or a pipe would never end.
            defer { for index in [0, 2, 4] { close(files[index]) } }
            do {
                let process = try Self.spawn(arguments, environment, files: [files[0], files[2], files[4]])
                return (process, files[1], files[3])
            } catch {
                for index in [1, 3] { close(files[index]) }
                throw error
            }
        }
        progress = Progress()
        let (process, progress) = (process, progress)
        Self.thread { progress.read(outRead, \.out) }
        Self.thread { progress.read(errRead, \.err) }
        Self.thread {
            var status: Int32 = 0
            while unsafe waitpid(process, &status, 0) < 0 && errno == EINTR {}
            // The low seven bits are the signal that ended it, the next byte is its own word: wait(2).
            let end = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
            progress.change { $0.status = end }
        }
    }

    deinit { if progress.state.status == nil { kill(-process, SIGKILL) } }

    var outText: String { progress.state.outText }
    var errText: String { progress.state.errText }

    func send(_ signal: Int32) { kill(process, signal) }

    /// Sends a signal and waits until the program has taken it in: until then the kernel counts it as pending
    /// (proc(5), the fields SigPnd and ShdPnd of status).
    func sendUntilTaken(_ signal: Int32) throws {
        send(signal)
        try waitUntil("the signal to be taken") {
            guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else {
                return true
            }
            return status.split(separator: "\n").filter { $0.hasPrefix("SigPnd:") || $0.hasPrefix("ShdPnd:") }
                .allSatisfy { line in
                    let bits = UInt64(line.dropFirst(7).filter { !$0.isWhitespace }, radix: 16) ?? 0
                    return bits >> UInt64(signal - 1) & 1 == 0
                }
        }
    }

    func waitForOut(_ text: String) throws { try wait(for: text) { $0.outText.contains(text) } }
    func waitForErr(_ text: String) throws { try wait(for: text) { $0.errText.contains(text) } }

    /// Waits for the end, and for all that was said.
    func wait() throws -> Workbench.Run {
        let end = try wait(for: "the end") { $0.isThrough }
        return Workbench.Run(status: try #require(end.status), out: end.outText, err: end.errText)
    }

    /// Until `condition` holds, which is asked again whenever the program says something or ends. Gives up
    /// after ten minutes: where a dozen compilers ran beside, a minute was not enough.
    @discardableResult
    private func wait(for what: String, _ condition: (Progress.State) -> Bool) throws -> Progress.State {
        if let state = progress.wait(seconds: 600, until: condition) { return state }
        Issue.record("waited for \(what); out: \(outText) err: \(errText)")
        throw CancellationError()
    }

    /// Until something outside of the program holds, looked at often.
    func waitUntil(_ what: String, _ condition: () -> Bool) throws {
        for _ in 0..<30_000 {
            if condition() { return }
            usleep(20_000)
        }
        Issue.record("waited for \(what); out: \(outText) err: \(errText)")
        throw CancellationError()
    }

    private static func thread(_ body: @escaping @Sendable () -> Void) { Thread(block: body).start() }

    /// Does something while no program is started: one that is would hold what `body` has open for an
    /// instant, and a binary that somebody has open for writing cannot be run.
    static func whileNoneStarts<Value>(_ body: () throws -> Value) rethrows -> Value {
        try starting.withLock { _ in try body() }
    }

    /// Held from the making of a pipe until it is known not to be handed on: a program that another thread
    /// starts meanwhile would keep it open.
    private static let starting = Mutex(())

    /// The reading and the writing end.
    private static func pipe() throws -> [Int32] {
        var ends: [Int32] = [0, 0]
        try #require(unsafe Glibc.pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    /// A file that holds `text` and has no name any more.
    private static func file(_ text: String) throws -> Int32 {
        let name = FileManager.default.temporaryDirectory.path + "/moody-input-\(UUID().uuidString)"
        let file = unsafe open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        try #require(file >= 0)
        _ = unsafe unlink(name)
        try FileHandle(fileDescriptor: file, closeOnDealloc: false).write(contentsOf: Data(text.utf8))
        lseek(file, 0, SEEK_SET)
        return file
    }

    private static func spawn(
        _ arguments: [String], _ environment: [String], files: [Int32]
    ) throws -> pid_t {
        var actions = unsafe posix_spawn_file_actions_t(), attributes = posix_spawnattr_t()
        // SAFETY: both are made here and destroyed here; the strings live until posix_spawn returns.
        return try unsafe withStrings(arguments) { arguments in
            try unsafe withStrings(environment) { environment in
                unsafe posix_spawn_file_actions_init(&actions)
                unsafe posix_spawnattr_init(&attributes)
                defer {
                    unsafe posix_spawn_file_actions_destroy(&actions)
                    unsafe posix_spawnattr_destroy(&attributes)
                }
                for (number, file) in files.enumerated() {
                    unsafe posix_spawn_file_actions_adddup2(&actions, file, Int32(number))
                }
                var all = sigset_t(), none = sigset_t(), process: pid_t = 0
                unsafe sigfillset(&all)
                unsafe sigemptyset(&none)
                unsafe posix_spawnattr_setsigdefault(&attributes, &all)
                unsafe posix_spawnattr_setsigmask(&attributes, &none)
                unsafe posix_spawnattr_setpgroup(&attributes, 0)
                let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
                unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
                let program = try unsafe #require(arguments[0])
                let error = unsafe posix_spawn(
                    &process, program, &actions, &attributes, arguments, environment)
                if error != 0 { throw POSIXError(POSIXErrorCode(rawValue: error) ?? .EIO) }
                return process
            }
        }
    }

    /// An array of C strings that ends with a null, as exec(3) wants it.
    private static func withStrings<Value>(
        _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) throws -> Value
    ) rethrows -> Value {
        var strings = unsafe texts.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe strings.indices { unsafe free(strings[index]) } }
        return try unsafe strings.withUnsafeMutableBufferPointer { buffer in
            // SAFETY: the null at the end makes the array at least one long, so there is a base address.
            try unsafe body(buffer.baseAddress.unsafelyUnwrapped)
        }
    }
}

/// What a program has said and how it ended.
///
/// @unchecked Sendable: the state is read and written under the lock of `changed` only.
private final class Progress: @unchecked Sendable {
    struct State {
        var out = Data(), err = Data()
        /// Pipes that somebody still holds.
        var open = 2
        /// 128 and the signal, if one ended it.
        var status: Int32?

        var outText: String { String(decoding: out, as: UTF8.self) }
        var errText: String { String(decoding: err, as: UTF8.self) }
        var isThrough: Bool { status != nil && open == 0 }
    }

    private let changed = NSCondition()
    private var current = State()

    var state: State { changed.withLock { current } }

    func change(_ body: (inout State) -> Void) {
        changed.withLock {
            body(&current)
            changed.broadcast()
        }
    }

    /// - Returns: the state that the condition held of; nil when it did not in time, or cannot any more.
    func wait(seconds: Double, until condition: (State) -> Bool) -> State? {
        let limit = Date() + seconds
        return changed.withLock {
            while !condition(current) {
                if current.isThrough || !changed.wait(until: limit) { return nil }
            }
            return current
        }
    }

    /// Reads a pipe to its end.
    func read(_ file: Int32, _ stream: any WritableKeyPath<State, Data> & Sendable) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe Glibc.read(file, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { break }
            change { $0[keyPath: stream] += buffer[..<count] }
        }
        close(file)
        change { $0.open -= 1 }
    }
}
