import ArgumentParser
import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import MoodyIngest

struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Takes moods out of the store; photos are never touched.",
        discussion: """
            What was deleted is remembered: the next ingest leaves these photos out. To have them back: \
            moody ingest --restore PATH.

            Examples:
              moody delete 1
              moody delete --dry-run Photos/harbour.jpg
            """)

    @Argument(help: ArgumentHelp("Numbers and photos, as for moody show.", valueName: "id|path"))
    var moods: [BytePath]

    @Flag(name: [.customShort("n"), .long], help: "Say what would be deleted; delete nothing.")
    var dryRun = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var message: MessageOptions

    func run() async throws {
        let messages = message.messages()
        let stack = try store.open(isReadOnly: dryRun, messages)
        defer { try? stack.coordinator.close() }
        var ids: [ManagedObjectID] = []
        for (path, id) in zip(moods, try MoodName.find(moods, in: stack)) {
            if let id { ids.append(id) } else { messages.problem(path.description, "no such mood") }
        }
        let failed = ids.count < moods.count
        var lines = try MoodLines(of: stack, depth: output.depth)
        if dryRun {
            try MoodList.forEach(of: ids, in: stack) { records in
                for (record, line) in zip(records, lines.lines(records)) {
                    let json = JSON.object([("v", 1), ("plan", "delete"), ("mood", record.json)])
                    StandardOutput.shared.line(output.json ? json.text : "delete  \(line)")
                }
            }
        } else {
            let printer = try ReportPrinter(
                json: output.json, lines: lines, isQuiet: message.quiet, file: nil)
            let watch = try ChangeReport(in: stack) { printer.print($0) }
            do { _ = try stack.deleteMoods(ids) } catch { throw StoreProblem(store.path, error) }
            watch.stop()
        }
        try StandardOutput.shared.flush()
        if failed { throw ExitCode(1) }
    }
}
