import ArgumentParser
import Foundation
import MoodyGallery
import MoodyIngest
import Palettes

struct Extract: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the palettes of photos, without a store.",
        discussion: """
            A colour a line: hex, share, name. With several photos each palette stands below its photo's \
            path. Folders are searched through; what is no picture in them is passed over. - is a photo on \
            standard input.

            json and jsonl are an object a photo, csv a line a colour, hex a colour a line with a blank \
            line between photos, css a rule a photo with a property a colour: for one photo on :root, else \
            .photo-1, .photo-2. The others are swatch files, with a group a photo, as of moody export.

            Examples:
              moody extract Photos/harbour.jpg
              moody extract -k 8 --format json Photos/harbour.jpg
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case text, json, jsonl, hex, css, csv, ase, aco, gpl, scss, tailwind, tokens, svg, png

        var swatches: SwatchFormat? { SwatchFormat(rawValue: rawValue) }
    }

    @Argument(help: ArgumentHelp("Photos, and folders of photos; - is standard input.", valueName: "path"))
    var paths: [BytePath] = []

    @Option(
        help: ArgumentHelp(
            "text, json, jsonl, hex, css, csv, ase, aco, gpl, scss, tailwind, tokens, svg or png. Default: "
                + "text.",
            valueName: "format"))
    var format: Format?

    @Option(
        help: ArgumentHelp(
            "Read more paths from a file, a line each; - is standard input.", valueName: "file"))
    var filesFrom: BytePath?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Where to; - is standard output.", valueName: "file"))
    var destination: BytePath?

    @Flag(help: "Replace a file that moody did not write.")
    var overwrite = false

    @Flag(name: .customShort("0"), help: "NUL ends the paths of --files-from, not a new line.")
    var nul = false

    @Option(
        name: PaletteArguments.sizeNames,
        help: ArgumentHelp("Colours a photo: 1...32, or auto. Default: 5.", valueName: "count"))
    var colors: PaletteSize?

    @OptionGroup var palette: PaletteArguments
    @OptionGroup var output: OutputOptions
    @OptionGroup var message: MessageOptions

    func validate() throws {
        if paths.isEmpty && filesFrom == nil { throw UsageError("Name a photo or a folder.") }
        if output.json, let format, format != .json && format != .jsonl {
            throw UsageError("--json and --format \(format.rawValue) exclude each other.")
        }
    }

    func run() async throws {
        let messages = message.messages(), signals = Unfinished.endOnSignals()
        defer { withExtendedLifetime(signals) {} }
        var all = paths
        if let filesFrom { all += try PathList.read(filesFrom, nul: nul) }
        let format = format ?? (output.json ? .json : .text)
        if format.swatches?.isBinary == true, destination == nil || destination == .standard,
            StandardOutput.shared.isTerminal
        {
            throw OutputError("\(format.rawValue) is not for a terminal: --output FILE")
        }
        let results = try Results(destination, overwrite: overwrite)
        var page = ExtractedPage(format: format, depth: results.isFile ? .none : output.depth)
        results.write(page.head)
        let sources = all.flatMap { ExtractSource.all(at: $0, passingOver: messages) }
        page.isAlone = sources.count == 1 && all.count == 1 && sources[0].isNamed
        // A bar would stand in the midst of what a terminal shows.
        let showsBar = results.isFile || !StandardOutput.shared.isTerminal
        var failed = 0, done = 0
        if showsBar { messages.progress(0, of: sources.count, photos: 0) }
        let settings = palette.settings(colors), jobs = ProcessInfo.processInfo.activeProcessorCount
        try pipeline(
            count: sources.count, width: jobs, window: jobs * 4, work: { sources[$0].outcome(settings) },
            sink: { outcome in
                if results.isClosed { throw ExitCode.success }
                done += 1
                switch outcome.result {
                case nil: messages.verbose("moody: \(outcome.path.shown): no picture")
                case .success(let extracted)?:
                    results.write(page.text(outcome.path, extracted))
                    // In JSON the notes stand with the palette.
                    for note in extracted.notes where !page.isJSON {
                        messages.note("moody: \(outcome.path.shown): note: \(note)")
                    }
                case .failure(let error)?:
                    failed += 1
                    messages.problem(outcome.path.shown, "\(error)")
                    results.write(page.text(outcome.path, error))
                }
                if showsBar { messages.progress(done, of: sources.count, photos: done) }
            })
        results.write(page.tail)
        // A file with nothing in it is not worth the one that is there.
        if page.count > 0 || failed == 0 || !results.isFile { try results.finish() }
        if failed > 0 { throw ExitCode(1) }
    }
}
