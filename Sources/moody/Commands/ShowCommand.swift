import ArgumentParser
import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel

struct ShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show everything about single moods.",
        discussion: """
            Name a mood by its number (see moody list) or by the path of its photo; write ./12 for a photo \
            whose name is a number. A terminal that can display pictures (kitty or sixel) shows the photo.

            Examples:
              moody show 1
              moody show --json Photos/harbour.jpg
            """)

    @Argument(help: ArgumentHelp("Numbers or photos.", valueName: "id|path"))
    var moods: [BytePath]

    @Option(
        help: ArgumentHelp(
            "Name each color after the nearest of this list (GPL, ASE, ACO, CSV, JSON).", valueName: "file"))
    var names: BytePath?

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var message: MessageOptions

    func run() async throws {
        let messages = message.messages()
        let names = try names.map { try ColorListFile.names($0, messages) }
        let stack = try store.open(isReadOnly: true, messages)
        defer { try? stack.close() }
        // Colors and pictures are for people; in a pipe a card is its lines alone.
        let card = output.json ? nil : MoodCard(depth: output.depth)
        var isFirst = true, failed = false
        for (path, id) in zip(moods, try MoodName.find(moods, in: stack)) {
            guard let id, let (found, thumbnail) = try Self.record(id, in: stack) else {
                let why = try MoodName.reason(path, in: stack)
                messages.problem(path.description, why.map { "no mood: \($0)" } ?? "no such mood")
                failed = true
                continue
            }
            var record = found
            record.name(by: names)
            if output.json {
                StandardOutput.shared.line(record.json.adding("roles", record.palette.rolesJSON).text)
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
        try stack.read {
            try $0.objects(Mood.self, with: [id]).first.map {
                (MoodRecord($0), [UInt8]($0.thumbnail?.jpeg ?? Data()))
            }
        }
    }
}
