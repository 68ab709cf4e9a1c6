import ArgumentParser
import DataStacks
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the moods, one per line: number, day, colors, photo.",
        discussion: """
            Paths are relative to the common folder of all photos. --where compares \(
                MoodFilter.keys.joined(separator: ", ")), with ==, !=, <, <=, >, >=, IN, BETWEEN, CONTAINS, \
            BEGINSWITH, ENDSWITH, LIKE, and MATCHES, joined by && and ||. \(MoodFilter.explanation)

            --similar compares pictures, whatever their size and quality: copies; crops, which are copies \
            that may be cropped or marked; series, photos within a minute of each other. Photos with clocks \
            of their own that differ are no copies. The first of a group, marked *, is the best: the most \
            pixels, then raw before other kinds, place and date known, the most bytes.

            Examples:
              moody list --similar copies --json
              moody list --section month --where 'date >= "2024-01-01"'
            """)

    @OptionGroup var sorting: SortingOptions

    @Option(help: ArgumentHelp("Print at most this many moods.", valueName: "count"))
    var limit: Int?

    @OptionGroup var filtering: FilteringOptions

    @Option(
        help: ArgumentHelp("Group by \(MoodSection.names).", valueName: "key"),
        completion: .list(MoodSection.allCases.map(\.rawValue)), transform: MoodSection.parsed)
    var section: MoodSection?

    @Flag(
        help: """
            Print the first 10 moods, or --limit, keep running, and print each change of the list, until \
            Ctrl-C (status 0). With --json, --section, --where, or --missing: print the whole list first.
            """)
    var follow = false

    @Flag(help: "Print only moods whose photos no longer exist.")
    var missing = false

    @Flag(help: "Print only photos with the same bytes as another photo, copies next to each other.")
    var duplicates = false

    @Option(
        help: ArgumentHelp(
            "Print only photos that are alike, in groups: \(SimilarGroups.Kind.names).", valueName: "kind"),
        completion: .list(SimilarGroups.Kind.allCases.map(\.rawValue)),
        transform: SimilarGroups.Kind.parsed)
    var similar: SimilarGroups.Kind?

    @Flag(
        name: .customShort("0"),
        help: "Print only the paths, byte for byte, separated by NUL (for xargs -0).")
    var nul = false

    @Option(
        help: ArgumentHelp(
            "With --json: name each color after the nearest of this list (GPL, ASE, ACO, CSV, JSON).",
            valueName: "file"))
    var names: BytePath?

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var message: MessageOptions

    func validate() throws {
        if let limit, limit < 1 { throw UsageError("--limit must be at least 1, not \(limit).") }
        if nul && (follow || section != nil) {
            throw UsageError("-0 goes neither with --follow nor with --section.")
        }
        if follow, limit != nil, output.json || section != nil || missing || filtering.filter != nil {
            throw UsageError(
                "--follow and --limit exclude each other with --json, --section, --where, and --missing.")
        }
        if (follow || section != nil) && sorting.list.key == .id {
            throw UsageError("--follow and --section want moods sorted by date or path.")
        }
        if duplicates && (follow || section != nil) {
            throw UsageError("--duplicates goes neither with --follow nor with --section.")
        }
        if similar != nil && (follow || section != nil || duplicates || limit != nil) {
            throw UsageError("--similar goes neither with --follow, --section, --duplicates, nor --limit.")
        }
        if names != nil && (!output.json || follow || section != nil) {
            throw UsageError("--names is for --json, and goes neither with --follow nor with --section.")
        }
        if nul && output.json { throw UsageError("-0 and --json exclude each other.") }
    }

    func run() async throws {
        let messages = message.messages()
        let names = try names.map { try ColorListFile.names($0, messages) }
        let stack = try store.open(isReadOnly: true, messages)
        defer { try? stack.close() }
        var list = sorting.list
        (list.limit, list.isMissingOnly) = (limit, missing)
        (list.filter, list.section) = (filtering.filter, section)
        list.isDuplicatesOnly = duplicates
        if follow { return try self.follow(list, in: stack, messages) }
        if section != nil { return try printSections(MoodSnapshot(of: list, in: stack), of: stack) }
        if let similar { return try printSimilar(similar, list, in: stack, messages, names) }
        if nul { return try printPaths(of: list, in: stack) }
        var lines = try output.json ? nil : MoodLines(of: stack, depth: output.depth)
        lines?.width = StandardOutput.shared.width
        try list.forEach(in: stack) { records in
            for line in lines?.lines(records) ?? records.map({ $0.json(names).text }) {
                StandardOutput.shared.line(line)
            }
            try StandardOutput.shared.flush()
            if StandardOutput.shared.isClosed { throw ExitCode.success }
        }
    }

    private func printPaths(of list: MoodList, in stack: DataStack) throws {
        try list.forEachPath(in: stack) { path in
            StandardOutput.shared.write(path + [0])
            if StandardOutput.shared.isClosed { throw ExitCode.success }
        }
        try StandardOutput.shared.flush()
    }
}

extension MoodSection {
    static func parsed(_ text: String) throws -> MoodSection {
        guard let section = MoodSection(rawValue: text) else {
            throw UsageError("--section must be \(names), not \(text).")
        }
        return section
    }
}
