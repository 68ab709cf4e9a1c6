import ArgumentParser
import DataStacks
import MoodyIngest
import Palettes

/// How photos are read: what `ingest`, `watch` and `serve` have in common.
struct PhotoOptions: ParsableArguments {
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

    @Flag(
        name: .customLong("no-default-excludes"),
        help: "Read what is left out by default, too: thumbnails, bins and copies of other programs.")
    var readsDefaults = false

    @Flag(help: "Read hidden files and folders, too.")
    var hidden = false

    @Flag(name: [.customShort("L"), .long], help: "Follow symbolic links.")
    var followLinks = false

    func validate() throws {
        if let jobs, !(1...1024).contains(jobs) {
            throw UsageError("--jobs must be 1...1024, not \(jobs).")
        }
        if let preview, preview != 0, !(64...8192).contains(preview) {
            throw UsageError("--preview must be 64...8192 or 0, not \(preview).")
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

    /// Remembers the palette options for later runs.
    ///
    /// - Throws: ``StoreError``.
    func keep(_ palette: PaletteOptions, in stack: DataStack) throws {
        try StoreSettings.keep(
            palette, excludes: try excludes(of: stack), previewSide: try previewSide(of: stack), in: stack)
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
        options.filter.skipsDefaults = !readsDefaults
        options.filter.followsLinks = followLinks
        if let jobs { options.jobs = jobs }
        // The first version's moods do not remember what was left out of them.
        let leavesOut = !kept.ignore.isEmpty || kept.background != nil
        let isMarked = try stack.map { try LeftOutMark.isSet(in: $0) } ?? true
        options.recompute = leavesOut && !isMarked
        // Photos that failed by the usual limits may pass with these.
        options.retry = palette.decoding.isUnusual
        options.skipped = store.ownPaths
        return options
    }
}
