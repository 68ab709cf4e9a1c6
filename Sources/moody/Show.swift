import ArgumentParser
import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints all that is known of moods.",
        discussion: """
            A mood is named by the number that moody list prints, or by the path of its photo; a photo \
            whose name is a number is ./12. On a terminal the palette is shown in as many colors as it has, \
            and the photo where it takes pictures (kitty's, or sixel).

            Examples:
              moody show 1
              moody show --json Photos/harbour.jpg
            """)

    @Argument(help: ArgumentHelp("Numbers and photos.", valueName: "id|path"))
    var moods: [BytePath]

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var message: MessageOptions

    func run() async throws {
        let messages = message.messages()
        let stack = try store.open(isReadOnly: true, messages)
        defer { try? stack.coordinator.close() }
        // Colours and pictures are for people; in a pipe a card is its lines alone.
        let card = output.json ? nil : MoodCard(depth: output.depth)
        var isFirst = true, failed = false
        for (path, id) in zip(moods, try MoodName.find(moods, in: stack)) {
            guard let id, let (record, thumbnail) = try Self.record(id, in: stack) else {
                let why = try MoodName.reason(path, in: stack)
                messages.problem(path.description, why.map { "no mood: \($0)" } ?? "no such mood")
                failed = true
                continue
            }
            if output.json {
                StandardOutput.shared.line(record.json.text)
            } else {
                if !isFirst { StandardOutput.shared.line("") }
                card?.lines(record, thumbnail).forEach(StandardOutput.shared.line)
            }
            isFirst = false
        }
        try StandardOutput.shared.flush()
        if failed { throw ExitCode(1) }
    }

    private static func record(_ id: ManagedObjectID, in stack: DataStack) throws -> (MoodRecord, [UInt8])? {
        try stack.reader.performAndWait {
            try $0.objects(Mood.self, with: [id]).first.map {
                (MoodRecord($0), [UInt8]($0.thumbnail?.jpeg ?? Data()))
            }
        }
    }
}
