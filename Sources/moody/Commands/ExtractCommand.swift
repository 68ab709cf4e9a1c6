import ArgumentParser
import Foundation
import Glibc
import Images
import MoodyGallery
import MoodyIngest
import Palettes

struct ExtractCommand: AsyncParsableCommand, DecodingCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Print the palettes of photos, without a store.",
        discussion: """
            Prints one line per color: hex, share, name. With several photos, each palette follows the path \
            of its photo. Searches folders and their subfolders, skipping files that are no pictures. - \
            reads a photo from standard input.

            Formats: json and jsonl (one object per photo), csv (one line per color), hex (one color per \
            line, a blank line between photos), and the swatch files, themes, and templates of moody export. \
            css has the rule :root for a single photo, else .photo-1, .photo-2.

            record (one JSON object per photo with everything that a store keeps) is for moody import. \
            A tar or zip archive stands for the photos in it; --tar reads one from a pipe. Records end with \
            the line {"v":1,"end":true}.

            Examples:
              moody extract Photos/harbour.jpg
              moody extract --format base24 --variant light Photos/harbour.jpg
            """)

    enum Format: String, CaseIterable {
        case text, json, jsonl, record, hex, csv, ase, aco, svg, png

        var swatches: SwatchFormat? { SwatchFormat(rawValue: rawValue) }
    }

    @Argument(
        help: ArgumentHelp("Photos, folders, and archives of photos; - is standard input.", valueName: "path")
    )
    var paths: [BytePath] = []

    @Option(
        help: ArgumentHelp(
            "text, json, jsonl, record, hex, csv, ase, aco, svg, png, the name of a template (see moody "
                + "template), or a template file or folder. Default: text, with --tar record.",
            valueName: "format"))
    var format: FormatArgument<Format>?

    @Option(help: "Themes and templates: for a dark or a light ground: dark or light (default: dark).")
    var variant: Theme.Variant?

    @Option(
        help: ArgumentHelp(
            "text, json, jsonl, and templates: name each color after the nearest of this list (GPL, ASE, "
                + "ACO, CSV, JSON).", valueName: "file"))
    var names: BytePath?

    @Option(
        help: ArgumentHelp(
            "Read more paths from a file, one per line; - is standard input.", valueName: "file"))
    var filesFrom: BytePath?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write to this file; - is standard output.", valueName: "file"))
    var destination: BytePath?

    @Flag(help: "Replace a file that moody did not write.")
    var overwrite = false

    @Flag(name: .customShort("0"), help: "Paths in --files-from end with NUL instead of a newline.")
    var nul = false

    @Option(
        name: PaletteArguments.sizeNames,
        help: ArgumentHelp(
            "Number of colors per photo: 1...32, or auto (default: 5; themes 8).", valueName: "count"))
    var colors: PaletteSize?

    @Option(
        help: ArgumentHelp(
            "Read the photos from a tar or zip stream; - is standard input. Needs --format record.",
            valueName: "file"))
    var tar: BytePath?

    @Flag(help: "With --format record: put a small JPEG of each photo into its record, in base64.")
    var thumbnails = false

    @Flag(help: "With --tar: print one line per member, even for files that are no pictures.")
    var everyMember = false

    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: ArgumentHelp(
            "Number of photos to process in parallel (default: number of cores).", valueName: "count"))
    var jobs: Int?

    @OptionGroup var palette: PaletteArguments
    @OptionGroup var output: OutputOptions
    @OptionGroup var message: MessageOptions

    var decoding: DecodingArguments { palette.decoding }

    func validate() throws {
        try format?.check()
        if variant != nil && format?.isTemplate != true {
            throw UsageError("--variant is for themes and templates.")
        }
        if names != nil && (tar != nil || ![nil, .text, .json, .jsonl].contains(format?.own)) {
            throw UsageError("--names is for text, json, jsonl, and templates.")
        }
        let chosen = format
        let format = format?.own
        if tar != nil {
            if !paths.isEmpty || filesFrom != nil { throw UsageError("--tar reads no other photos.") }
            if chosen != nil && format != .record { throw UsageError("--tar needs --format record.") }
            if output.json { throw UsageError("--tar needs --format record, not --json.") }
        } else if paths.isEmpty && filesFrom == nil {
            throw UsageError("Name a photo or a folder.")
        }
        if (thumbnails || everyMember) && format != .record && tar == nil {
            throw UsageError("--thumbnails and --every-member are for --format record.")
        }
        if let jobs, !(1...1024).contains(jobs) {
            throw UsageError("--jobs must be 1...1024, not \(jobs).")
        }
        if output.json, let chosen, format != .json && format != .jsonl {
            throw UsageError("--json and --format \(chosen.name) exclude each other.")
        }
    }

    func run() async throws {
        let messages = message.messages(), signals = Unfinished.endOnSignals()
        defer { withExtendedLifetime(signals) {} }
        var all = paths
        if let filesFrom { all += try PathList.read(filesFrom, nul: nul) }
        if tar != nil || format?.own == .record {
            let status = try writeRecords(of: all, messages)
            if status != 0 { throw ExitCode(status) }
            return
        }
        let templates = try format?.templates()
        let format = templates == nil ? format?.own ?? (output.json ? .json : .text) : nil
        if let templates, templates.isFolder, destination == nil || destination == .standard {
            throw UsageError("a folder of templates needs a folder: --output DIR")
        }
        if let format, format.swatches?.isBinary == true, destination == nil || destination == .standard,
            StandardOutput.shared.isTerminal
        {
            throw OutputError("\(format.rawValue) is not for a terminal: --output FILE")
        }
        // Of templates nothing is written before the end.
        let results = try Results(templates == nil ? destination : nil, overwrite: overwrite)
        var page = ExtractedPage(format: format, depth: results.isFile ? .none : output.depth)
        page.names = try names.map { try ColorListFile.names($0, messages) }
        results.write(page.head)
        let sources = all.flatMap { ExtractSource.all(at: $0, passingOver: messages) }
        let hasArchive = sources.contains { $0.archive != nil }
        page.isAlone = sources.count == 1 && all.count == 1 && sources[0].isNamed && !hasArchive
        // A bar would stand in the midst of what a terminal shows.
        let showsBar = results.isFile || !StandardOutput.shared.isTerminal
        var failed = 0, done = 0
        if showsBar { messages.progress(0, of: sources.count, photos: 0) }
        if let templates, !hasArchive, sources.allSatisfy(\.isNamed) {
            try templates.check(photos: sources.count)
        }
        let settings = palette.settings(colors ?? (templates?.isTheme == true ? .colors(8) : nil))
        let jobs = jobs ?? ProcessInfo.processInfo.activeProcessorCount
        let queue = PhotoQueue(sources, limit: decoding.options.unpackedLimit) { $0.archive }
        try pipeline(
            width: jobs, window: jobs * 4, next: { queue.next()?.source }, work: { $0.outcome(settings) },
            sink: { outcome in
                if results.isClosed { throw ExitCode.success }
                done += 1
                switch outcome.result {
                case nil: messages.verbose("moody: \(outcome.path.shown): no picture")
                case .success(let photo)?:
                    let extracted = photo.extracted
                    results.write(page.text(outcome.path, photo))
                    if templates?.isTheme == true && extracted.palette.entries.isEmpty {
                        messages.note(TemplateSet.grayNote(outcome.path.shown))
                    }
                    // In JSON the notes stand with the palette.
                    for note in photo.notes where !page.isJSON {
                        messages.note("moody: \(outcome.path.shown): note: \(note)")
                    }
                case .failure(let error)?:
                    failed += 1
                    messages.problem(outcome.path.shown, "\(error)")
                    results.write(page.text(outcome.path, error))
                }
                if showsBar { messages.progress(done, of: max(sources.count, done), photos: done) }
            })
        if let note = queue.note { messages.note("moody: note: \(note)") }
        if let templates {
            if page.count > 0 || failed == 0 {
                try templates.check(photos: page.count)
                try templates.write(page.photos, variant ?? .dark, to: destination, overwrite: overwrite)
            }
            if failed > 0 { throw ExitCode(1) }
            return
        }
        results.write(page.tail)
        // A file with nothing in it is not worth the one that is there.
        if page.count > 0 || failed == 0 || !results.isFile { try results.finish() }
        if failed > 0 { throw ExitCode(1) }
    }

    /// - Returns: the exit status.
    private func writeRecords(of paths: [BytePath], _ messages: Messages) throws -> Int32 {
        let records = ExtractedRecords(
            settings: palette.settings(colors), withThumbnails: thumbnails, everyMember: everyMember,
            jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            results: try Results(destination, overwrite: overwrite), messages: messages)
        let limit = decoding.options.unpackedLimit
        guard let tar else {
            return try records.write(try files(of: paths, messages), limit: limit)
        }
        if tar == .standard { return try records.write(tar: STDIN_FILENO, named: "-", limit: limit) }
        let file: Int32
        do throws(FileError) { file = try openList(tar) } catch {
            messages.problem(tar.description, "\(error)")
            return 2
        }
        defer { close(file) }
        return try records.write(tar: file, named: tar.description, limit: limit)
    }

    /// The files that are named, and those in folders, by their absolute paths.
    private func files(of paths: [BytePath], _ messages: Messages) throws -> [FoundFile] {
        if paths.contains(.standard) { throw UsageError("--format record reads - as --tar -.") }
        let found = FileFinder.find(paths, filter: FileFilter())
        for (path, error) in found.problems { messages.problem(path.description, "\(error)") }
        if found.files.isEmpty && !found.problems.isEmpty { throw ExitCode(1) }
        return Array(found.files)
    }
}

extension PhotoQueue<ExtractSource>.Item {
    /// What a palette is extracted from.
    fileprivate var source: ExtractSource? {
        switch self {
        case .file(let source): source
        case .member(let member, let archive): archive?.member(member)
        case .broken(let error, let archive): archive?.broken(error)
        }
    }
}
