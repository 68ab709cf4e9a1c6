import ArgumentParser
import Foundation
import ManagedObjects
import MoodyIngest
import MoodyModel
import StoreTools

struct StoreConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Copy a store to a new file, in the same or another of Core Data's formats.",
        discussion: """
            The extension of the target names its format: .xml, .binary, or SQLite for any other. From \
            SQLite to SQLite, rows keep their keys, and the copy is complete even while a program has the \
            store open. Never overwrites a file.

            Examples:
              moody store convert Moody.moody Moods.xml
              moody store convert Moody.moody Moods.binary
            """)

    @Argument(help: ArgumentHelp("Store to read.", valueName: "source"))
    var source: BytePath
    @Argument(help: ArgumentHelp("Store to create.", valueName: "target"))
    var target: BytePath
    @OptionGroup var message: MessageOptions

    func run() async throws {
        let messages = message.messages()
        if isXML(source) && !StoreSource.isMoody(source, ofType: .xml) { return try convertXML(messages) }
        let isOther = isSQLite(type(of: source)) && !StoreSource.isMoody(source)
        if isOther || (isSQLite(type(of: source)) && isSQLite(type(of: target))) {
            return try await convertAny(messages)
        }
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try .moody())
        defer { try? coordinator.close() }
        do {
            try coordinator.addPersistentStore(
                ofType: type(of: source), at: StoreOptions.location(of: source), isReadOnly: true)
        } catch let problem as StoreProblem { throw problem } catch { throw StoreProblem(source, error) }
        let moods = try count(["Mood"], in: coordinator)
        do {
            try coordinator.copyStore(to: StoreOptions.location(of: target), ofType: type(of: target))
        } catch let problem as StoreProblem { throw problem } catch { throw StoreProblem(target, error) }
        messages.note("moody: wrote \(target): \(moods) moods")
    }

    private func count(_ entities: [String], in coordinator: PersistentStoreCoordinator) throws -> Int {
        do {
            return try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
                context in
                try entities.reduce(0) {
                    try $0 + context.count(FetchRequest<ManagedObject>(entityName: $1))
                }
            }
        } catch { throw StoreProblem(source, error) }
    }

    private func isXML(_ path: BytePath) -> Bool {
        (try? StoreOptions.location(of: path)).map(XMLShownStore.isXML) ?? false
    }

    /// An XML store of any program.
    private func convertXML(_ messages: Messages) throws {
        let coordinator: PersistentStoreCoordinator
        do {
            coordinator = try PersistentStoreCoordinator(readingStoreAt: StoreOptions.location(of: source))
        } catch let problem as StoreProblem { throw problem } catch { throw StoreProblem(source, error) }
        defer { try? coordinator.close() }
        let roots = coordinator.managedObjectModel.entities.filter { $0.superentityName == nil }
        let rows = try count(roots.map(\.name), in: coordinator)
        do {
            try coordinator.copyStore(to: StoreOptions.location(of: target), ofType: type(of: target))
        } catch let problem as StoreProblem { throw problem } catch { throw StoreProblem(target, error) }
        messages.note("moody: wrote \(target): \(StoreListings.count(rows, "row", "rows"))")
    }

    /// A store of any program.
    private func convertAny(_ messages: Messages) async throws {
        let contents = try StoreSource.contents(of: source)
        let isMoody = contents.model.entity(named: "Mood") != nil && StoreSource.isMoody(source)
        let counted = contents.entities.filter { !isMoody || $0.name == "Mood" }
        let rows = try counted.reduce(0) { try $0 + contents.count(of: $1) }
        do {
            let url = try StoreOptions.location(of: target)
            if isSQLite(type(of: target)) {
                try contents.copy(to: url)
            } else {
                let coordinator = try PersistentStoreCoordinator(
                    readingStoreAt: StoreOptions.location(of: source))
                defer { try? coordinator.close() }
                try coordinator.copyStore(to: url, ofType: type(of: target))
            }
        } catch let problem as StoreProblem { throw problem } catch { throw StoreProblem(target, error) }
        let what = isMoody ? "\(rows) moods" : StoreListings.count(rows, "row", "rows")
        messages.note("moody: wrote \(target): \(what)")
    }

    private func isSQLite(_ type: PersistentStoreCoordinator.StoreType) -> Bool {
        if case .sqlite = type { true } else { false }
    }

    private func type(of path: BytePath) -> PersistentStoreCoordinator.StoreType {
        switch URL(filePath: "\(path)").pathExtension.lowercased() {
        case "xml": .xml
        case "binary": .binary
        default: .sqlite
        }
    }
}
