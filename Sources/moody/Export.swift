import ArgumentParser
import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import MoodyIngest

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the palettes as a page or as data.",
        discussion: """
            html is one file that needs nothing else: open it in a browser, send it, print it. Written to a folder \
            (--output Palettes/, or any folder that is there) it is a page with its pictures beside it, for \
            thousands of photos; previews, where the store has them, are shown large. json is one \
            object with all moods, jsonl an object a line, csv a line a colour for spreadsheets and statistics; \
            hex is a colour a line with a blank line between photos, css a rule a photo with a property a colour.

            A file that moody wrote, which is seen by how it begins, is replaced; hex cannot say whose it is and needs \
            --overwrite. A folder is replaced when moody wrote it and nothing else is in it.

            Examples:
              moody export html
              moody export html --output Palettes/
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case html, json, jsonl, csv, hex, css }

    @Argument(help: "html, json, jsonl, csv, hex or css.")
    var format: Format

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Where to; - is standard output. Default: palettes.html for html, standard output else.",
            valueName: "file|dir"))
    var output: BytePath?

    @Option(help: ArgumentHelp("The page's title.", valueName: "text"))
    var title = "Palettes"

    @Flag(help: "Replace a file that moody did not write.")
    var overwrite = false

    @OptionGroup var sorting: SortingOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var message: MessageOptions

    func run() async throws {
        let messages = message.messages(), signals = Unfinished.endOnSignals()
        defer { withExtendedLifetime(signals) {} }
        let stack = try store.open(isReadOnly: true, messages)
        defer { try? stack.coordinator.close() }
        switch format {
        case .html:
            let isWhole = try Self.writePage(
                output ?? BytePath("palettes.html"), of: stack, sorting.list,
                title: RawArguments.shown(title), overwrite: overwrite,
                messages)
            if !isWhole { throw ExitCode(1) }
        case .json:
            var isFirst = true
            try write(
                stack, head: "{\"v\":1,\"generator\":\"moody\",\"moods\":[", tail: "\n]}\n",
                each: { record in
                    defer { isFirst = false }
                    return (isFirst ? "\n" : ",\n") + record.json.text
                })
        case .jsonl: try write(stack) { $0.json.text + "\n" }
        case .csv: try write(stack, head: PaletteTable.moodHead, each: PaletteTable.mood)
        case .hex:
            var lists = HexLists()
            try write(stack) { lists.next($0.palette) }
        case .css:
            try write(stack, head: PaletteText.cssHead) { record in
                PaletteText.css(record.palette, of: record.path, selector: ".mood-\(record.id)")
            }
        }
    }

    /// Some 20 MB with their thumbnails, which a telephone opens in a second or two.
    private static let usualInOneFile = 900

    /// - Returns: false when a picture of the page is lost, which is said.
    @discardableResult
    static func writePage(
        _ path: BytePath, of stack: DataStack, _ list: MoodList, title: String = "Palettes", overwrite: Bool,
        _ messages: Messages, isStopped: () -> Bool = { false }
    ) throws -> Bool {
        if PageFolder.isMeant(by: path) {
            let (count, lost) = try PageFolder(path).write(list, of: stack, title: title)
            for photo in lost {
                messages.problem(photo, "its preview is missing (moody ingest --recompute makes it anew)")
            }
            messages.note("moody: wrote \(path): \(count) \(count == 1 ? "mood" : "moods")")
            return lost.isEmpty
        }
        var rows: [MoodRow] = []
        try list.forEachRow(in: stack) { rows += $0 }
        let page = GalleryPage(title: title, rows: rows)
        if path == .standard {
            page.write { StandardOutput.shared.write($0) }
            try StandardOutput.shared.flush()
            return true
        }
        let file = try OutputFile(path, overwrite: overwrite, isStopped: isStopped)
        page.write { file.write($0) }
        try file.finish()
        messages.note("moody: wrote \(path): \(rows.count) \(rows.count == 1 ? "mood" : "moods")")
        if rows.count > usualInOneFile {
            messages.note(
                """
                moody: note: more than \(usualInOneFile) photos in one file take browsers long to open; a folder \
                (a name that ends with /) keeps the pictures beside the page
                """)
        }
        return true
    }

    /// A record at a time, so that a store of any size fits.
    private func write(
        _ stack: DataStack, head: String = "", tail: String = "", each: (MoodRecord) -> String
    ) throws {
        let results = try Results(output, overwrite: overwrite)
        results.write(head)
        try sorting.list.forEach(in: stack) { records in
            for record in records { results.write(each(record)) }
            if results.isClosed { throw ExitCode.success }
        }
        results.write(tail)
        try results.finish()
    }
}
