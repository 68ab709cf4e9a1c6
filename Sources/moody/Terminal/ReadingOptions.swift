import ArgumentParser
import DataStacks
import MoodyGallery
import MoodyIngest
import Palettes

/// How photos are read and what is done with them: what `ingest` and `watch` have in common.
struct ReadingOptions: ParsableArguments {
    @OptionGroup var photos: PhotoOptions

    @Flag(help: "Make all palettes anew.")
    var recompute = false

    @Flag(help: "Look again at what failed.")
    var retry = false

    @Flag(help: "Compare contents too where size and time are what they were.")
    var verify = false

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

    @Option(
        help: ArgumentHelp(
            "Report the changes of the list put together by \(MoodSection.names) (moody list --section).",
            valueName: "key"), completion: .list(MoodSection.allCases.map(\.rawValue)),
        transform: MoodSection.parsed)
    var section: MoodSection?

    @Flag(help: "Replace files that moody did not write, with --html and --report.")
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

    /// What was asked for and does nothing for photos that have not changed.
    ///
    /// To be asked before the store remembers anew.
    ///
    /// - Throws: ``StoreError``.
    func unapplied(to stack: DataStack?) throws -> [String] {
        if recompute { return [] }
        let isNewPreview = try photos.preview.map { try $0 != StoreSettings.previewSide(of: stack) } ?? false
        return [
            (isNewPreview, "--preview"), (photos.palette.exact, "--exact"), (photos.palette.crop != nil, "--crop"),
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

    /// What is asked of an ingest. What is asked of palettes is as the store was made with, unless said
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
