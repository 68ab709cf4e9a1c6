import ArgumentParser
import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import Palettes

struct FindCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "find",
        abstract: "Find photos by their colors, the best matches first.",
        discussion: """
            A color is a word (teal, ocean blue, dark red, pastel), #36c, 3366cc, rgb(51 102 204), hsl(...), \
            or oklch(0.53 0.17 262). A photo must match every color, one of "teal or navy", and none of "not \
            green" or -green (after --). Photos rank by how near their colors are and how much of the photo \
            they cover. Words such as muted apply to a third of a photo. Other words match file names, \
            folders below the common folder, months, cameras, and countries; a photo that is named green \
            without being green comes last. If fewer than 12 photos match an exact color, the next nearest \
            follow. like:12 finds photos like number 12.

            A page that moody wrote finds the same photos in the same order, as far as it shows folders and \
            places (--with-paths, --with-places).

            Exit status: 0 if something was found, 1 if nothing was, or if a named photo does not exist.

            Examples:
              moody find blue
              moody find '#36c' --share 20 --limit 10
            """)

    @Argument(help: ArgumentHelp("Colors, and words of file names.", valueName: "color"))
    var colors: [String] = []

    @Option(
        help: ArgumentHelp(
            "Find photos with palettes like that of this photo: a number, or any photo.",
            valueName: "id|path"))
    var like: BytePath?

    @Option(help: ArgumentHelp("Print at most this many photos.", valueName: "count"))
    var limit = 50

    @Option(
        help: ArgumentHelp(
            "Greatest difference from the color, in CIEDE2000: above 0, at most 100.", valueName: "dE"))
    var within = 10.0

    @Option(
        help: ArgumentHelp(
            "Least share of the photo that the color covers: 0...100.", valueName: "percent"))
    var share = 0.0

    @Flag(help: "Print only photos within the tolerance, however few.")
    var noFarther = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var message: MessageOptions

    func validate() throws {
        let isEmpty = colors.allSatisfy { $0.allSatisfy(\.isWhitespace) }
        if isEmpty && like == nil {
            // An unquoted # begins a comment in a shell's scripts.
            throw UsageError("Name a color, '#36c' in quotes or 3366cc, or a photo with --like.")
        }
        if limit < 1 { throw UsageError("--limit must be at least 1, not \(limit).") }
        if !(within > 0 && within <= 100) {
            throw UsageError("--within must be above 0 up to 100, not \(within).")
        }
        if !(0...100).contains(share) { throw UsageError("--share must be 0...100, not \(share).") }
    }

    func run() async throws {
        let messages = message.messages()
        let stack = try store.open(isReadOnly: true, messages)
        defer { try? stack.close() }
        let query = colors.map { String(decoding: RawArguments.bytes($0), as: UTF8.self) }
            .joined(separator: " ")
        var finder = MoodFinder(
            query: "", within: within, share: share / 100, limit: limit)
        let (text, numbers) = MoodFinder.likes(in: query)
        finder.query = text
        for (text, suggestion) in finder.texts {
            let hint = suggestion.map { "; did you mean \($0)?" } ?? ""
            messages.note("moody: \(displayText(text.utf8)): no color; looked for in names\(hint)")
        }
        for photo in numbers.map({ BytePath($0) }) + [like].compactMap(\.self) {
            guard try find(like: photo, &finder, stack, messages) else { throw ExitCode(1) }
        }
        let ids = try finder.find(in: stack)
        let farther = try noFarther ? [] : finder.findFarther(than: ids, in: stack)
        try print(ids, stack)
        if !farther.isEmpty {
            messages.note(
                "moody: \(ids.isEmpty ? "none" : "\(ids.count)") within \(short(within)); farther away:")
            try print(farther, stack)
        }
        if ids.isEmpty && farther.isEmpty {
            let failing = try finder.failing(in: stack).map { ": no photo has \(displayText($0.utf8))" } ?? ""
            messages.note("moody: nothing found\(failing)")
            throw ExitCode(1)
        }
    }

    private func print(_ ids: [ManagedObjectID], _ stack: DataStack) throws {
        // Not below the folder of all photos of the store: to look at each would take longer than the search.
        var lines =
            try output.json
            ? nil : MoodLines(below: MoodLines.commonFolder(of: ids, in: stack), depth: output.depth)
        lines?.width = StandardOutput.shared.width
        try MoodList.forEach(of: ids, in: stack) { records in
            for line in lines?.lines(records) ?? records.map(\.json.text) { StandardOutput.shared.line(line) }
            try StandardOutput.shared.flush()
            if StandardOutput.shared.isClosed { throw ExitCode.success }
        }
    }

    private func short(_ number: Double) -> String {
        number == number.rounded() ? "\(Int(number))" : "\(number)"
    }

    /// - Returns: false when there is no such photo, which is said.
    private func find(like: BytePath, _ finder: inout MoodFinder, _ stack: DataStack, _ messages: Messages)
        throws -> Bool
    {
        if let id = try MoodName.find([like], in: stack)[0] {
            finder.excepts.insert(id)
            try MoodList.forEach(of: [id], in: stack) { finder.likes += $0.map(\.palette) }
            return true
        }
        let isPhoto = (try? FileStatus(at: like))?.kind == .regular
        guard isPhoto, let source = ExtractSource.all(at: like, passingOver: messages).first else {
            messages.problem(like.description, "no such mood")
            return false
        }
        switch source.outcome(PaletteSettings()).result {
        case .success(let extracted)?:
            finder.likes.append(extracted.extracted.palette)
            return true
        case .failure(let error)?: messages.problem(like.description, "\(error)")
        case nil: messages.problem(like.description, "no picture")
        }
        return false
    }
}
