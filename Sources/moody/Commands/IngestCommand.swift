import ArgumentParser
import DataStacks
import Foundation
import Glibc
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import Palettes
import Synchronization

struct IngestCommand: AsyncParsableCommand, DecodingCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest",
        abstract: "Read photos and store a palette for each.",
        discussion: """
            Searches folders and their subfolders. Skips files that have not changed since the last run, \
            reads changed files again, and recognizes moved files by their contents. Prints one line per \
            change in the list of moods: + added, ~ changed, > moved in the list, - removed. A photo that \
            failed is read again when it changes, or with --retry, --accept-truncated, or --max. Date, \
            place, and orientation of an XMP sidecar (a.jpg.xmp, a.xmp) count before the photo's own; those \
            of Google Takeout's JSON file where there are no others.

            Examples:
              moody ingest Photos
              moody ingest --preview 1600 -k 8 Photos
            """)

    @Argument(help: ArgumentHelp("Photos and folders of photos.", valueName: "path"))
    var paths: [BytePath] = []

    @Option(
        help: ArgumentHelp(
            "Read more paths from a file, one per line; - is standard input.", valueName: "file"))
    var filesFrom: BytePath?

    @Flag(name: .customShort("0"), help: "Paths in --files-from end with NUL instead of a newline.")
    var nul = false

    @OptionGroup var reading: ReadingOptions

    @Flag(name: [.customShort("n"), .long], help: "Print what would be done, without writing anything.")
    var dryRun = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var message: MessageOptions

    var decoding: DecodingArguments { reading.photos.palette.decoding }

    func validate() throws {
        if paths.isEmpty && filesFrom == nil { throw UsageError("Name a photo or a folder.") }
        try output.check(reading)
    }

    func run() async throws {
        let messages = message.messages()
        // Before signals are ours: whoever waits for a list is to be ended by one.
        var all = paths
        if let filesFrom { all += try PathList.read(filesFrom, nul: nul) }
        let signals = Signals()
        if !dryRun { try reading.checkOutputs(with: store) }
        // A slip of the pen makes no store.
        let isThere = (try? FileStatus(at: store.path)) != nil
        let rehearses = dryRun || (!isThere && !all.contains { (try? FileStatus(at: $0)) != nil })
        do {
            // A report is begun when the store is there: one that cannot be used must not cost an old report.
            let makesMeanwhile = !isThere && !rehearses && (reading.report ?? .standard) == .standard
            var run = Run(
                paths: all, messages: messages, signals: signals, isThere: isThere, isDryRun: rehearses,
                makesMeanwhile: makesMeanwhile)
            let status: Int32
            do { status = try ingest(run) } catch is StoreCreatedMeanwhile {
                (run.isThere, run.makesMeanwhile) = (true, false)
                status = try ingest(run)
            }
            if status != 0 { throw ExitCode(status) }
        } catch is Interrupted {
            throw ExitCode(128 + (signals.signal ?? SIGTERM))
        } catch  where error is ExitCode || error is OutputError || error is StoreProblem {
            throw error
        } catch { throw StoreProblem(store.path, error) }
    }

    /// A try at the run.
    private struct Run {
        let paths: [BytePath], messages: Messages, signals: Signals
        /// Whether the store exists.
        var isThere: Bool
        let isDryRun: Bool
        /// Whether the store is made while the first photos are being read.
        var makesMeanwhile: Bool
    }

    /// - Returns: the exit status.
    /// - Throws: ``StoreCreatedMeanwhile`` when another process made it meanwhile. Nothing was done then.
    private func ingest(_ run: Run) throws -> Int32 {
        let (paths, messages, signals) = (run.paths, run.messages, run.signals)
        let (isThere, isDryRun, makesMeanwhile) = (run.isThere, run.isDryRun, run.makesMeanwhile)
        var stack: DataStack?
        defer { try? stack?.close() }
        if isDryRun && !isThere {
            // Without a store, the plan is that of an empty one.
            stack = try .inMemory()
        } else if !makesMeanwhile {
            stack = try store.open(isReadOnly: dryRun, makesStore: true, messages)
        }
        let unapplied = try reading.unapplied(to: stack)
        var options = try reading.options(stack, store)
        options.isDryRun = isDryRun
        let palette = options.settings.palette
        // A slip in the path must not change what the store asks of all its photos.
        let isAnyThere = paths.contains { (try? FileStatus(at: $0)) != nil }
        if let stack, !isDryRun, isAnyThere { try reading.keep(palette, in: stack) }
        let printer = try ReportPrinter(
            json: output.json || reading.report == .standard, lines: reading.lines(paths, output),
            isQuiet: message.quiet || reading.html == .standard, file: isDryRun ? nil : reading.report,
            overwrite: reading.overwrite,
            isStopped: { signals.signal != nil })
        var callbacks = messages.callbacks(signals)
        callbacks.onPlan = { path, shown, change in
            let own = PhotoPath(bytes: path.bytes, shown: path.description)
            let json = JSON.object([("v", 1), ("plan", .string(change.rawValue))] + own.json)
            StandardOutput.shared.line(output.json ? json.text : "\(change.rawValue)  \(shown)")
        }
        if isDryRun && (reading.html ?? reading.report) != nil {
            messages.note("moody: note: --dry-run writes neither --html nor --report")
        }
        // Before the first change: it fetches the list then and hears every commit from there on. Where
        // nobody would read the report there is none.
        let isTold =
            output.json || reading.report != nil || !(message.quiet || reading.html == .standard)
        var watch: ChangeReport?
        callbacks.willWrite = { stack in
            if !isTold { return }
            watch = try ChangeReport(of: reading.list, in: stack) { printer.print($0) }
        }
        let ingest =
            stack.map { Ingest(stack: $0, options: options, callbacks: callbacks) }
            ?? Ingest(
                making: {
                    let made = try store.make(messages)
                    stack = made
                    try reading.keep(palette, in: made)
                    return made
                }, options: options, callbacks: callbacks)
        let result = try ingest.run(paths)
        watch?.stop()
        return try end(run, result, stack, printer, unapplied: unapplied)
    }

    /// Writes the page, and prints what the run did.
    ///
    /// - Returns: the exit status.
    private func end(
        _ run: Run, _ result: IngestReport, _ stack: DataStack?, _ printer: ReportPrinter,
        unapplied: [String]
    ) throws -> Int32 {
        let (messages, signals) = (run.messages, run.signals)
        var isPageWritten = true
        let areWritten = try messages.tell {
            try printer.finish()
            guard let stack, !run.isDryRun else { return }
            isPageWritten = try reading.writePage(of: stack, messages) { signals.signal != nil }
        }
        reading.note(result, unapplied: unapplied, messages)
        if let text = result.interruption { messages.note("moody: \(text)") }
        let place = run.isDryRun && !run.isThere ? "no store was made" : store.path.description
        messages.note("\(result); \(place)")
        if !areWritten { return 2 }
        if let signal = signals.signal, result.wasStopped { return 128 + signal }
        return result.isComplete && isPageWritten ? 0 : 1
    }
}
