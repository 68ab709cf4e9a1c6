import ArgumentParser
import DataStacks
import ManagedObjects
import MoodyGallery

struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints the moods, a line each: number, day, colours, photo.",
        discussion: """
            Photos are named by their paths below the folder that all of them lie in.

            Examples:
              moody list
              moody list --sort path --limit 10 --json
            """)

    @OptionGroup var sorting: SortingOptions

    @Option(help: ArgumentHelp("So many at most.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Only moods whose photos are gone.")
    var missing = false

    @Flag(
        name: .customShort("0"),
        help: "Only the photos' paths, byte for byte, each ended by NUL: for xargs -0 and --files-from.")
    var nul = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var message: MessageOptions

    func validate() throws {
        if let limit, limit < 1 { throw UsageError("--limit must be at least 1, not \(limit).") }
        if nul && output.json { throw UsageError("-0 and --json exclude each other.") }
    }

    func run() async throws {
        let messages = message.messages()
        let stack = try store.open(isReadOnly: true, messages)
        defer { try? stack.coordinator.close() }
        var list = sorting.list
        (list.limit, list.isMissingOnly) = (limit, missing)
        if nul { return try printPaths(of: list, in: stack) }
        var lines = try output.json ? nil : MoodLines(of: stack, inColor: output.isInColor)
        try list.forEach(in: stack) { records in
            for line in lines?.lines(records) ?? records.map(\.json.text) { StandardOutput.shared.line(line) }
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

/// In which order moods come.
struct SortingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            date, path or id; :asc or :desc behind it, or - in front of it for :desc, as in --sort=-path. \
            Default: date:desc.
            """, valueName: "key"))
    var sort = MoodSorting(list: MoodList())

    var list: MoodList { sort.list }
}

struct MoodSorting: ExpressibleByArgument {
    let list: MoodList

    init(list: MoodList) { self.list = list }

    init?(argument: String) {
        let isMinus = argument.hasPrefix("-")
        let text = isMinus ? argument.dropFirst() + ":desc" : argument[...]
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let key = MoodList.Key(rawValue: parts[0]), parts.count <= 2 else { return nil }
        switch parts.count == 2 ? parts[1] : "" {
        case "asc": list = MoodList(by: key, isDescending: false)
        case "desc": list = MoodList(by: key, isDescending: true)
        // The newest first, but A before Z.
        case "" where parts.count == 1: list = MoodList(by: key, isDescending: key == .date)
        default: return nil
        }
    }

    var defaultValueDescription: String { "date:desc" }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
    static var allValueStrings: [String] {
        MoodList.Key.allCases.flatMap { [$0.rawValue, "\($0.rawValue):asc", "\($0.rawValue):desc"] }
    }
}
