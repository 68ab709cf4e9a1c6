import ArgumentParser
import DataStacks
import Glibc
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel

struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete moods from the store. Photos are never touched.",
        discussion: """
            Later runs of moody ingest skip the photos of deleted moods; moody ingest --restore PATH brings \
            them back. --where works as in moody list; together with names it selects moods that match \
            both. Asks before deleting several moods; without a terminal, --yes is required.

            Examples:
              moody delete 1
              moody delete --dry-run --where 'date < "2024-01-01"'
            """)

    @Argument(help: ArgumentHelp("Numbers or photos (see moody show).", valueName: "id|path"))
    var moods: [BytePath] = []

    @OptionGroup var filtering: FilteringOptions

    @Flag(help: "Delete the moods that match --where without asking.")
    var yes = false

    @Flag(name: [.customShort("n"), .long], help: "Print what would be deleted, without deleting anything.")
    var dryRun = false

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var message: MessageOptions

    func validate() throws {
        if moods.isEmpty && filtering.text == nil {
            throw UsageError("Name moods, or say which with --where.")
        }
    }

    func run() async throws {
        let messages = message.messages()
        let stack = try store.open(isReadOnly: dryRun, messages)
        defer { try? stack.close() }
        let (named, isWhole) = try MoodName.find(moods, in: stack, messages)
        let ids = try filtering.filter.map { try matching($0, named, in: stack) } ?? named
        if filtering.filter != nil && ids.isEmpty { messages.note("moody: no mood matches --where") }
        var lines = try MoodLines(of: stack, depth: output.depth)
        // A word or a sign stands in front.
        lines.width = StandardOutput.shared.width.map { $0 - (dryRun ? 8 : 2) }
        if dryRun {
            try MoodList.forEach(of: ids, in: stack) { records in
                for (record, line) in zip(records, lines.lines(records)) {
                    let json = JSON.object([("v", 1), ("plan", "delete"), ("mood", record.json)])
                    StandardOutput.shared.line(output.json ? json.text : "delete  \(line)")
                }
            }
        } else if try isAgreed(to: ids.count, messages) {
            if !output.json && ids.count <= 1_000 { return try deleteFew(ids, lines, in: stack, isWhole) }
            let printer = try ReportPrinter(
                json: output.json, lines: lines, isQuiet: message.quiet, file: nil)
            let watch = try ChangeReport(in: stack) { printer.print($0) }
            do { _ = try stack.deleteMoods(ids) } catch { throw StoreProblem(store.path, error) }
            watch.stop()
        }
        try StandardOutput.shared.flush()
        if !isWhole { throw ExitCode(1) }
    }

    /// Deletes moods and prints them, from the last of the list to the first, as a report of changes does,
    /// which reads the whole list to know where they stood.
    private func deleteFew(
        _ ids: [ManagedObjectID], _ lines: MoodLines, in stack: DataStack, _ isWhole: Bool
    ) throws {
        var lines = lines, list = MoodList(), texts: [String] = []
        list.only = Set(ids)
        try MoodList.forEach(of: try list.ids(in: stack).reversed(), in: stack) { texts += lines.lines($0) }
        do { _ = try stack.deleteMoods(ids) } catch { throw StoreProblem(store.path, error) }
        if !message.quiet { for text in texts { StandardOutput.shared.line("- \(text)") } }
        try StandardOutput.shared.flush()
        if !isWhole { throw ExitCode(1) }
    }

    /// Returns the matching moods, among the named ones or all.
    private func matching(_ filter: MoodFilter, _ named: [ManagedObjectID], in stack: DataStack) throws
        -> [ManagedObjectID]
    {
        var list = MoodList()
        list.filter = filter
        if !moods.isEmpty { list.only = Set(named) }
        return try list.ids(in: stack)
    }

    /// A slip in a condition may cost many palettes: who deletes several by one is asked.
    /// - Throws: ``ExitCode``, after a line, where nobody can be asked.
    private func isAgreed(to count: Int, _ messages: Messages) throws -> Bool {
        if filtering.filter == nil || count < 2 || yes { return true }
        guard isatty(STDIN_FILENO) == 1 else {
            messages.problem(
                "\(count) moods match --where: to delete them, --yes; to see which, -n.\nUsage: "
                    + Moody.usageString(for: DeleteCommand.self))
            throw ExitCode.validationFailure
        }
        if messages.ask("delete \(count) moods?") { return true }
        messages.note("moody: nothing was deleted")
        return false
    }
}
