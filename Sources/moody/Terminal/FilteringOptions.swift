import ArgumentParser
import ManagedObjects
import MoodyGallery

/// Which moods.
struct FilteringOptions: ParsableArguments {
    @Option(
        name: .customLong("where"),
        help: ArgumentHelp(
            "Select only moods that match, as in 'width > 4000' (moody list --help).", valueName: "predicate")
    )
    var text: String?

    /// Nil for all.
    private(set) var filter: MoodFilter?

    mutating func validate() throws {
        do { filter = try text.map { text throws(FetchError) in try MoodFilter(text) } } catch let error {
            switch error {
            case .unknownKey(_, let key):
                throw UsageError(
                    "--where: unknown key \(key); keys: \(MoodFilter.keys.joined(separator: ", ")).")
            case .format(_, let offset, let reason):
                throw UsageError("--where: cannot be read from character \(offset + 1) on: \(reason).")
            default: throw UsageError("--where: \(error).")
            }
        }
    }

    private enum CodingKeys: CodingKey { case text }
}
