import Foundation
import ManagedObjects

/// Runs the tour over a model of four versions, a store of the first one, and 1,000 rows.
///
///     swift run StackTour FOLDER       the folder with People.xcdatamodeld; Samples/StackTour
@main struct StackTour {
    static func main() async {
        guard CommandLine.arguments.count == 2 else {
            print("usage: StackTour FOLDER")
            exit(64)
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "tour-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        do {
            try prepare(folder, modelIn: URL(filePath: CommandLine.arguments[1]))
            _ = try await tour(folder, rows, Screen()) { print($0) }
        } catch {
            print("StackTour: \(error)")
            exit(1)
        }
    }

    /// A thousand people of three cities and thirty ages, a row to be skipped, and one twice.
    static var rows: [Row] {
        (1...1000).map { number in
            Row(
                number: Int64(number), name: number == 500 ? "Eve" : "Person \(number)",
                age: 20 + number % 30 + (number == 999 ? 200 : 0), city: ["Oslo", "Rome", nil][number % 3])
        } + [
            Row(number: -1, name: "nobody", age: 1, city: nil),
            Row(number: 2, name: "Person 2 again", age: 22, city: "Rome"),
        ]
    }

    /// Makes a folder with the model, and a store of its first version with two people.
    static func prepare(_ folder: URL, modelIn source: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let model = folder.appending(path: "People.xcdatamodeld")
        try FileManager.default.copyItem(at: source.appending(path: "People.xcdatamodeld"), to: model)
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(contentsOf: model, version: "People"))
        try coordinator.addPersistentStore(
            ofType: .sqlite, configuration: "People", at: folder.appending(path: "People.sqlite"))
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            for (number, name) in [(Int64(2), "Cem"), (3000, "Dora")] {
                let person = try context.insert(entityNamed: "Person")
                try person.setValue(number, forKey: "number")
                try person.setValue(name, forKey: "name")
            }
            try context.save()
        }
        try coordinator.close()
    }
}
