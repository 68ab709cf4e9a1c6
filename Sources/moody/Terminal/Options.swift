import ArgumentParser
import DataStacks
import Foundation
import Glibc
import Logging
import ManagedObjects
import MoodyIngest
import MoodyModel

/// auto, always, never
enum Choice: String, ExpressibleByArgument, CaseIterable {
    case auto, always, never

    func isOn(_ automatically: @autoclosure () -> Bool) -> Bool {
        switch self {
        case .auto: automatically()
        case .always: true
        case .never: false
        }
    }
}

/// Where the moods are.
struct StoreOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The store. Default: $MOODY_STORE, else Moody.moody here.", valueName: "file"))
    var store: String?

    /// As the user would write it.
    var path: String {
        if let store { return store }
        let environment = ProcessInfo.processInfo.environment["MOODY_STORE"] ?? ""
        return environment.isEmpty ? "Moody.moody" : environment
    }

    var url: URL { URL(fileURLWithPath: path) }

    /// What is never to be taken for photos: the store and what lies beside it.
    var ownPaths: Set<BytePath> {
        guard let folder = try? BytePath(url.deletingLastPathComponent().path).resolved() else { return [] }
        let name = url.lastPathComponent
        let support = ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT"
        return Set([name, name + "-wal", name + "-shm", support].map { folder.appending(Array($0.utf8)) })
    }

    /// - Parameter isReadOnly: the store must be there.
    /// - Throws: ``StoreProblem``.
    func open(isReadOnly: Bool = false, makesStore: Bool = false, _ messages: Messages) throws -> DataStack {
        let stack = DataStack(model: try .moody())
        let shown = path.hasPrefix("/") ? path : "./" + path
        if !makesStore && !FileManager.default.fileExists(atPath: url.path) {
            throw StoreProblem("no store at \(shown) (make one: moody ingest PATH)")
        }
        do {
            if try stack.addStorage(sqlite: url, isReadOnly: isReadOnly) {
                messages.note("moody: made the store \(shown)")
            }
        } catch { throw StoreProblem(path, error) }
        return stack
    }
}

extension DataStack {
    /// An empty store that ends with the run.
    static func inMemory() throws -> DataStack {
        let stack = DataStack(model: try .moody())
        try stack.addInMemoryStorage()
        return stack
    }
}

/// The store cannot be used: exit status 2.
struct StoreProblem: Error, CustomStringConvertible {
    let description: String

    init(_ text: String) { description = text }

    init(_ path: String, _ error: any Error) {
        // A file error names the file already.
        if case StoreError.file(let name, let code)? = error as? StoreError, path.hasSuffix(name) {
            description = "\(path): \(FileError(code: code))"
        } else {
            description = "\(path): \(error)"
        }
    }
}

/// How results look.
struct OutputOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Swatches: auto, always or never; auto is a terminal without NO_COLOR.", valueName: "when"))
    var color = Choice.auto

    @Flag(help: "One JSON object a line.")
    var json = false

    var isInColor: Bool {
        color.isOn(
            StandardOutput.shared.isTerminal
                && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty)
    }
}

/// How much is said on stderr.
struct MessageOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Say nothing but problems.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Say what is done.")
    var verbose = false

    @Option(
        help: ArgumentHelp("A bar on stderr: auto, always or never; auto is a terminal.", valueName: "when"))
    var progress = Choice.auto

    func messages() -> Messages {
        let level: Logger.Level = verbose ? .debug : .error
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = level
            return handler
        }
        return Messages(isQuiet: quiet, progress: progress)
    }
}

/// What makes no sense on a command line: exit status 64, with the usage. Under a name of its own, since
/// ManagedObjects has a `ValidationError` too.
typealias UsageError = ArgumentParser.ValidationError
