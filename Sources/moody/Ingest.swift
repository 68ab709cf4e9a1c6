import ArgumentParser
import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import Palettes
import Synchronization

struct Ingest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reads photos and keeps a mood for each.",
        discussion: """
            Folders are searched through. Files that have not changed since the last run are not opened; those \
            that changed are read again; one that was moved keeps its mood. Prints what changed in the list of \
            moods, a line each: + new, ~ changed, > moved in the list, - gone.

            Examples:
              moody ingest Photos
              moody ingest --preview 1600 -k 8 Photos
            """)

    @Argument(help: ArgumentHelp("Photos, and folders of photos.", valueName: "path"))
    var paths: [String] = []

    @Option(help: ArgumentHelp("Read more paths from a file, a line each; - is standard input.", valueName: "file"))
    var filesFrom: String?

    @Flag(name: .customShort("0"), help: "NUL ends the paths of --files-from, not a new line.")
    var nul = false

    @OptionGroup var palette: PaletteArguments

    @Option(help: ArgumentHelp("Keep a larger picture too, so many pixels on its long side: 64...8192.", valueName: "pixels"))
    var preview: Int?

    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: ArgumentHelp("Photos worked on at once. Default: one a core.", valueName: "count"))
    var jobs: Int?

    @Option(help: ArgumentHelp("Look at these files only; as in a .gitignore, in any case.", valueName: "glob"))
    var include: [String] = []

    @Option(help: ArgumentHelp("Leave these out.", valueName: "glob"))
    var exclude: [String] = []

    @Flag(help: "Look at hidden files and folders too.")
    var hidden = false

    @Flag(name: [.customShort("L"), .long], help: "Follow links.")
    var followLinks = false

    @Flag(name: [.customShort("n"), .long], help: "Say what would be done; write nothing.")
    var dryRun = false

    @Flag(help: "Make all palettes anew.")
    var recompute = false

    @Flag(help: "Look again at what failed.")
    var retry = false

    @Flag(help: "Take photos that are gone out of the store.")
    var prune = false

    @Flag(help: "Bring back photos whose moods were deleted.")
    var restore = false

    @Option(help: ArgumentHelp("Write a page of all moods when done.", valueName: "file"))
    var html: String?

    @Option(help: ArgumentHelp("Write the change report as JSON Lines; - is standard output.", valueName: "file"))
    var report: String?

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var message: MessageOptions

    func validate() throws {
        if paths.isEmpty && filesFrom == nil { throw UsageError("Name a photo or a folder.") }
        if let jobs, !(1...1024).contains(jobs) {
            throw UsageError("--jobs must be 1...1024, not \(jobs).")
        }
        if let preview, !(64...8192).contains(preview) {
            throw UsageError("--preview must be 64...8192, not \(preview).")
        }
    }

    func run() async throws {
        let messages = message.messages(), signals = Signals()
        let exists = FileManager.default.fileExists(atPath: store.url.path)
        if dryRun && !exists { throw StoreProblem("no store at \(store.path) to compare with") }
        var all = RawArguments.paths(paths)
        if let filesFrom { all += try PathList.read(filesFrom, nul: nul) }
        let stack = try store.open(isReadOnly: dryRun, makesStore: true, messages)
        defer { try? stack.coordinator.close() }
        do {
            let status = try ingest(all, stack, messages, signals)
            if status != 0 { throw ExitCode(status) }
        } catch let error as ExitCode { throw error } catch let error as OutputError { throw error } catch {
            throw StoreProblem(store.path, error)
        }
    }

    private func ingest(_ paths: [BytePath], _ stack: DataStack, _ messages: Messages, _ signals: Signals) throws
        -> Int32
    {
        var ingest = MoodyIngest.Ingest(stack: stack)
        ingest.settings = palette.settings(try StoreSettings.palette(of: stack))
        ingest.settings.previewSide = preview
        ingest.filter.include = include.map { Glob($0) }
        ingest.filter.exclude = exclude.map { Glob($0) }
        ingest.filter.includesHidden = hidden
        ingest.filter.followsLinks = followLinks
        if let jobs { ingest.jobs = jobs }
        (ingest.recompute, ingest.retry, ingest.prune) = (recompute, retry, prune)
        (ingest.restore, ingest.isDryRun) = (restore, dryRun)
        ingest.skipped = store.ownPaths
        ingest.onProblem = { messages.problem($0, $1) }
        ingest.onProgress = { messages.progress($0, of: $1) }
        ingest.onPlan = { StandardOutput.shared.line("\($1)  \($0)") }
        ingest.isStopped = { signals.signal != nil }
        if !dryRun { try StoreSettings.keep(ingest.settings.palette, in: stack) }
        let printer = try ReportPrinter(json: output.json || report == "-", isInColor: output.isInColor, file: report)
        // Before the first change: it fetches the list now and hears every commit from here on.
        let watch = try ChangeReport(in: stack) { printer.print($0) }
        let result = try ingest.run(paths)
        watch.stop()
        try printer.finish()
        try StandardOutput.shared.flush()
        if let html, !dryRun { try Export.writePage(html, of: stack, MoodList(), overwrite: false, messages) }
        messages.note("\(result); \(store.path)")
        if let signal = signals.signal, result.wasStopped { return 128 + signal }
        return result.isComplete ? 0 : 1
    }
}

/// Prints changes as they are committed.
final class ReportPrinter: Sendable {
    private let json: Bool, isInColor: Bool
    private let file: OutputFile?

    /// - Parameter file: a file for JSON Lines besides; nil or "-" for none.
    init(json: Bool, isInColor: Bool, file: String?) throws {
        (self.json, self.isInColor) = (json, isInColor)
        self.file = try file.flatMap { $0 == "-" ? nil : try OutputFile($0, overwrite: true) }
    }

    func print(_ changes: [MoodChange]) {
        for change in changes {
            if json {
                StandardOutput.shared.line(change.json.text)
            } else {
                let line = change.record?.line(inColor: isInColor) ?? "\(change.objectID.key)"
                StandardOutput.shared.line("\(change.sign) \(line)")
            }
            file?.write(change.json.text + "\n")
        }
    }

    func finish() throws { try file?.finish() }
}
