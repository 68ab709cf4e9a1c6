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

            Examples:
              moody extract Photos/harbour.jpg
              moody extract -k 8 --format json Photos/harbour.jpg
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, json }

    @Argument(help: ArgumentHelp("Photos; - is standard input.", valueName: "path"))
    var paths: [String] = []

    @Option(help: ArgumentHelp("text or json.", valueName: "format"))
    var format = Format.text

    @Option(
        help: ArgumentHelp(
            "Read more paths from a file, a line each; - is standard input.", valueName: "file"))
    var filesFrom: String?

    @Flag(name: .customShort("0"), help: "NUL ends the paths of --files-from, not a new line.")
    var nul = false

    @OptionGroup var palette: PaletteArguments
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if paths.isEmpty && filesFrom == nil { throw UsageError("Name a photo.") }
    }

    func run() async throws {
        let messages = Messages(isQuiet: false, progress: .never)
        var all = RawArguments.paths(paths)
        if let filesFrom { all += try PathList.read(filesFrom, nul: nul) }
        let isJSON = format == .json || output.json
        var failed = 0
        for path in all {
            if StandardOutput.shared.isClosed { return }
            let name = path == BytePath("-") ? "-" : path.description
            do {
                let bytes = name == "-" ? try readAll(STDIN_FILENO) : try readFile(path)
                let extracted = try ExtractedPalette(bytes: bytes, settings: palette.settings())
                if isJSON { printJSON(name, extracted) } else { printText(name, extracted, all.count > 1) }
                if !isJSON { for note in extracted.notes { messages.note("moody: \(name): note: \(note)") } }
            } catch {
                failed += 1
                messages.problem(name, "\(error)")
                if isJSON {
                    let fields: [(String, JSON)] = [
                        ("v", 1), ("path", .string(name)), ("error", .string("\(error)")),
                    ]
                    StandardOutput.shared.line(JSON.object(fields).text)
                }
            }
        }
        try StandardOutput.shared.flush()
        if failed > 0 { throw ExitCode(1) }
    }

    private func printJSON(_ name: String, _ extracted: ExtractedPalette) {
        let fields: [(String, JSON)] = [
            ("v", 1), ("path", .string(name)), ("width", .number(Int64(extracted.picture.width))),
            ("height", .number(Int64(extracted.picture.height))),
            ("colors", .array(extracted.palette.entries.map { paletteColor($0.color, share: $0.share) })),
            ("notes", .array(extracted.notes.map { .string($0) })),
        ]
        StandardOutput.shared.line(JSON.object(fields).text)
    }

    private func printText(_ name: String, _ extracted: ExtractedPalette, _ hasHeading: Bool) {
        if hasHeading { StandardOutput.shared.line(name) }
        for entry in extracted.palette.entries {
            let swatch = output.isInColor ? PaletteBar.text([(entry.color, 1)], cells: 4) + " " : ""
            let share = (entry.share * 1000).rounded() / 10
            let padded = String(repeating: " ", count: max(0, 5 - "\(share)".count)) + "\(share)"
            StandardOutput.shared.line("\(swatch)\(entry.color.hex) \(padded)% \(entry.color.name)")
        }
    }
}
