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
            "Swatches: auto, always or never; auto is a terminal without NO_COLOR. As many colors as "
                + "COLORTERM and TERM say.",
            valueName: "when"))
    var color = Choice.auto

    @Flag(help: "One JSON object a line.")
    var json = false

    /// - Throws: ``UsageError`` when two things would be written to standard output in one another's midst.
    func check(_ reading: ReadingOptions) throws {
        if reading.html == .standard && (json || reading.report == .standard) {
            throw UsageError("Only one of --html -, --report - and --json can have standard output.")
        }
    }

    /// What the terminal shows, if colours are wanted; where they are wanted always, 24 bits but for a
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
