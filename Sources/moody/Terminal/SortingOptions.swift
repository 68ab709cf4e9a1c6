import ArgumentParser
import MoodyGallery

/// In which order moods come.
struct SortingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Sort by date, path, or id; append :asc or :desc, or write --sort=-path for descending order \
            (default: date:desc).
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
