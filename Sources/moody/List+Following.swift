import ArgumentParser
import DataStacks
import Dispatch
import ManagedObjects
import MoodyGallery
import MoodyModel

extension List {
    /// - Parameter shown: takes down what is printed.
    func printSections(_ snapshot: MoodSnapshot, of stack: DataStack, _ shown: ShownMoods? = nil) throws {
        var lines = try output.json ? nil : MoodLines(of: stack, depth: output.depth)
        lines?.width = StandardOutput.shared.width
        try snapshot.forEach(in: stack) { place, section, records in
            if let section {
                StandardOutput.shared.line(
                    output.json
                        ? section.json(at: place).text
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
        let (report, snapshot) = try begin(list, in: stack, shown) { changes in
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

    /// A report, and the list as it was when the report began: begun again while others write.
    private func begin(
        _ list: MoodList, in stack: DataStack, _ shown: ShownMoods,
        handler: @escaping @Sendable ([MoodChange]) -> Void
    ) throws -> (ChangeReport, MoodSnapshot) {
        for _ in 0..<100 {
            stack.takeInOthers(updating: { try ChangeReport.moods(of: $0, in: $1) })
            let report = try ChangeReport(of: list, in: stack, knowing: shown, handler: handler)
            let snapshot = try MoodSnapshot(of: list, in: stack)
            // Nothing is taken in meanwhile: what was written is seen here, and both are made anew.
            let missed = try stack.coordinator.changesByOthers()
            if missed.isEmpty { return (report, snapshot) }
            report.stop()
            try stack.reader.performAndWait { try $0.mergeChanges(byOthers: missed) }
        }
        throw StoreProblem("\(store.path): others write to it without a pause")
    }
}
