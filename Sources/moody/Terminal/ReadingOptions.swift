import ArgumentParser
import DataStacks
import MoodyGallery
import MoodyIngest
import Palettes

/// How photos are read and what is done with them: what `ingest` and `watch` have in common.
struct ReadingOptions: ParsableArguments {
    @Option(
        name: PaletteArguments.sizeNames,
        help: ArgumentHelp(
            "Colours a photo: 1...32, or auto. Default: as the store was made with, else 5.",
            valueName: "count"))
    var colors: PaletteSize?

    @OptionGroup var palette: PaletteArguments

    @Option(
        help: ArgumentHelp(
            "Keep a larger picture too, so many pixels on its long side: 64...8192.", valueName: "pixels"))
    var preview: Int?

    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: ArgumentHelp("Photos worked on at once. Default: one a core.", valueName: "count"))
    var jobs: Int?

    @Option(
        help: ArgumentHelp("Look at these files only; as in a .gitignore, in any case.", valueName: "glob"))
    var include: [String] = []

    @Option(help: ArgumentHelp("Leave these out.", valueName: "glob"))
    var exclude: [String] = []

    @Flag(help: "Look at hidden files and folders too.")
    var hidden = false

    @Flag(name: [.customShort("L"), .long], help: "Follow links.")
    var followLinks = false

    @Flag(help: "Make all palettes anew.")
    var recompute = false

    @Flag(help: "Look again at what failed.")
    var retry = false

    @Flag(help: "Take photos that are gone out of the store.")
    var prune = false

    @Flag(help: "Bring back photos whose moods were deleted.")
    var restore = false

    @Option(
        help: ArgumentHelp(
            "Write a page of all moods when done: a file, or a folder (moody export html).",
            valueName: "file|dir"))
    var html: BytePath?

    @Option(
        help: ArgumentHelp(
            "Write the change report as JSON Lines, which grow with each save; - is standard output.",
            valueName: "file"))
    var report: BytePath?

    @Flag(help: "Replace files that moody did not write, with --html and --report.")
    var overwrite = false

    func validate() throws {
        if let jobs, !(1...1024).contains(jobs) {
            throw UsageError("--jobs must be 1...1024, not \(jobs).")
        }
        if let preview, !(64...8192).contains(preview) {
            throw UsageError("--preview must be 64...8192, not \(preview).")
        }
    }

    /// Whether the page and the report may be written: said before the work, not after it.
    ///
    /// - Throws: ``OutputError``.
    func checkOutputs(with store: StoreOptions) throws {
        ProtectedFile.add(store.ownPaths)
        if let report, report != .standard { try OutputFile.check(report, overwrite: overwrite) }
        guard let html, html != .standard else { return }
        if PageFolder.isMeant(by: html) {
            _ = try PageFolder(html)
        } else {
            try OutputFile.check(html, overwrite: overwrite)
        }
    }

    /// What was asked for and does nothing for photos that have not changed.
    ///
    /// - Parameter kept: what the store asked of palettes before this run.
    private func unapplied(_ kept: PaletteOptions) -> [String] {
        [
            (preview != nil, "--preview"), (palette.exact, "--exact"), (palette.crop != nil, "--crop"),
            (palette.ignore.map { $0.set != kept.ignore } ?? false, "--ignore"),
            (palette.background.map { $0 != kept.background } ?? false, "--background"),
        ].filter(\.0).map(\.1)
    }

    /// Says that such a thing was asked for in vain.
    func note(_ report: IngestReport, _ kept: PaletteOptions, _ messages: Messages) {
        let options = unapplied(kept), count = report.unchanged
        guard count > 0, !options.isEmpty, !recompute else { return }
        messages.note(
            "moody: note: \(count) unchanged \(count == 1 ? "photo stays as it is" : "photos stay as they are"); "
                + "--recompute applies \(options.joined(separator: ", ")) to \(count == 1 ? "it" : "them")")
    }

    /// Writes the page, if one is asked for.
    ///
    /// - Parameter isStopped: asked while nobody reads from a pipe.
    /// - Throws: ``OutputError``, ``StoreError``.
    func writePage(of stack: DataStack, _ messages: Messages, isStopped: @escaping () -> Bool) throws {
        guard let html else { return }
        do {
            try Export.writePage(
                html, of: stack, MoodList(), overwrite: overwrite, messages, isStopped: isStopped)
        } catch is Interrupted {
            throw OutputError("\(html): nobody reads it")
        }
    }

    /// An ingest as it is asked for. What is asked of palettes is as the store was made with, unless said otherwise.
    ///
    /// - Throws: ``StoreError``.
    func ingest(_ stack: DataStack) throws -> MoodyIngest.Ingest {
        var ingest = MoodyIngest.Ingest(stack: stack)
        ingest.settings = palette.settings(colors, try StoreSettings.palette(of: stack))
        ingest.settings.previewSide = preview
        ingest.filter.include = include.map { Glob(RawArguments.bytes($0)) }
        ingest.filter.exclude = exclude.map { Glob(RawArguments.bytes($0)) }
        ingest.filter.includesHidden = hidden
        ingest.filter.followsLinks = followLinks
        if let jobs { ingest.jobs = jobs }
        (ingest.recompute, ingest.prune, ingest.restore) = (recompute, prune, restore)
        // What failed by the usual rules may pass by these.
        ingest.retry = retry || palette.decoding.isUnusual
        return ingest
    }
}
