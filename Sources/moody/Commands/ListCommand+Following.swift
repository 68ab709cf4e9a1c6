import ArgumentParser
import DataStacks
import Dispatch
import ManagedObjects
import MoodyGallery
import MoodyModel

extension ListCommand {
    /// - Parameter shown: takes down what is printed.
    func printSections(_ snapshot: MoodSnapshot, of stack: DataStack, _ shown: ShownMoods? = nil) throws {
        var lines = try output.json ? nil : MoodLines(of: stack, depth: output.depth)
        lines?.width = StandardOutput.shared.width
        try snapshot.forEach(in: stack) { index, section, records in
            if let section {
                StandardOutput.shared.line(
                    output.json
                        ? section.json(at: index).text
                        : "\(ReportPrinter.sectionText(section.name)) (\(section.count))")
            }
            shown?.add(records)
            for line in lines?.lines(records) ?? records.map(\.json.text) { StandardOutput.shared.line(line) }
            try StandardOutput.shared.flush()
            if StandardOutput.shared.isClosed { throw ExitCode.success }
        }
    }

    /// The number of moods that a followed list begins with, as `tail` and `journalctl` have it.
    static let first = 10

    /// Prints the beginning of the list, and then what becomes of it, until the user asks for an end or the
    /// reader of the output is gone.
    func follow(_ list: MoodList, in stack: DataStack, _ messages: Messages) throws {
        if output.json || section != nil || missing || filtering.filter != nil {
            return try followPlaces(list, in: stack)
        }
        let end = DispatchSemaphore(value: 0)
        let signals = Signals { _ in end.signal() }
        var lines = try MoodLines(of: stack, depth: output.depth)
        lines.width = StandardOutput.shared.width
        var start = list
        start.limit = limit ?? Self.first
        let shown = ShownMoods(), news = MoodNews(of: list, knowing: shown)
        // What is committed from here on is told, and not shown as the beginning.
        stack.takeInOthers()
        try start.forEach(in: stack) { records in
            shown.add(records)
            for line in lines.lines(records) { StandardOutput.shared.line(line) }
        }
        try StandardOutput.shared.flush()
        lines.width = StandardOutput.shared.width.map { $0 - 2 }
        let printer = try ReportPrinter(json: false, lines: lines, isQuiet: false, file: nil)
        let follower = stack.followOthers(
            updating: { note, context in
                let related = try ChangeReport.moods(of: note, in: context)
                printer.print(try news.changes(note, updating: related, in: stack))
                if StandardOutput.shared.isClosed { end.signal() }
                return []
            },
            onGap: { messages.note("moody: note: some changes could not be told; moody list shows them") })
        if signals.signal == nil { end.wait() }
        withExtendedLifetime(follower) {}
        try printer.finish()
    }

    /// The same of a list whose places are told, or that not all moods are in: it is held whole.
    private func followPlaces(_ list: MoodList, in stack: DataStack) throws {
        let end = DispatchSemaphore(value: 0)
        let signals = Signals { _ in end.signal() }
        var lines = try MoodLines(of: stack, depth: output.depth)
        lines.width = StandardOutput.shared.width.map { $0 - 2 }
        let printer = try ReportPrinter(json: output.json, lines: lines, isQuiet: false, file: nil)
        let shown = ShownMoods()
        stack.takeInOthers(updating: { try ChangeReport.moods(of: $0, in: $1) })
        let (report, snapshot) = try ChangeReport.begin(of: list, in: stack, knowing: shown) { changes in
            printer.print(changes)
            if StandardOutput.shared.isClosed { end.signal() }
        }
        defer { report.stop() }
        try printSections(snapshot, of: stack, shown)
        let follower = stack.followOthers(updating: { try ChangeReport.moods(of: $0, in: $1) })
        if signals.signal == nil { end.wait() }
        withExtendedLifetime(follower) {}
        try printer.finish()
    }
}
