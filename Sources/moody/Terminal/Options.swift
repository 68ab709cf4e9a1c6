import ArgumentParser
import Foundation
import Logging

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

/// How results look.
struct OutputOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Swatches: auto, always or never; auto is a terminal without NO_COLOR.", valueName: "when"))
    var color = Choice.auto

    @Flag(help: "One JSON object a line.")
    var json = false

    /// - Throws: ``UsageError`` when two things would be written to standard output in one another's midst.
    func check(_ reading: ReadingOptions) throws {
        if reading.html == .standard && (json || reading.report == .standard) {
            throw UsageError("Only one of --html -, --report - and --json can have standard output.")
        }
    }

    var isInColor: Bool {
        color.isOn(
            StandardOutput.shared.isTerminal
                && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty)
    }
}

/// How much is said on stderr.
struct MessageOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Say nothing but problems: no sums, no notes, no lines of what changed.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Say what is done, and which files are passed over.")
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
        return Messages(isQuiet: quiet, isVerbose: verbose, progress: progress)
    }
}

/// What makes no sense on a command line: exit status 64, with the usage. Under a name of its own, since
/// ManagedObjects has a `ValidationError` too.
typealias UsageError = ArgumentParser.ValidationError
