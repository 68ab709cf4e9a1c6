import ArgumentParser
import Foundation
import Glibc
import Images
import MoodyGallery
import MoodyIngest
import Palettes

struct Extract: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the palettes of photos, without a store.",
        discussion: """
            A colour a line: hex, share, name. With several photos each palette stands below its photo's path. \
            - is a photo on standard input.

            json and jsonl are an object a photo, csv a line a colour, hex a colour a line with a blank line between \
            photos, css a rule a photo with a property a colour: for one photo on :root, else .photo-1, .photo-2.

            Examples:
              moody extract Photos/harbour.jpg
              moody extract -k 8 --format json Photos/harbour.jpg
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, jsonl, hex, css, csv }

    @Argument(help: ArgumentHelp("Photos; - is standard input.", valueName: "path"))
    var paths: [BytePath] = []

    @Option(help: ArgumentHelp("text, json, jsonl, hex, css or csv. Default: text.", valueName: "format"))
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
        if paths.isEmpty && filesFrom == nil { throw UsageError("Name a photo.") }
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
        let results = try Results(destination, overwrite: overwrite)
        var failed = 0, done = 0, hexes = HexLists()
        if format == .css { results.write(PaletteText.cssHead) }
        if format == .csv { results.write(PaletteTable.photoHead) }
        // A bar would stand in the midst of what a terminal shows.
        let showsBar = results.isFile || !StandardOutput.shared.isTerminal
        for path in all {
            if results.isClosed { return }
            if showsBar { messages.progress(done + failed, of: all.count, photos: done + failed) }
            let isStandard = Self.standardInputs.contains(path), name = isStandard ? "-" : path.description
            let exact = PhotoPath(bytes: isStandard ? BytePath("-").bytes : path.bytes, shown: name)
            do {
                let bytes = isStandard ? try readPhoto(STDIN_FILENO) : try readPhoto(path)
                let extracted = try ExtractedPalette(bytes: bytes, settings: palette.settings(colors))
                done += 1
                results.write(
                    text(exact, extracted, format, place: done, isAlone: all.count == 1, &hexes))
                // In JSON the notes stand with the palette.
                if format != .json && format != .jsonl {
                    for note in extracted.notes { messages.note("moody: \(name): note: \(note)") }
                }
            } catch {
                failed += 1
                messages.problem(name, "\(error)")
                if format == .json || format == .jsonl {
                    let fields: [(String, JSON)] = [("v", 1)] + exact.json + [("error", .string("\(error)"))]
                    results.line(JSON.object(fields).text)
                }
            }
        }
        if showsBar { messages.progress(all.count, of: all.count, photos: all.count) }
        // A file with nothing in it is not worth the one that is there.
        if done > 0 || failed == 0 || !results.isFile { try results.finish() }
        if failed > 0 { throw ExitCode(1) }
    }

    /// A pipe has many names, and is no file that a photo could be found in.
    private static let standardInputs = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].map {
        BytePath($0)
    }

    /// - Parameter place: which of the photos that have a palette, from 1.
    private func text(
        _ path: PhotoPath, _ extracted: ExtractedPalette, _ format: Format, place: Int, isAlone: Bool,
        _ hexes: inout HexLists
    )
        -> String
    {
        let palette = extracted.palette, picture = extracted.picture
        return switch format {
        case .text: lines(extracted, heading: isAlone ? nil : path.shown)
        case .json, .jsonl: json(path, extracted).text + "\n"
        case .hex: hexes.next(palette)
        case .css: PaletteText.css(palette, of: path.shown, selector: isAlone ? ":root" : ".photo-\(place)")
        case .csv: PaletteTable.photo(path, width: picture.width, height: picture.height, palette)
        }
    }

    private func json(_ path: PhotoPath, _ extracted: ExtractedPalette) -> JSON {
        let fields: [(String, JSON)] = [
            ("width", .number(Int64(extracted.picture.width))),
            ("height", .number(Int64(extracted.picture.height))),
            (
                "colors",
                .array(
                    extracted.palette.entries.map {
                        paletteColor($0.color, share: $0.share, displayP3: $0.displayP3)
                    })
            ),
            ("notes", .array(extracted.notes.map { .string($0) })),
        ]
        return .object([("v", 1)] + path.json + fields)
    }

    private func lines(_ extracted: ExtractedPalette, heading: String?) -> String {
        let isInColor = output.isInColor && (destination ?? .standard) == .standard
        let lines = extracted.palette.entries.map {
            ColorLine.text($0.color, share: $0.share, isInColor: isInColor)
        }
        return ([heading].compactMap(\.self) + lines).map { $0 + "\n" }.joined()
    }
}
