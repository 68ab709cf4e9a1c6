import ArgumentParser
import Foundation
import ManagedObjects
import MoodyIngest
import StoreTools

struct StoreMigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Migrate a store to another version of its model.",
        discussion: """
            Infers the mapping of each entity, as Core Data's lightweight migration does, or reads it from a \
            mapping model of Xcode (--mapping); a mapping model that calls Objective-C methods is refused. \
            Writes the new store beside the old one and replaces it only when complete; keeps the old store \
            as FILE.~1~.

            Examples:
              moody store migrate -n Moody.moody Moody.moody
              moody store migrate -n --json Moody.moody Moody.moody
            """)

    @Argument(help: ArgumentHelp("Store to migrate.", valueName: "file"))
    var file: BytePath
    @Argument(
        help: ArgumentHelp(
            "Model to migrate to: a model file, or a store that holds one.", valueName: "model"))
    var model: BytePath
    @Option(help: ArgumentHelp("Use this version of a folder of versions.", valueName: "name"))
    var version: String?
    @Option(
        help: ArgumentHelp("Use this mapping model of Xcode (.xcmappingmodel).", valueName: "file")
    )
    var mapping: BytePath?
    @Flag(
        name: [.customShort("n"), .customLong("dry-run")],
        help: "Print what would be done, without changing anything.")
    var isDry = false
    @Flag(help: "Print one JSON object per entity.")
    var json = false
    @OptionGroup var message: MessageOptions

    func run() async throws {
        let source = try StoreSource.contents(of: file).model
        let target = try StoreSource.model(of: model, version: version)
        let mappings = try mapping.map { [try mappingModel($0, from: source, to: target)] } ?? []
        let migration = Migration(versions: [source, target], mappings: mappings), out = StandardOutput.shared
        do {
            let url = try StoreOptions.location(of: file), steps = try migration.steps(forStoreAt: url)
            if steps.isEmpty { message.messages().note("moody: \(file): is of this version already") }
            for mapping in steps.flatMap(\.mapping.entityMappings) where isDry || json { print(mapping) }
            try out.flush()
            if isDry || steps.isEmpty { return }
            if let kept = try migration.migrateStore(at: url) {
                message.messages().note("moody: \(file): migrated; before: \(kept.lastPathComponent)")
            }
        } catch let problem as StoreProblem { throw problem } catch { throw StoreProblem(file, error) }
    }

    private func mappingModel(
        _ path: BytePath, from source: ManagedObjectModel, to target: ManagedObjectModel
    ) throws -> MappingModel {
        do {
            return try MappingModel(
                contentsOf: StoreOptions.location(of: path), from: source, to: target)
        } catch let problem as StoreProblem { throw problem } catch { throw StoreProblem(path, error) }
    }

    private func print(_ mapping: EntityMapping) {
        let (before, after) = (mapping.sourceEntityName, mapping.destinationEntityName)
        let properties = mapping.propertyMappings.sorted { $0.key < $1.key }.compactMap {
            name, origin -> (String, String)? in
            switch origin {
            case .property(let other): other == name ? nil : (name, other)
            case .targets(let path, _, _): (name, path)
            case .defaultValue: (name, "(default)")
            case .value: (name, "(computed)")
            }
        }
        if json {
            StandardOutput.shared.line(
                JSONText.object([
                    ("v", "1"), ("kind", JSONText.string(mapping.kind.rawValue)),
                    ("from", before.map(JSONText.string) ?? "null"),
                    ("to", after.map(JSONText.string) ?? "null"),
                    ("properties", JSONText.object(properties.map { ($0, JSONText.string($1)) })),
                ]))
            return
        }
        let name = before == after ? before ?? "" : "\(before ?? "nothing") -> \(after ?? "nothing")"
        StandardOutput.shared.line("\(name): \(mapping.kind.rawValue)")
        for (name, origin) in properties { StandardOutput.shared.line("    \(name) from \(origin)") }
    }
}
