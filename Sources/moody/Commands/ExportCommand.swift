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
            hex (one color per line, a blank line between photos), record (one object per line with all \
            digits, for moody import on another machine).

            Page: html is a single file that needs nothing else. Written to a folder (--output Palettes/, or \
            an existing folder) it is a page with its pictures beside it, for thousands of photos; it shows \
            previews if the store has them.

            Swatch files: ase (Adobe), aco (Photoshop), svg, png, and the templates css, gpl, scss, \
            tailwind, tokens: one file with one group per photo, or one file per photo with --each, or one \
            palette of all photos with --combined. Themes of one photo: kitty, vscode, and others (moody \
            template lists all), or your own template: a name with a slash or the ending .mustache. card is \
            a picture to share: a photo, its strip, and its hexes, 1080 x 1350, or 1920 x 1080 with --wide; \
            several cards need a folder (--output Cards/).

            Sidecars: xmp writes the words by which moody find finds a photo, five at most, into \
            photo.jpg.xmp beside it, or below --output by its whole path: moody|blue for Lightroom, \
            darktable, and Immich, moody/blue for digiKam, and the colors. Photos are never written, nor is \
            anything else in a sidecar changed. --dry-run prints what would be done, --remove takes it out \
            again. PhotoPrism lets keywords of a sidecar replace its own.

            Numbers and photos after the format select moods, and so does --where (see moody list); with \
            both, moods that match both.

            Replaces a file that moody wrote, which it recognizes by its beginning; hex, ase, and aco files \
            need --overwrite. Replaces a folder that moody wrote if it contains nothing else.

            Examples:
              moody export html
              moody export xmp --where 'date >= "2024-01-01"' --dry-run
            """)

    enum Format: String, CaseIterable {
        case html, json, jsonl, record, csv, hex, ase, aco, svg, png, card, xmp

        /// Nil for pages and data.
        var swatches: SwatchFormat? { SwatchFormat(rawValue: rawValue) }
    }

    @Argument(
        help: """
            Output format: html, json, jsonl, record, csv, hex, ase, aco, svg, png, card, xmp, the name of a \
            template (see moody template), or a template file or folder.
            """)
    var format: FormatArgument<Format>

    @Argument(help: ArgumentHelp("Numbers or photos to export (default: all).", valueName: "id|path"))
    var moods: [BytePath] = []

    @Flag(help: "Swatch files, themes, and hex: write one file per photo to the folder --output.")
    var each = false

    @Flag(help: "Swatch files, themes, and hex: write one palette of all photos.")
    var combined = false

    @Option(
        name: PaletteArguments.sizeNames,
        help: ArgumentHelp(
            "Number of colors of --combined: 1...32, or auto (default: 5; themes 8).", valueName: "count"))
    var colors: PaletteSize?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write to this file or folder; - is standard output (default: palettes.html for html, beside the "
                + "photos for xmp, else standard output).",
            valueName: "file|dir"))
    var output: BytePath?

    @Flag(help: "record: include a small JPEG of each photo, in base64.")
    var thumbnails = false

    @Option(help: "Themes and templates: for a dark or a light ground: dark or light (default: dark).")
    var variant: Theme.Variant?

    @Option(
        help: ArgumentHelp(
            "Name each color after the nearest of this list (GPL, ASE, ACO, CSV, JSON); not for record, hex, "
                + "png, card, and xmp.", valueName: "file"))
    var names: BytePath?

    @Flag(help: "card: make it 1920 x 1080 pixels.")
    var wide = false

    @Flag(
        name: [.customShort("n"), .long],
        help: "xmp: print what would be done (new, changed, same, refused), without writing anything.")
    var dryRun = false

    @Flag(help: "xmp: take out what moody wrote; a sidecar with nothing else goes.")
    var remove = false

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
        try format.check()
        let format = format.own
        let isOfSwatches = format == nil || format?.swatches != nil || format == .hex
        if (each || combined) && !isOfSwatches {
            throw UsageError("--each and --combined are for swatch files, themes, and hex.")
        }
        if names != nil, let format, [.record, .hex, .png, .card, .xmp].contains(format) {
            throw UsageError("--names is not for \(format.rawValue), which has no names of colors.")
        }
        if variant != nil && format != nil { throw UsageError("--variant is for themes and templates.") }
        if let limit, limit < 1 { throw UsageError("--limit must be at least 1, not \(limit).") }
        if each && combined { throw UsageError("--each and --combined exclude each other.") }
        if each && output == nil { throw UsageError("--each needs a folder: --output DIR") }
        if thumbnails && format != .record { throw UsageError("--thumbnails is for record.") }
        if (dryRun || remove) && format != .xmp { throw UsageError("--dry-run and --remove are for xmp.") }
        if format == .xmp && output == .standard {
            throw UsageError("xmp is written beside the photos, or to a folder: --output DIR")
        }
        if wide && format != .card { throw UsageError("--wide is for card.") }
        if colors != nil && !combined {
            throw UsageError("-k is for --combined: the others have the colors they have.")
        }
    }

    func run() async throws {
        let messages = message.messages(), signals = Unfinished.endOnSignals()
        defer { withExtendedLifetime(signals) {} }
        let templates = try format.templates()
        if let templates, templates.isFolder {
            if each { throw UsageError("--each is for one template, not for a folder of them.") }
            if output == nil || output == .standard {
                throw UsageError("a folder of templates needs a folder: --output DIR")
            }
        }
        let stack = try store.open(isReadOnly: true, messages)
        defer { try? stack.close() }
        var list = sorting.list
        (list.filter, list.limit) = (filtering.filter, limit)
        let (named, isWhole) = try MoodName.find(moods, in: stack, messages)
        if !moods.isEmpty { list.only = Set(named) }
        let names = try names.map { try ColorListFile.names($0, messages) }
        if let templates {
            try TemplateExport(
                templates: templates, list: list, variant: variant ?? .dark, each: each,
                combined: combined ? colors ?? .colors(templates.isTheme ? 8 : 5) : nil, output: output,
                overwrite: overwrite, names: names
            ).write(stack, messages)
        } else if let format = format.own {
            try write(format, list, stack, messages, names)
        }
        if !isWhole { throw ExitCode(1) }
    }

    private func write(
        _ format: Format, _ list: MoodList, _ stack: DataStack, _ messages: Messages,
        _ names: NearestNames?
    ) throws {
        if format.swatches != nil || each || combined {
            return try SwatchExport(
                format: format, list: list, each: each, combined: combined ? colors ?? .colors(5) : nil,
                output: output,
                overwrite: overwrite, names: names
            ).write(stack, messages)
        }
        switch format {
        case .card:
            let isWhole = try CardExport(
                list: list, shape: wide ? .wide : .portrait, output: output, overwrite: overwrite
            ).write(stack, messages)
            if !isWhole { throw ExitCode(1) }
        case .html:
            var content = page.content(title: RawArguments.shown(title))
            content.names = names
            let isWhole = try Self.writePage(
                output ?? BytePath("palettes.html"), of: stack, list: list,
                content: content, overwrite: overwrite, messages: messages)
            if !isWhole { throw ExitCode(1) }
        case .json:
            var isFirst = true
            try write(
                list, stack, head: "{\"v\":1,\"generator\":\"moody\",\"moods\":[", tail: "\n]}\n",
                each: { record in
                    defer { isFirst = false }
                    return (isFirst ? "\n" : ",\n") + record.json(names).text
                })
        case .jsonl: try write(list, stack) { $0.json(names).text + "\n" }
        case .record:
            let results = try Results(output, overwrite: overwrite)
            try list.forEachPhotoRecord(withThumbnails: thumbnails, in: stack) { records in
                for record in records { results.line(record.json(withThumbnail: thumbnails).text) }
                if results.isClosed { throw ExitCode.success }
            }
            try results.finish()
        case .csv:
            let head = names == nil ? PaletteTable.moodHead : PaletteTable.nearMoodHead
            try write(list, stack, head: head) { PaletteTable.mood($0, names) }
        case .hex:
            var lists = HexLists()
            try write(list, stack) { lists.next($0.palette) }
        case .xmp:
            let signals = Signals()
            let export = XMPExport(to: output, removes: remove, isRehearsal: dryRun, messages)
            let isWhole = try export.write(list, of: stack) { signals.signal != nil }
            if let signal = signals.signal { throw ExitCode(128 + signal) }
            if !isWhole { throw ExitCode(1) }
        case .ase, .aco, .svg, .png: break
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
