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
            "Number of colors per photo: 1...32, or auto (default: the store's, else 5).",
            valueName: "count"))
    var colors: PaletteSize?

    @OptionGroup var palette: PaletteArguments

    @Option(
        help: ArgumentHelp(
            """
            Keep a larger preview of each photo, this many pixels on its long side: 64...8192, or 0 for \
            none (default: the store's, else 0).
            """, valueName: "pixels"))
    var preview: Int?

    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: ArgumentHelp(
            "Number of photos to process in parallel (default: number of cores).", valueName: "count"))
    var jobs: Int?

    @Option(
        help: ArgumentHelp(
            "Read only files that match this glob (.gitignore syntax, case-insensitive).", valueName: "glob"))
    var include: [String] = []

    @Option(
        help: ArgumentHelp(
            "Skip files that match this glob, now and in later runs ('' takes it back).", valueName: "glob"))
    var exclude: [String] = []

    @Flag(help: "Read hidden files and folders, too.")
    var hidden = false

    @Flag(name: [.customShort("L"), .long], help: "Follow symbolic links.")
    var followLinks = false

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

    func validate() throws {
        if let jobs, !(1...1024).contains(jobs) {
            throw UsageError("--jobs must be 1...1024, not \(jobs).")
        }
        if let preview, preview != 0, !(64...8192).contains(preview) {
            throw UsageError("--preview must be 64...8192 or 0, not \(preview).")
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

    /// The patterns to skip: the store's, unless the command line has some; an empty pattern is none.
    ///
    /// - Throws: ``StoreError``.
    private func excludes(of stack: DataStack?) throws -> [String] {
        exclude.isEmpty ? try StoreSettings.excludes(of: stack) : exclude.filter { !$0.isEmpty }
    }

    /// The size of previews: the store's, unless the command line has one; 0 for none.
    ///
    /// - Throws: ``StoreError``.
    private func previewSide(of stack: DataStack?) throws -> Int {
        try preview ?? StoreSettings.previewSide(of: stack)
    }

    /// Remembers what is asked of the store's photos for later runs.
    ///
    /// - Throws: ``StoreError``.
    func keep(_ palette: PaletteOptions, in stack: DataStack) throws {
        try StoreSettings.keep(
            palette, excludes: try excludes(of: stack), previewSide: try previewSide(of: stack), in: stack)
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
        let isNewPreview = try preview.map { try $0 != StoreSettings.previewSide(of: stack) } ?? false
        return [
            (isNewPreview, "--preview"), (palette.exact, "--exact"), (palette.crop != nil, "--crop"),
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

    /// Returns the options of an ingest run. Palette options are the store's, unless the command line says
    /// otherwise.
    ///
    /// - Parameter stack: nil while the store is still to be made.
    /// - Throws: ``StoreError``.
    func options(_ stack: DataStack?, _ store: StoreOptions) throws -> IngestOptions {
        var options = IngestOptions()
        let kept = try StoreSettings.palette(of: stack)
        options.settings = palette.settings(colors, kept)
        let side = try previewSide(of: stack)
        options.settings.previewSide = side > 0 ? side : nil
        options.filter.include = include.map { Glob(RawArguments.bytes($0)) }
        options.filter.exclude = try excludes(of: stack).map { Glob(RawArguments.bytes($0)) }
        options.filter.includesHidden = hidden
        options.filter.followsLinks = followLinks
        if let jobs { options.jobs = jobs }
        (options.prune, options.restore, options.verify) = (prune, restore, verify)
        // The first version's moods do not remember what was left out of them.
        let leavesOut = !kept.ignore.isEmpty || kept.background != nil
        let isMarked = try stack.map { try LeftOutMark.isSet(in: $0) } ?? true
        options.recompute = recompute || (leavesOut && !isMarked)
        // Photos that failed by the usual limits may pass with these.
        options.retry = retry || palette.decoding.isUnusual
        options.skipped = store.ownPaths
        return options
    }
}
