import ArgumentParser
import Foundation
import ManagedObjects
import StoreTools

struct StoreDumpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Print the rows of a store: of all entities, or of some.",
        discussion: """
            Dates are ISO 8601, UUIDs are text, bytes are Base64. A to-one relationship is the key of the \
            other row, a to-many relationship a list of keys. A value that cannot be read, such as a lost \
            external file, is printed as an error of its own. Text output shows archives among the bytes as \
            readable values. CSV output is limited to one entity.

            Examples:
              moody store dump Moody.moody Country
              moody store dump --json Moody.moody
            """)

    @OptionGroup var store: StoreArgument
    @Argument(
        help: ArgumentHelp("Entities to print, including their subentities.", valueName: "entity"))
    var entities: [String] = []
    @Option(help: ArgumentHelp("Output format: text, json, or csv.", valueName: "format"))
    var format = ListingFormat.text
    @Flag(help: "Print one JSON object per row (--format json).")
    var json = false
    @Option(help: ArgumentHelp("Print at most this many rows per entity.", valueName: "n"))
    var limit: Int?

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError("--limit \(limit) is below 0") }
        if format == .csv && entities.count != 1 && !json {
            throw ValidationError("CSV is of one entity: moody store dump --format csv FILE ENTITY")
        }
    }

    func run() async throws {
        let contents = try store.shown(), format = json ? .json : format, out = StandardOutput.shared
        for entity in try wanted(contents) {
            if format == .csv, entity.name == entities.first { out.line(StoreListings.csvHead(entity)) }
            var left = limit ?? .max
            do {
                if left > 0 {
                    try contents.forEachRow(of: entity) { row in
                        switch format {
                        case .json: out.line(StoreListings.json(row))
                        case .text: out.line(StoreListings.text(row))
                        case .csv:
                            let named = contents.model.entity(named: entities[0]) ?? entity
                            out.line(StoreListings.csv(row, of: named))
                        }
                        left -= 1
                        if left == 0 || out.isClosed { throw Enough() }
                    }
                }
            } catch is Enough {} catch { throw StoreProblem(store.path, error) }
            if out.isClosed { return }
        }
        try out.flush()
    }

    private struct Enough: Error {}

    /// The entities that were named, each followed by those that inherit from it.
    private func wanted(_ contents: any ShownStore) throws -> [EntityDescription] {
        if entities.isEmpty { return contents.entities }
        func below(_ name: String) -> [EntityDescription] {
            contents.entities.filter { $0.name == name }
                + contents.entities.filter { $0.superentityName == name }.flatMap { below($0.name) }
        }
        return try entities.flatMap { name in
            let found = below(name)
            if found.isEmpty {
                let names = contents.entities.map(\.name).joined(separator: ", ")
                throw StoreProblem("\(store.path): no entity \(name); there are: \(names)")
            }
            return found
        }
    }
}
