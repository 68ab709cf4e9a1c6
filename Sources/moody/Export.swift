import ArgumentParser
import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import Palettes

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the palettes as a page or as data.",
        discussion: """
            html is one file that needs nothing else: open it in a browser, send it, print it. Written to a \
            folder (--output Palettes/, or any folder that is there) it is a page with its pictures beside \
            it, for thousands of photos; previews, where the store has them, are shown large. json is one \
            object with all moods, jsonl an object a line, csv a line a colour for spreadsheets and \
            statistics; hex is a colour a line with a blank line between photos, css a rule a photo with a \
            property a colour. record is an object a line with all digits, for moody import \
            on another machine.

            Swatch files for other programs: ase (Adobe), aco (Photoshop), gpl (GIMP, Inkscape, Krita), \
            scss, tailwind (version 4), tokens (DTCG 2025.10), svg, png: one file with a group a photo; \
            --each makes a file a photo, --combined one palette of all of them. card is a picture to show: a \
            photo, its strip and its hexes, 1080 x 1350, or 1920 x 1080 with --wide; several photos need a \
            folder (--output Cards/). Numbers and photos behind \
            the format select, and so does --where, as for moody list; both together, what is in both.

            A file that moody wrote, which is seen by how it begins, is replaced; hex, ase and aco cannot \
            say whose they are and need --overwrite. A folder is replaced when moody wrote it and nothing \
            else is in it.

            Examples:
              moody export html
              moody export card 1 --output card.png
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable {
        case html, json, jsonl, record, csv, hex, css, ase, aco, gpl, scss, tailwind, tokens, svg, png, card

        /// Nil for pages and data.
        var swatches: SwatchFormat? { SwatchFormat(rawValue: rawValue) }
    }

    @Argument(
        help: """
            html, json, jsonl, record, csv, hex, css, ase, aco, gpl, scss, tailwind, tokens, svg, png or card.
            """)
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

    @Flag(help: "record: put a small JPEG of each photo into its record, in base64.")
    var thumbnails = false

    @Flag(help: "card: Make it 1920 x 1080.")
    var wide = false

    @Option(help: ArgumentHelp("The page's title.", valueName: "text"))
    var title = "Palettes"

    @OptionGroup var page: PageOptions

    @Flag(help: "Replace a file that moody did not write.")
    var overwrite = false

    @OptionGroup var filtering: FilteringOptions
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
        if thumbnails && format != .record { throw UsageError("--thumbnails is for record.") }
        if wide && format != .card { throw UsageError("--wide is for card.") }
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
        list.filter = filtering.filter
        let (named, isWhole) = try MoodName.find(moods, in: stack, messages)
        if !moods.isEmpty { list.only = Set(named) }
        try write(list, stack, messages)
        if !isWhole { throw ExitCode(1) }
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
        case .card:
            let isWhole = try CardExport(
                list: list, shape: wide ? .wide : .portrait, output: output, overwrite: overwrite
            ).write(stack, messages)
            if !isWhole { throw ExitCode(1) }
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
        case .record:
            let results = try Results(output, overwrite: overwrite)
            try list.forEachPhotoRecord(withThumbnails: thumbnails, in: stack) { records in
                for record in records { results.line(record.json(withThumbnail: thumbnails).text) }
                if results.isClosed { throw ExitCode.success }
            }
            try results.finish()
        case .csv: try write(list, stack, head: PaletteTable.moodHead, each: PaletteTable.mood)
        case .hex:
            var lists = HexLists()
            try write(list, stack) { lists.next($0.palette) }
        case .css:
            try write(list, stack, head: PaletteText.cssHead) { record in
                PaletteText.css(record.palette, of: record.name, selector: ".mood-\(record.id)")
            }
        case .ase, .aco, .gpl, .scss, .tailwind, .tokens, .svg, .png: break
        }
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
