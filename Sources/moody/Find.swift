import ArgumentParser
import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import Palettes

struct Find: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Finds photos by their colours, those with most of them first.",
        discussion: """
            A colour is a word (teal, ocean blue, dark red, pastel), #36c, 3366cc, rgb(51 102 204), \
            hsl(...) or oklch(0.53 0.17 262). A photo must have all that is named; it counts for how near \
            its colours are and how much of it they cover. Words that are no colours are looked for in file \
            names, in folders below the one that holds all photos, in months and cameras. A page that moody \
            wrote finds the same.

            Examples:
              moody find teal
              moody find '#36c' --share 20 --limit 10
            """)

    @Argument(help: ArgumentHelp("Colours, and words of names.", valueName: "colour"))
    var colors: [String] = []

    @Option(
        help: ArgumentHelp(
            "Photos whose palettes are like this one's: a number, a photo of the store, or any photo.",
            valueName: "id|path"))
    var like: BytePath?

    @Option(help: ArgumentHelp("Print at most this many.", valueName: "count"))
    var limit = 50

    @Option(
        help: ArgumentHelp(
            "How far a colour may be from the one named, CIEDE2000, above 0 up to 100.", valueName: "dE"))
    var within = 10.0

    @Option(
        help: ArgumentHelp(
            "How much of the photo the colour must cover at least, 0...100.", valueName: "percent"))
    var share = 0.0

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var message: MessageOptions

    func validate() throws {
        let isEmpty = colors.allSatisfy { $0.allSatisfy(\.isWhitespace) }
        if isEmpty && like == nil {
            // An unquoted # begins a comment in a shell's scripts.
            throw UsageError("Name a colour, '#36c' in quotes or 3366cc, or a photo with --like.")
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
        defer { try? stack.coordinator.close() }
        var finder = MoodFinder(
            query: colors.map { RawArguments.shown($0) }.joined(separator: " "), within: within,
            share: share / 100,
            limit: limit)
        for text in finder.texts {
            messages.note("moody: \(displayText(text.utf8)): no colour; looked for in names")
        }
        if let like {
            guard try find(like: like, &finder, stack, messages) else { throw ExitCode(1) }
        }
        let ids = try finder.find(in: stack)
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
        if ids.isEmpty { messages.note("moody: nothing found\(try farther(finder, stack))") }
    }

    /// Where colours are meant exactly there may be some just beyond the tolerance.
    private func farther(_ finder: MoodFinder, _ stack: DataStack) throws -> String {
        for wider in [10.0, 20, 40] where wider > within && finder.hasPoints {
            var finder = finder
            (finder.within, finder.limit) = (wider, 1)
            if try !finder.find(in: stack).isEmpty {
                return " within \(short(within)); --within \(short(wider)) finds some"
            }
        }
        return ""
    }

    private func short(_ number: Double) -> String {
        number == number.rounded() ? "\(Int(number))" : "\(number)"
    }

    /// - Returns: false when there is no such photo, which is said.
    private func find(like: BytePath, _ finder: inout MoodFinder, _ stack: DataStack, _ messages: Messages)
        throws -> Bool
    {
        if let id = try MoodName.find([like], in: stack)[0] {
            finder.except = id
            try MoodList.forEach(of: [id], in: stack) { finder.like = $0.first?.palette }
            return true
        }
        let isPhoto = (try? FileStatus(at: like))?.kind == .regular
        guard isPhoto, let source = ExtractSource.all(at: like, passingOver: messages).first else {
            messages.problem(like.description, "no such mood")
            return false
        }
        switch source.outcome(PaletteSettings()).result {
        case .success(let extracted)?:
            finder.like = extracted.palette
            return true
        case .failure(let error)?: messages.problem(like.description, "\(error)")
        case nil: messages.problem(like.description, "no picture")
        }
        return false
    }
}
