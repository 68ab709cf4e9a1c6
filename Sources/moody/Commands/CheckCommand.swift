import ArgumentParser
import DataStacks
import Images
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import Palettes

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Name colors that color-blind people cannot tell apart, and texts that can be read.",
        discussion: """
            Checks the palettes of moods (numbers), of photos, of lists of colors (GPL, ASE, ACO, CSV, \
            JSON), and of colors on the command line, which are one palette. A pair is near when its \
            difference (CIEDE2000) falls below 10 for protans, deutans, or tritans of some severity, and \
            alike below 5; severities go from 0 to 1, where a kind of cones is missing. Prints the largest \
            set of colors that stay apart for all people, and the pairs that text can be read in (WCAG \
            2.2). At most 64 colors per palette.

            Exit status: 0 whatever is found; 1 something could not be read.

            Examples:
              moody check 1
              moody check Photos/harbour.jpg '#36c' '#c63' --json
            """)

    @Argument(
        help: ArgumentHelp(
            "Numbers, photos, lists of colors, and colors such as #36c.", valueName: "id|path|color"))
    var inputs: [BytePath]

    @Option(
        name: PaletteArguments.sizeNames,
        help: ArgumentHelp("Number of colors of photos: 1...32, or auto (default: 8).", valueName: "count"))
    var colors: PaletteSize?

    @OptionGroup var palette: PaletteArguments
    @Option(
        help: ArgumentHelp(
            "Name each color after the nearest of this list (GPL, ASE, ACO, CSV, JSON).", valueName: "file"))
    var names: BytePath?

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var message: MessageOptions

    func run() async throws {
        let messages = message.messages()
        let names = try names.map { try ColorListFile.names($0, messages) }
        var stack: DataStack?
        defer { try? stack?.close() }
        let given = inputs.filter { Self.color($0) != nil }
        if given.count > PaletteCheck.most {
            throw UsageError("at most \(PaletteCheck.most) colors, not \(given.count).")
        }
        if !given.isEmpty {
            show(given.map(\.description).joined(separator: " "), Self.palette(given), names)
        }
        var failed = false
        for input in inputs where Self.color(input) == nil {
            do {
                let name: String
                let palette: Palette
                if MoodName.isNumber(input) {
                    let opened = try stack ?? store.open(isReadOnly: true, messages)
                    stack = opened
                    (name, palette) = try Self.mood(input, in: opened)
                } else {
                    (name, palette) = try file(input, messages)
                }
                show(name, palette, names)
            } catch let problem as Problem {
                messages.problem(input.description, problem.description)
                failed = true
            }
        }
        try StandardOutput.shared.flush()
        if failed { throw ExitCode(1) }
    }

    private struct Problem: Error {
        let description: String
    }

    private func show(_ name: String, _ palette: Palette, _ names: NearestNames?) {
        let check = PaletteCheck(palette.entries.map(\.color))
        if output.json {
            StandardOutput.shared.line(check.json(of: name, palette, names).text)
        } else {
            check.lines(of: name, palette).forEach(StandardOutput.shared.line)
            for entry in palette.entries {
                guard let near = names?.match(entry.color) else { continue }
                StandardOutput.shared.line("  \(entry.color.hex) \(near.shown)")
            }
        }
    }

    private static func color(_ input: BytePath) -> RGB? {
        input.text.flatMap { RGB(cssText: $0.lowercased()) }
    }

    /// Each color has the same share.
    private static func palette(_ inputs: [BytePath]) -> Palette {
        let colors = inputs.compactMap(color)
        return Palette(entries: colors.map { Palette.Entry(color: $0, share: 1 / Double(colors.count)) })
    }

    private static func mood(_ input: BytePath, in stack: DataStack) throws -> (String, Palette) {
        guard let id = try MoodName.find([input], in: stack).first ?? nil,
            let record = try stack.read({ view in
                try view.objects(Mood.self, with: [id]).first.map { MoodRecord($0) }
            })
        else { throw Problem(description: "no such mood") }
        return (record.name, record.palette)
    }

    private func file(_ input: BytePath, _ messages: Messages) throws -> (String, Palette) {
        if (try? FileStatus(at: input))?.kind == .folder {
            throw Problem(description: "is a folder: name photos")
        }
        do {
            let list = try ColorListFile.read(input)
            for note in list.notes { messages.note("moody: \(input): note: \(note)") }
            if list.entries.count > PaletteCheck.most {
                throw Problem(
                    description: "\(list.entries.count) colors: at most \(PaletteCheck.most) are checked")
            }
            let share = 1 / Double(list.entries.count)
            let palette = Palette(entries: list.entries.map { Palette.Entry(color: $0.color, share: share) })
            return (BytePath(input.name).description, palette)
        } catch ColorList.Failure.noColor {
            throw Problem(description: "no color in it")
        } catch ColorList.Failure.tooMany {
            throw Problem(description: "more than 100,000 colors: at most \(PaletteCheck.most) are checked")
        } catch let problem as Problem {
            throw problem
        } catch {
            // A photo, or a file that cannot be read, which its reader names.
        }
        let source = ExtractSource.all(at: input, passingOver: messages)[0]
        switch source.outcome(palette.settings(colors ?? .colors(8))).result {
        case .success(let extracted)?:
            let name = source.path.shown.split(separator: "/").last.map(String.init)
            return (name ?? source.path.shown, extracted.extracted.palette)
        case .failure(PaletteError.image(.unknownFormat))?, nil:
            throw Problem(description: "neither a photo nor a list of colors")
        case .failure(let error)?: throw Problem(description: "\(error)")
        }
    }
}
