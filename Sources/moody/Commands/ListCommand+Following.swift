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

    /// Prints the list, and then what becomes of it, until somebody asks for an end or nobody reads any more.
    func follow(_ list: MoodList, in stack: DataStack, _ messages: Messages) throws {
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
