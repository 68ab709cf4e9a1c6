import ArgumentParser
import MoodyGallery

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
        guard let list = MoodList(sort: argument) else { return nil }
        self.list = list
    }

    var defaultValueDescription: String { "date:desc" }
    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
    static var allValueStrings: [String] {
        MoodList.Key.allCases.flatMap { [$0.rawValue, "\($0.rawValue):asc", "\($0.rawValue):desc"] }
    }
}
