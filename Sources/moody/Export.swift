import ArgumentParser
import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import MoodyIngest
import Palettes

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the palettes as a page or as data.",
        discussion: """
            html is one file that needs nothing else: open it in a browser, send it, print it. Written to a folder \
            (--output Palettes/, or any folder that is there) it is a page with its pictures beside it, for \
            thousands of photos; previews, where the store has them, are shown large. json is one \
            object with all moods, jsonl an object a line, csv a line a colour for spreadsheets and statistics; \
            hex is a colour a line with a blank line between photos, css a rule a photo with a property a colour.

            Swatch files for other programs: ase (Adobe), aco (Photoshop), gpl (GIMP, Inkscape, Krita), scss, tailwind \
            (version 4), tokens (DTCG 2025.10), svg, png: one file with a group a photo; --each makes a file a photo, \
            --combined one palette of all of them. Numbers and photos behind the format select.

            A file that moody wrote, which is seen by how it begins, is replaced; hex, ase and aco cannot say whose they \
            are and need --overwrite. A folder is replaced when moody wrote it and nothing else is in it.

            Examples:
              moody export html
              moody export html --output Palettes/
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case html, json, jsonl, csv, hex, css, ase, aco, gpl, scss, tailwind, tokens, svg, png

        /// Nil for pages and data.
        var swatches: SwatchFormat? { SwatchFormat(rawValue: rawValue) }
    }

    @Argument(help: "html, json, jsonl, csv, hex, css, ase, aco, gpl, scss, tailwind, tokens, svg or png.")
    var format: Format

    @Argument(help: ArgumentHelp("Only these: numbers and photos, as for moody show.", valueName: "id|path"))
    var moods: [BytePath] = []

    @Flag(help: "Swatch files, hex and css: a file a photo, in the folder --output.")
    var each = false

    @Flag(help: "Swatch files, hex and css: one palette of all photos, from their stored colours.")
    var combined = false

    @Option(
        name: PaletteArguments.sizeNames,
        help: ArgumentHelp(
            "With --combined, how many colours: 1...32, or auto. Default: 5.", valueName: "count"))
    var colors: PaletteSize?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Where to; - is standard output. Default: palettes.html for html, standard output else.",
            valueName: "file|dir"))
    var output: BytePath?

    @Option(help: ArgumentHelp("The page's title.", valueName: "text"))
    var title = "Palettes"

    @OptionGroup var page: PageOptions

    @Flag(help: "Replace a file that moody did not write.")
    var overwrite = false

    @OptionGroup var sorting: SortingOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var message: MessageOptions

    func validate() throws {
        let isOfSwatches = format.swatches != nil || format == .hex || format == .css
        if (each || combined) && !isOfSwatches {
            throw UsageError("--each and --combined are for swatch files, hex and css.")
        }
        if each && combined { throw UsageError("--each and --combined exclude each other.") }
        if each && output == nil { throw UsageError("--each needs a folder: --output DIR") }
        if colors != nil && !combined {
            throw UsageError("-k is for --combined: the others have the colours they have.")
        }
    }

    func run() async throws {
        let messages = message.messages(), signals = Unfinished.endOnSignals()
        defer { withExtendedLifetime(signals) {} }
        let stack = try store.open(isReadOnly: true, messages)
        defer { try? stack.coordinator.close() }
        var list = sorting.list
        let isWhole = try select(&list, stack, messages)
        try write(list, stack, messages)
        if !isWhole { throw ExitCode(1) }
    }

    /// - Returns: false when one that was named is not there, which is said.
    private func select(_ list: inout MoodList, _ stack: DataStack, _ messages: Messages) throws -> Bool {
        if moods.isEmpty { return true }
        let found = try MoodName.find(moods, in: stack)
        for (name, id) in zip(moods, found) where id == nil {
            messages.problem(name.description, "no such mood")
        }
        list.only = Set(found.compactMap(\.self))
        return !found.contains(nil)
    }

    private func write(_ list: MoodList, _ stack: DataStack, _ messages: Messages) throws {
        if format.swatches != nil || each || combined {
            return try SwatchExport(
                format: format, list: list, each: each, combined: combined ? colors ?? .colors(5) : nil,
                output: output,
                overwrite: overwrite
            ).write(stack, messages)
        }
        switch format {
        case .html:
            let isWhole = try Self.writePage(
                output ?? BytePath("palettes.html"), of: stack, list,
                page.content(title: RawArguments.shown(title)), overwrite: overwrite, messages)
            if !isWhole { throw ExitCode(1) }
        case .json:
            var isFirst = true
            try write(
                list, stack, head: "{\"v\":1,\"generator\":\"moody\",\"moods\":[", tail: "\n]}\n",
                each: { record in
                    defer { isFirst = false }
                    return (isFirst ? "\n" : ",\n") + record.json.text
                })
        case .jsonl: try write(list, stack) { $0.json.text + "\n" }
        case .csv: try write(list, stack, head: PaletteTable.moodHead, each: PaletteTable.mood)
        case .hex:
            var lists = HexLists()
            try write(list, stack) { lists.next($0.palette) }
        case .css:
            try write(list, stack, head: PaletteText.cssHead) { record in
                PaletteText.css(record.palette, of: record.path, selector: ".mood-\(record.id)")
            }
        case .ase, .aco, .gpl, .scss, .tailwind, .tokens, .svg, .png: break
        }
    }

    /// Some 20 MB with their thumbnails, which a telephone opens in a second or two.
    private static let usualInOneFile = 900

    /// More would be read for nothing: they do not fit.
    private static let sharpInOneFile = 300
    /// Of pictures in one file: a third more in base64, so that the file stays below 20 MB.
    private static let mostInOneFile = 14_000_000

    /// - Returns: false when a picture of the page is lost, which is said.
    @discardableResult
    static func writePage(
        _ path: BytePath, of stack: DataStack, _ list: MoodList,
        _ content: PageContent = PageContent(), overwrite: Bool, _ messages: Messages,
        isStopped: () -> Bool = { false }
    ) throws -> Bool {
        if PageFolder.isMeant(by: path) {
            let (count, lost) = try PageFolder(path).write(list, of: stack, content, messages)
            for photo in lost {
                messages.problem(photo, "its preview is missing (moody ingest --recompute makes it anew)")
            }
            messages.note("moody: wrote \(path): \(count) \(count == 1 ? "mood" : "moods")")
            return lost.isEmpty
        }
        var rows: [MoodRow] = [], sources: [SharpPictures.Source] = []
        try list.forEachRow(in: stack, content.privacy) { pairs in
            rows += pairs.map(\.0)
            sources += pairs.map { .init(path: BytePath($0.1.path.bytes), hash: $0.1.contentHash) }
        }
        if content.thumbnail > SharpPictures.stored && rows.count <= sharpInOneFile {
            var bytes = rows.reduce(0) { $0 + $1.thumbnail.count }
            try SharpPictures(side: content.thumbnail).read(sources, messages) { index, made in
                guard let picture = made?.sharp,
                    bytes + picture.count - rows[index].thumbnail.count < mostInOneFile
                else {
                    return
                }
                bytes += picture.count - rows[index].thumbnail.count
                rows[index].thumbnail = picture
            }
        }
        let page = GalleryPage(title: content.title, rows: rows)
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
        _ list: MoodList, _ stack: DataStack, head: String = "", tail: String = "",
        each: (MoodRecord) -> String
    ) throws {
        let results = try Results(output, overwrite: overwrite)
        results.write(head)
        try list.forEach(in: stack) { records in
            for record in records { results.write(each(record)) }
            if results.isClosed { throw ExitCode.success }
        }
        results.write(tail)
        try results.finish()
    }
}

/// What a page tells.
struct PageOptions: ParsableArguments {
    @Flag(help: "html: show where each file lies. Without it a page has the names of files alone.")
    var withPaths = false

    @Flag(help: "html: show where each photo was taken.")
    var withPlaces = false

    @Option(
        help: ArgumentHelp(
            "html: pixels on the long side of its pictures, 320...1600, read from the photos; 320 are the store's own. Default: 640.",
            valueName: "pixels"))
    var thumbnail = 640

    func validate() throws {
        if !(320...1600).contains(thumbnail) {
            throw UsageError("--thumbnail must be 320...1600, not \(thumbnail).")
        }
    }

    func content(title: String) -> PageContent {
        PageContent(
            title: title, privacy: PagePrivacy(showsPaths: withPaths, showsPlaces: withPlaces),
            thumbnail: thumbnail)
    }
}
