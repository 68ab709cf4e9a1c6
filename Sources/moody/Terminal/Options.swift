import ArgumentParser
import Foundation
import Logging
import MoodyGallery

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
            "Print colored swatches: auto (on a terminal, unless NO_COLOR is set), always, or never. "
                + "COLORTERM and TERM tell the number of colors.",
            valueName: "when"))
    var color = Choice.auto

    @Flag(help: "Print one JSON object per line.")
    var json = false

    /// - Throws: ``UsageError`` when two things would be written to standard output in one another's midst.
    func check(_ reading: ReadingOptions) throws {
        if reading.html == .standard && (json || reading.report == .standard) {
            throw UsageError("Only one of --html -, --report - and --json can have standard output.")
        }
    }

    /// The color depth of the output; with `--color always`, 24 bits except for a
    /// terminal that has fewer.
    var depth: ColorDepth {
        let environment = ProcessInfo.processInfo.environment
        let found = ColorDepth(environment: environment)
        switch color {
        case .never: return .none
        case .auto:
            let isWanted = (environment["NO_COLOR"] ?? "").isEmpty
            return StandardOutput.shared.isTerminal && isWanted ? found : .none
        case .always: return (environment["TERM"] ?? "").isEmpty ? .full : max(found, .sixteen)
        }
    }
}

/// How much is said on stderr.
struct MessageOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print only errors and warnings.")
    var quiet = false

    @Flag(name: .shortAndLong, help: "Print each step, and each file that is skipped.")
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "Show a progress bar on stderr: auto (on a terminal), always, or never.", valueName: "when"))
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

/// An invalid command line: exit status 64, with the usage. Under a name of its own, since
/// ManagedObjects has a `ValidationError` too.
typealias UsageError = ArgumentParser.ValidationError
