import Foundation
import Glibc
import Synchronization
import Testing

/// An empty folder and the built binary, in a clean environment.
final class Workbench: Sendable {
    struct Run: Equatable {
        var status: Int32
        var out: String
        var err: String

        var lines: [String] { out.split(separator: "\n").map(String.init) }
    }

    let folder: URL
    /// The binary: $MOODY_BINARY, or the one built with the tests.
    let binary: String

    init() throws {
        let path = FileManager.default.temporaryDirectory.path + "/moody-bench-\(UUID().uuidString)"
        folder = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let built = URL(fileURLWithPath: tests).deletingLastPathComponent().path + "/moody"
        binary = ProcessInfo.processInfo.environment["MOODY_BINARY"] ?? built
        try #require(FileManager.default.isExecutableFile(atPath: binary))
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.path + "/" + name }
    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }
    func read(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }
    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: path(name), toPath: path(other))
    }
    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path(name)) }

    /// A new file that stays open.
    func open(_ name: String) throws -> FileHandle {
        let file = unsafe Glibc.open(path(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
        try #require(file >= 0)
        return FileHandle(fileDescriptor: file, closeOnDealloc: true)
    }

    /// Puts a fixture into the folder, whole at once, making folders on the way.
    func put(_ fixture: String, as name: String) throws {
        let source = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil))
        let target = folder.appending(path: name)
        try FileManager.default.createDirectory(
            at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(contentsOf: source.appending(path: fixture)).write(to: target)
    }

    /// A folder `Photos` with three of them.
    func putPhotos() throws {
        for name in ["desert.jpg", "forest.jpg", "harbour.jpg"] { try put(name, as: "Photos/" + name) }
    }

    func moody(
        _ arguments: String..., environment: [String: String] = [:], input: String? = nil
    ) throws -> Run {
        try launch(binary, arguments, environment, input).wait()
    }

    func run(_ arguments: [String]) throws -> Run { try launch(binary, arguments, [:], nil).wait() }

    /// The folder without links in its path, as the store has it.
    var realPath: String {
        get throws { try shell("pwd -P").out.trimmingCharacters(in: .newlines) }
    }

    /// A line of sh; `$moody` is the binary, `$fixtures` their folder.
    func shell(_ script: String) throws -> Run { try launch("/bin/sh", ["-c", script], [:], nil).wait() }

    /// As a user who may only read what is in the folder.
    ///
    /// Root may write everywhere, so it becomes nobody, who runs a copy of the binary: the built one may lie
    /// where nobody may not look. Any other user takes away its own right to write for as long as it runs.
    ///
    /// - Parameter mayWrite: whether the script needs to write all the same.
    func nobody(_ script: String, mayWrite: Bool = false) throws -> Run {
        if geteuid() == 0 {
            let arguments = ["--reuid=65534", "--regid=65534", "--clear-groups", "/bin/sh", "-c", script]
            return try launch("/usr/bin/setpriv", arguments, ["moody": Self.publicBinary(of: binary)], nil)
                .wait()
        }
        if mayWrite { return try shell(script) }
        return try shell("chmod -R a-w .; (\(script)); status=$?; chmod -R u+w .; exit $status")
    }

    /// Runs a script of root whose `$moody` other users may run, too.
    func shellForAll(_ script: String) throws -> Run {
        try launch("/bin/sh", ["-c", script], ["moody": Self.publicBinary(of: binary)], nil).wait()
    }

    private static let copy = Mutex<String?>(nil)

    private static func publicBinary(of binary: String) throws -> String {
        try copy.withLock { copy in
            if let copy { return copy }
            let folder = FileManager.default.temporaryDirectory.appending(path: "moody-binary-\(getpid())")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let path = folder.appending(path: "moody").path
            try RunningCommand.whileNoneStarts {
                try FileManager.default.copyItem(atPath: binary, toPath: path)
            }
            copy = path
            atexit { Workbench.removePublicBinary() }
            return path
        }
    }

    private static func removePublicBinary() {
        guard let path = copy.withLock({ $0 }) else { return }
        try? FileManager.default.removeItem(at: URL(fileURLWithPath: path).deletingLastPathComponent())
    }

    func startShell(_ script: String) throws -> RunningCommand {
        try launch("/bin/sh", ["-c", script], [:], nil)
    }

    /// Starts and does not wait.
    func start(_ arguments: String...) throws -> RunningCommand { try launch(binary, arguments, [:], nil) }

    private func launch(_ program: String, _ arguments: [String], _ more: [String: String], _ input: String?)
        throws -> RunningCommand
    {
        let fixtures = try #require(Bundle.module.url(forResource: "Fixtures", withExtension: nil)).path
        let environment = [
            "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": folder.path, "moody": binary,
            "fixtures": fixtures,
        ].merging(more) { $1 }
        return try RunningCommand(
            [program] + arguments, environment: environment, folder: folder.path, input: input)
    }
}
