import ArgumentParser
import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import Palettes

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write palettes as a page, as swatch files, or as data.",
        discussion: """
            Data: json (one object with all moods), jsonl (one object per line), csv (one line per color), \
            hex (one color per line, a blank line between photos), css (one rule per photo, one property per \
            color), record (one object per line with all digits, for moody import on another machine).

            Page: html is a single file that needs nothing else. Written to a folder (--output Palettes/, or \
            an existing folder) it is a page with its pictures beside it, for thousands of photos; it shows \
            previews if the store has them.

            Swatch files: ase (Adobe), aco (Photoshop), gpl (GIMP, Inkscape, Krita), scss, tailwind (version \
            4), tokens (DTCG 2025.10), svg, png: one file with one group per photo, or one file per photo \
            with --each, or one palette of all photos with --combined. card is a picture to share: a photo, \
            its strip, and its hexes, 1080 x 1350, or 1920 x 1080 with --wide; several cards need a folder \
            (--output Cards/).

            Numbers and photos after the format select moods, and so does --where (see moody list); with \
            both, moods that match both.

            Replaces a file that moody wrote, which it recognizes by its beginning; hex, ase, and aco files \
            need --overwrite. Replaces a folder that moody wrote if it contains nothing else.

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
            Output format: html, json, jsonl, record, csv, hex, css, ase, aco, gpl, scss, tailwind, tokens, \
            svg, png, or card.
            """)
    var format: Format

    @Argument(help: ArgumentHelp("Numbers or photos to export (default: all).", valueName: "id|path"))
    var moods: [BytePath] = []

    @Flag(help: "Swatch files, hex, and css: write one file per photo to the folder --output.")
    var each = false

    @Flag(help: "Swatch files, hex, and css: write one palette of all photos.")
    var combined = false

    @Option(
        name: PaletteArguments.sizeNames,
        help: ArgumentHelp(
            "Number of colors of --combined: 1...32, or auto (default: 5).", valueName: "count"))
    var colors: PaletteSize?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write to this file or folder; - is standard output (default: palettes.html for html, else "
                + "standard output).",
            valueName: "file|dir"))
    var output: BytePath?

    @Flag(help: "record: include a small JPEG of each photo, in base64.")
    var thumbnails = false

    @Flag(help: "card: make it 1920 x 1080 pixels.")
    var wide = false

    @Option(help: ArgumentHelp("Title of the page.", valueName: "text"))
    var title = "Palettes"

    @OptionGroup var page: PageOptions

    @Flag(help: "Replace a file that moody did not write.")
    var overwrite = false

    @Option(help: ArgumentHelp("Export at most this many moods, the first in order.", valueName: "count"))
    var limit: Int?

    @OptionGroup var filtering: FilteringOptions
    @OptionGroup var sorting: SortingOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var message: MessageOptions

    func validate() throws {
        let isOfSwatches = format.swatches != nil || format == .hex || format == .css
        if (each || combined) && !isOfSwatches {
            throw UsageError("--each and --combined are for swatch files, hex and css.")
        }
        if let limit, limit < 1 { throw UsageError("--limit must be at least 1, not \(limit).") }
        if each && combined { throw UsageError("--each and --combined exclude each other.") }
        if each && output == nil { throw UsageError("--each needs a folder: --output DIR") }
        if thumbnails && format != .record { throw UsageError("--thumbnails is for record.") }
        if wide && format != .card { throw UsageError("--wide is for card.") }
        if colors != nil && !combined {
            throw UsageError("-k is for --combined: the others have the colors they have.")
        }
    }

    func run() async throws {
        let messages = message.messages(), signals = Unfinished.endOnSignals()
        defer { withExtendedLifetime(signals) {} }
        let stack = try store.open(isReadOnly: true, messages)
        defer { try? stack.coordinator.close() }
        var list = sorting.list
        (list.filter, list.limit) = (filtering.filter, limit)
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
                output ?? BytePath("palettes.html"), of: stack, list: list,
                content: page.content(title: RawArguments.shown(title)), overwrite: overwrite,
                messages: messages)
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
