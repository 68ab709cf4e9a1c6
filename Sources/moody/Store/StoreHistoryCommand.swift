import ArgumentParser
import Foundation
import ManagedObjects
import StoreTools

struct StoreHistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Print the history of a store: transactions, their authors, and what they changed.",
        discussion: """
            Only stores of SwiftData, and of programs that turned history tracking on, keep a history. \
            --since takes a day, a time in ISO 8601, or the name of a weekday, all in UTC.

            Examples:
              moody store history --since 2024-01-31 Moody.moody
              moody store history --since tuesday --json Moody.moody
            """)

    @OptionGroup var store: StoreArgument
    @Option(help: ArgumentHelp("Print only transactions of this day and later.", valueName: "date"))
    var since: String?
    @Option(help: ArgumentHelp("Print only transactions of this author.", valueName: "name"))
    var author: String?
    @Flag(help: "Print one JSON object per transaction.")
    var json = false
    @OptionGroup var message: MessageOptions

    func validate() throws {
        if let since, PointInTime.seconds(since, now: Date()) == nil {
            throw ValidationError("“\(since)” is no date: use 2024-01-31, 2024-01-31T12:00:00Z or tuesday")
        }
    }

    func run() async throws {
        let contents = try store.contents(), out = StandardOutput.shared
        let bound = since.flatMap { PointInTime.seconds($0, now: Date()) }
        let found: [ShownTransaction]?
        do { found = try contents.history(since: bound) } catch { throw StoreProblem(store.path, error) }
        guard let found else {
            message.messages().note("moody: \(store.path): keeps no history")
            return
        }
        for transaction in found {
            if let author, transaction.author != author { continue }
            out.line(json ? StoreListings.json(transaction) : StoreListings.text(transaction))
        }
        try out.flush()
    }
}

/// A point in time as a command line says it.
enum PointInTime {
    /// Seconds since 2001-01-01 00:00 UTC; nil for what is no date.
    static func seconds(_ text: String, now: Date) -> Double? {
        let weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
        let today = (now.timeIntervalSinceReferenceDate / 86_400).rounded(.down)
        switch text.lowercased() {
        case "today": return today * 86_400
        case "yesterday": return (today - 1) * 86_400
        case let word:
            guard let wanted = weekdays.firstIndex(where: { word.count >= 3 && $0.hasPrefix(word) }) else {
                break
            }
            // 2001-01-01 was a Monday.
            let weekday = ((Int(today) + 1) % 7 + 7) % 7
            return (today - Double((weekday - wanted + 7) % 7)) * 86_400
        }
        let style = Date.ISO8601FormatStyle()
        if let day = text.wholeMatch(of: /\d{4}-\d{2}-\d{2}/) {
            return (try? style.parse("\(day.0)T00:00:00Z"))?.timeIntervalSinceReferenceDate
        }
        // With parts of a second or without.
        return (try? style.parse(text))?.timeIntervalSinceReferenceDate
    }
}
