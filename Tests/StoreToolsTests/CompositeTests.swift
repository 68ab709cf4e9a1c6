import Foundation
import ManagedObjects
import StoreTools
import Testing

/// Composites: Codable structs and enumerations of SwiftData, whose elements are columns of their own.
@Suite struct CompositeTests {
    private func model() throws -> ManagedObjectModel {
        func element(_ name: String, _ type: AttributeType = .string) -> AttributeDescription {
            AttributeDescription(name, type, isOptional: true)
        }
        return try ManagedObjectModel(entities: [
            EntityDeclaration(
                "Recipe",
                properties: [
                    .attribute(element("id")),
                    .attribute(
                        AttributeDescription(
                            composite: "author",
                            [
                                element("id"), element("year", .integer64),
                                AttributeDescription(composite: "home", [element("city")]),
                            ])
                    ),
                    .attribute(
                        AttributeDescription(
                            composite: "unit", [element("unit")], userInfo: ["EnumType": "true"])),
                ])
        ])
    }

    @Test func `elements of composites are columns, and are shown under their composite`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "default.store")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model())
        try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            let recipe = try context.insert(entityNamed: "Recipe")
            try recipe.setValue("r1", forKey: "id")
            try recipe.setValue("a1", forKey: "author.id")
            try recipe.setValue(1995, forKey: "author.year")
            try recipe.setValue("Rome", forKey: "author.home.city")
            try recipe.setValue("oz", forKey: "unit")
            _ = try context.insert(entityNamed: "Recipe")
            try context.save()
        }
        try coordinator.close()
        // The element gives way to the attribute of its name.
        let sql = "SELECT ZID, ZID1, ZYEAR, ZCITY, ZUNIT FROM ZRECIPE ORDER BY Z_PK"
        #expect(try Fixtures.shell("sqlite3 '\(url.path)' '\(sql)'") == "r1|a1|1995|Rome|oz\n||||\n")
        let contents = try StoreContents(url)
        var lines: [String] = []
        try contents.forEachRow(of: contents.entities[0]) { lines.append(StoreListings.json($0)) }
        let values = [
            #"{"id":"r1","author":{"id":"a1","year":1995,"home":{"city":"Rome"}},"unit":"oz"}"#,
            #"{"id":null,"author":null,"unit":null}"#,
        ]
        for (index, line) in lines.enumerated() {
            let read = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            let wanted = try JSONSerialization.jsonObject(with: Data(values[index].utf8)) as? NSDictionary
            #expect(read?["values"] as? NSDictionary == wanted)
        }
        #expect(lines.count == 2)
        let own = try model()
        #expect(contents.model.entityVersionHashes == own.entityVersionHashes)
        #expect(try contents.verification().differences.isEmpty)
    }
}
