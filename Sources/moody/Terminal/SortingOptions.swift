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
        guard let list = MoodList(sort: argument) else { return nil }
        self.list = list
    }

    var defaultValueDescription: String { "date:desc" }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
    static var allValueStrings: [String] {
        MoodList.Key.allCases.flatMap { [$0.rawValue, "\($0.rawValue):asc", "\($0.rawValue):desc"] }
    }
}
