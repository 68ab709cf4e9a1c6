import ArgumentParser
import Foundation
import ManagedObjects
import StoreTools

struct StoreInfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Print a summary of a store: entities, row counts, history, the program that wrote it.",
        discussion: """
            Reads any SQLite or XML store of Core Data or SwiftData, and changes nothing in its folder.

            Examples:
              moody store info Moody.moody
              moody store info --json Moody.moody
            """)

    @OptionGroup var store: StoreArgument
    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
        let contents = try store.shown()
        do {
            let text = try json ? StoreListings.infoJSON(contents) : StoreListings.info(contents)
            StandardOutput.shared.line(text)
        } catch { throw StoreProblem(store.path, error) }
        try StandardOutput.shared.flush()
    }
}

struct StoreTablesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tables",
        abstract: "Print the tables of a store, and the property behind each column.",
        discussion: """
            Examples:
              moody store tables Moody.moody
              moody store tables --json Moody.moody
            """)

    @OptionGroup var store: StoreArgument
    @Flag(help: "Print one JSON object per line.")
    var json = false

    func run() async throws {
        let contents = try store.contents()
        do {
            for table in try contents.tables() {
                StandardOutput.shared.line(json ? StoreListings.json(table) : StoreListings.text(table))
            }
        } catch { throw StoreProblem(store.path, error) }
        try StandardOutput.shared.flush()
    }
}

struct StoreVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compare a store with its own model: version hashes, tables, columns.",
        discussion: """
            Status 1 if anything differs. A store records a hash of each entity; where that hash differs \
            from the model's, programs of Core Data refuse to open the store.

            Examples:
              moody store verify Moody.moody
              moody store verify --json Moody.moody
            """)

    @OptionGroup var store: StoreArgument
    @Flag(help: "Print one JSON object.")
    var json = false

    func run() async throws {
        let contents = try store.contents(), found: StoreVerification
        do { found = try contents.verification() } catch { throw StoreProblem(store.path, error) }
        let out = StandardOutput.shared
        if json {
            out.line(
                JSONText.object([
                    ("v", "1"), ("compared", "\(found.compared)"),
                    ("differences", JSONText.array(found.differences.map(JSONText.string))),
                ]))
        } else {
            for line in found.differences { out.line("\(store.path): \(line)") }
            let what = StoreListings.count(found.differences.count, "difference", "differences")
            out.line(
                "\(store.path): \(found.compared) compared, "
                    + (found.differences.isEmpty ? "no difference" : what)
            )
        }
        try out.flush()
        if !found.differences.isEmpty { throw ExitCode(1) }
    }
}
