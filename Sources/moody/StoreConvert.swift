import ArgumentParser
import Foundation
import ManagedObjects
import MoodyIngest
import MoodyModel

struct StoreConvert: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Writes everything in a store to a new one, in another of Core Data's formats.",
        discussion: """
            What a file is, its name's ending says: .xml is an XML store and .binary a binary one, anything \
            else SQLite. The other commands work with SQLite alone; the others are for programs that read \
            them, and to look at. A file that is there is never written over.

            Examples:
              moody store convert Moody.moody Moods.xml
              moody store convert Moody.moody Moods.binary
            """)

    @Argument(help: ArgumentHelp("The store to read.", valueName: "source"))
    var source: BytePath
    @Argument(help: ArgumentHelp("The store to make.", valueName: "target"))
    var target: BytePath
    @OptionGroup var message: MessageOptions

    func run() async throws {
        let messages = message.messages()
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try .moody())
        defer { try? coordinator.close() }
        do {
            try coordinator.addPersistentStore(
                ofType: type(of: source), at: StoreOptions.location(of: source), isReadOnly: true)
        } catch let problem as StoreProblem { throw problem } catch { throw StoreProblem(source, error) }
        do {
            try coordinator.copyStore(to: StoreOptions.location(of: target), ofType: type(of: target))
        } catch let problem as StoreProblem { throw problem } catch { throw StoreProblem(target, error) }
        let counts = try coordinator.report().counts
        messages.note("moody: wrote \(target): \(counts["Mood"] ?? 0) moods")
    }

    private func type(of path: BytePath) -> PersistentStoreCoordinator.StoreType {
        switch URL(filePath: "\(path)").pathExtension.lowercased() {
        case "xml": .xml
        case "binary": .binary
        default: .sqlite
        }
    }
}
