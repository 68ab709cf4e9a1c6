import Foundation
import ManagedObjects
import Testing

/// Entities without classes: a model made at run time, values by name.
@Suite(.everyStore) struct ClasslessTests {
    private func context() throws -> ManagedObjectContext {
        let note = EntityDeclaration(
            "Note",
            properties: [
                .attribute(AttributeDescription("text", .string)),
                .attribute(AttributeDescription("stars", .integer16, defaultValue: .int(3))),
                .attribute(AttributeDescription("seen", .date, isOptional: true)),
                .attribute(
                    AttributeDescription("scan", .binaryData, isOptional: true, options: .externalStorage)),
                .relationship(RelationshipDescription("folder", to: "Folder", inverse: "notes")),
            ])
        let list = EntityDeclaration(
            "List", properties: [.attribute(AttributeDescription("count", .integer64, isOptional: true))],
            inheritingFrom: "Note")
        let folder = EntityDeclaration(
            "Folder",
            properties: [
                .attribute(AttributeDescription("name", .string)),
                .relationship(
                    RelationshipDescription(
                        "notes", to: "Note", isToMany: true, isOrdered: true, inverse: "folder")),
            ], uniquenessConstraints: [["name"]])
        let model = try ManagedObjectModel(entities: [list, folder, note])
        return ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(model))
    }

    @Test func `values and relationships go by name, from insert to fetch`() throws {
        try context().performAndWait { context in
            let folder = try context.insert(entityNamed: "Folder")
            try folder.setValue("inbox", forKey: "name")
            for text in ["b", "a", "c"] {
                let note = try context.insert(entityNamed: text == "c" ? "List" : "Note")
                try note.setValue(text, forKey: "text")
                try note.setValue(folder, forKey: "folder")
                try note.setValue(Data(count: 200_000), forKey: "scan")
            }
            try context.save()
            context.reset()
            let request = FetchRequest<ManagedObject>(entityName: "Note", sortedBy: .ascending("text"))
            let notes = try context.fetch(request)
            #expect(try notes.map { try $0.value(forKey: "text") as? String } == ["a", "b", "c"])
            #expect(notes.map(\.entity.name) == ["Note", "Note", "List"])
            #expect(notes.map(\.objectID.entity) == ["Note", "Note", "List"])
            #expect(try notes[0].value(forKey: "stars") as? Int64 == 3)
            #expect(try notes[0].value(forKey: "seen") == nil)
            #expect((try notes[0].value(forKey: "scan") as? Data)?.count == 200_000)
            let owner = try #require(try notes[0].value(forKey: "folder") as? ManagedObject)
            let inside = try #require(try owner.value(forKey: "notes") as? [ManagedObject])
            #expect(try inside.map { try $0.value(forKey: "text") as? String } == ["b", "a", "c"])
            try owner.setValue(notes, forKey: "notes")
            try context.save()
            context.reset()
            let again = try #require(
                try context.fetch(
                    FetchRequest<ManagedObject>(entityName: "Folder", Filter("name", .equal, "inbox"))
                )
                .first)
            let turned = try #require(try again.value(forKey: "notes") as? [ManagedObject])
            #expect(try turned.map { try $0.value(forKey: "text") as? String } == ["a", "b", "c"])
            #expect(
                try context.count(
                    FetchRequest<ManagedObject>(entityName: "Note", Filter("folder.name", .equal, "inbox")))
                    == 3)
            #expect(try context.count(FetchRequest<ManagedObject>(entityName: "List")) == 1)
        }
    }

    @Test
    func `a key that is not modeled, a value of another type and an entity that is not there are errors`()
        throws
    {
        try context().performAndWait { context in
            let note = try context.insert(entityNamed: "Note")
            #expect(throws: FetchError.unknownKey(entity: "Note", key: "colour")) {
                try note.value(forKey: "colour")
            }
            #expect(throws: FetchError.wrongType(entity: "Note", key: "stars", type: "String")) {
                try note.setValue("five", forKey: "stars")
            }
            #expect(throws: FetchError.wrongType(entity: "Note", key: "stars", type: "Int")) {
                try note.setValue(70_000, forKey: "stars")
            }
            #expect(throws: FetchError.wrongType(entity: "Note", key: "folder", type: "ManagedObject")) {
                try note.setValue(note, forKey: "folder")
            }
            #expect(throws: FetchError.unknownEntity("Letter")) { try context.insert(entityNamed: "Letter") }
            #expect(throws: FetchError.unknownKey(entity: "Note", key: "colour")) {
                try context.fetch(
                    FetchRequest<ManagedObject>(entityName: "Note", sortedBy: .ascending("colour")))
            }
            #expect(throws: FetchError.unknownKey(entity: "Note", key: "folder.size")) {
                try context.fetch(
                    FetchRequest<ManagedObject>(entityName: "Note", Filter("folder.size", .equal, 1)))
            }
        }
    }

    @Test func `a model that does not hang together is refused with the name at fault`() throws {
        func model(_ entities: EntityDeclaration...) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: entities)
        }
        let one = AttributeDescription("one", .string)
        #expect(throws: ModelError.missingSuperentity(entity: "A", superentity: "B")) {
            try model(EntityDeclaration("A", properties: [], inheritingFrom: "B"))
        }
        #expect(throws: ModelError.missingSuperentity(entity: "A", superentity: "B")) {
            try model(
                EntityDeclaration("A", properties: [], inheritingFrom: "B"),
                EntityDeclaration("B", properties: [], inheritingFrom: "A"))
        }
        #expect(throws: ModelError.duplicateProperty(entity: "B", property: "one")) {
            try model(
                EntityDeclaration("A", properties: [.attribute(one)]),
                EntityDeclaration("B", properties: [.attribute(one)], inheritingFrom: "A"))
        }
        #expect(throws: ModelError.missingDestination(entity: "A", property: "b", destination: "B")) {
            try model(
                EntityDeclaration(
                    "A", properties: [.relationship(RelationshipDescription("b", to: "B", inverse: nil))]))
        }
        #expect(throws: ModelError.unknownProperty(entity: "A", property: "two")) {
            try model(EntityDeclaration("A", properties: [.attribute(one)], uniquenessConstraints: [["two"]]))
        }
    }
}
