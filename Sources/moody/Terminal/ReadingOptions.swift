import ArgumentParser
import DataStacks
import MoodyGallery
import MoodyIngest
import Palettes

/// How photos are read and what is done with them: what `ingest` and `watch` have in common.
struct ReadingOptions: ParsableArguments {
    @OptionGroup var photos: PhotoOptions

    @Flag(help: "Recompute every palette, even of unchanged photos.")
    var recompute = false

    @Flag(help: "Read photos again that failed in an earlier run.")
    var retry = false

    @Flag(help: "Compare the contents of files whose size and time are unchanged.")
    var verify = false

    @Flag(help: "Remove photos whose files no longer exist from the store.")
    var prune = false

    @Flag(help: "Restore moods that were deleted with moody delete.")
    var restore = false

    @Option(
        help: ArgumentHelp(
            "Write a page of all moods when done: a file or a folder (see moody export html).",
            valueName: "file|dir"))
    var html: BytePath?

    @Option(
        help: ArgumentHelp(
            "Write changes as JSON Lines, with each save; - is standard output.",
            valueName: "file"))
    var report: BytePath?

    @Option(
        help: ArgumentHelp(
            "Group the reported changes by \(MoodSection.names).",
            valueName: "key"), completion: .list(MoodSection.allCases.map(\.rawValue)),
        transform: MoodSection.parsed)
    var section: MoodSection?

    @Flag(help: "Let --html and --report replace files that moody did not write.")
    var overwrite = false

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

    /// Remembers what is asked of the store's photos for later runs.
    ///
    /// - Throws: ``StoreError``.
    func keep(_ palette: PaletteOptions, in stack: DataStack) throws {
        try photos.keep(palette, in: stack)
    }

    /// Lines that name photos by their paths below the folder that was named, or that all those that were lie
    /// in.
    func lines(_ paths: [BytePath], _ output: OutputOptions) -> MoodLines {
        let folders = paths.compactMap { path -> [UInt8]? in
            let isFolder = (try? FileStatus(at: path))?.kind == .folder
            return try? (isFolder ? path : path.folder).resolved().bytes
        }
        var lines = MoodLines(below: MoodLines.commonFolder(folders), depth: output.depth)
        lines.width = StandardOutput.shared.width.map { $0 - 2 }
        return lines
    }

    /// The list whose changes are reported.
    var list: MoodList {
        var list = MoodList()
        list.section = section
        return list
    }

    /// Returns the options that have no effect on unchanged photos.
    ///
    /// To be asked before the store remembers anew.
    ///
    /// - Throws: ``StoreError``.
    func unapplied(to stack: DataStack?) throws -> [String] {
        if recompute { return [] }
        let isNewPreview = try photos.preview.map { try $0 != StoreSettings.previewSide(of: stack) } ?? false
        return [
            (isNewPreview, "--preview"), (photos.palette.exact, "--exact"),
            (photos.palette.crop != nil, "--crop"),
        ].filter(\.0).map(\.1)
    }

    /// Says that such a thing was asked for in vain.
    func note(_ report: IngestReport, unapplied options: [String], _ messages: Messages) {
        let count = report.unchanged
        guard count > 0, !options.isEmpty else { return }
        messages.note(
            "moody: note: \(count) unchanged "
                + "\(count == 1 ? "photo stays as it is" : "photos stay as they are"); "
                + "--recompute applies \(options.joined(separator: ", ")) to \(count == 1 ? "it" : "them")")
    }

    /// Writes the page, if one is asked for.
    ///
    /// - Parameter isStopped: asked while nobody reads from a pipe.
    /// - Returns: false when the store has outgrown pages, which is printed: the photos are stored.
    /// - Throws: ``OutputError``, ``StoreError``.
    func writePage(
        of stack: DataStack, _ messages: Messages, isStopped: @escaping () -> Bool
    ) throws -> Bool {
        guard let html else { return true }
        if let refusal = try ExportCommand.refusal(ofPageOf: MoodList().count(in: stack)) {
            messages.problem(html.description, refusal)
            return false
        }
        do {
            try ExportCommand.writePage(
                html, of: stack, list: MoodList(), overwrite: overwrite, messages: messages,
                isStopped: isStopped)
        } catch is Interrupted {
            throw OutputError("\(html): nobody reads it")
        }
        return true
    }

    /// Returns the options of an ingest run. Palette options are the store's, unless the command line says
    /// otherwise.
    ///
    /// - Parameter stack: nil while the store is still to be made.
    /// - Throws: ``StoreError``.
    func options(_ stack: DataStack?, _ store: StoreOptions) throws -> IngestOptions {
        var options = try photos.options(stack, store)
        (options.prune, options.restore, options.verify) = (prune, restore, verify)
        options.recompute = options.recompute || recompute
        options.retry = options.retry || retry
        return options
    }
}
