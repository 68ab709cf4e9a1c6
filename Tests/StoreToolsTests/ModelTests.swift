import Foundation
import ManagedObjects
import StoreTools
import Testing

/// Models as text, XML and classes.
@Suite struct ModelTests {
    @Test(arguments: Fixtures.stores)
    func `a model written as XML is read as the same model`(name: String) throws {
        let model = try ManagedObjectModel(ofStoreAt: Fixtures.store(name))
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).xml")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(ModelDocument(model).text.utf8).write(to: url)
        let read = try ModelSource.model(at: url)
        // A greatest count of -1, which only code gives, has no word in XML.
        let hasUnlimited = model.entities.contains { entity in
            entity.properties.contains { property in
                if case .relationship(let way) = property { way.maxCount < 0 } else { false }
            }
        }
        if !hasUnlimited { #expect(read.entityVersionHashes == model.entityVersionHashes) }
        // A configuration that names a part of a hierarchy gets all of it.
        if model.configurations.isEmpty { #expect(ModelDocument(read).text == ModelDocument(model).text) }
        #expect(ModelComparison(from: model, to: read).lines.allSatisfy { $0.property == nil })
    }

    @Test func `what changed between two versions is told line by line`() throws {
        let comparison = ModelComparison(
            from: try ManagedObjectModel(ofStoreAt: Fixtures.store("SampleModel_V1.sqlite")),
            to: try ManagedObjectModel(ofStoreAt: Fixtures.store("SampleModel_V2.sqlite")))
        #expect(
            comparison.text == """
                - Car.color: Transformable, optional, transformer ColorTransformer
                - Car.currentDrivingSpeed: Integer 64, optional, transient, default 0
                ~ LuxuryCar: renamed from ExpensiveSportCar
                - Person.id: UUID, kept in the history
                - Person.isDriving: Boolean, transient, default false

                """)
        let same = try ManagedObjectModel(ofStoreAt: Fixtures.store("SampleModel_V1.sqlite"))
        #expect(ModelComparison(from: same, to: same).text == "no difference\n")
    }

    @Test func `a default that reads like a part of the line is compared, too`() throws {
        func model(_ text: String) throws -> ManagedObjectModel {
            let attribute = AttributeDescription("text", .string, defaultValue: .text(text))
            return try ManagedObjectModel(entities: [
                EntityDeclaration("Odd", properties: [.attribute(attribute)])
            ])
        }
        #expect(
            ModelComparison(from: try model("a, was b"), to: try model("a, was c")).text
                == #"~ Odd.text: String, default "a, was b" -> String, default "a, was c""# + "\n")
    }

    @Test(arguments: Fixtures.stores)
    func `a diagram is XML that a parser of another reads, with a box per entity`(name: String) throws {
        let model = try ManagedObjectModel(ofStoreAt: Fixtures.store(name))
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).svg")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(ModelDiagram(model).text.utf8).write(to: url)
        let count = try Fixtures.shell(
            "python3 -c 'import sys, xml.etree.ElementTree as E; "
                + "print(sum(1 for x in E.parse(sys.argv[1]).iter() if x.get(\"class\") == \"box\"))' "
                + url.path)
        #expect(count == "\(model.entities.count)\n")
    }

    @Test func `a model is listed, and written as classes`() throws {
        let model = try ManagedObjectModel(ofStoreAt: Fixtures.store("SampleModel2_V2.sqlite"))
        let listing = ModelListing(model).text
        #expect(
            listing.contains(
                "    pages        -> many Page, inverse book, at least 1, at most 10000, cascade\n"))
        #expect(listing.contains("abstract entity Writer  (class WriterV2)\n"))
        let classes = ModelClasses(model).text
        #expect(classes.contains("    @Derived(\"pages.@count\") var pagesCount: Int64?\n"))
        #expect(classes.contains("final class GraphicNovel: Book {\n"))
    }

    /// What only some models have: a descending index, least and greatest dates, odd characters.
    private static func rareModel() throws -> ManagedObjectModel {
        let days = ValidationRule.range(
            Date(timeIntervalSinceReferenceDate: -5)...Date(timeIntervalSinceReferenceDate: 7))
        var note = EntityDeclaration(
            "Note",
            properties: [
                .attribute(AttributeDescription("text", .string, defaultValue: .text("a\"b\\c\nd"))),
                .attribute(AttributeDescription("date", .date, validation: [days])),
            ])
        note.fetchIndexes = [
            FetchIndexDescription("byDateAndText", [.init("date", isDescending: true), .init("text")])
        ]
        return try ManagedObjectModel(entities: [note])
    }

    @Test func `a listing tells the direction of an index, a class has defaults as Swift writes them`() throws
    {
        let model = try Self.rareModel()
        #expect(ModelListing(model).text.contains("    index byDateAndText (date descending, text)\n"))
        let line = #"    @Attribute var text: String = "a\"b\\c\nd""#
        #expect(ModelClasses(model).text.split(separator: "\n").contains { $0 == line })
        let controls = AttributeDescription("text", .string, defaultValue: .text("a\r\nb\0"))
        let odd = try ManagedObjectModel(entities: [
            EntityDeclaration("Odd", properties: [.attribute(controls)])
        ])
        #expect(
            ModelClasses(odd).text.contains(#"    @Attribute var text: String = "a\u{d}\nb\u{0}""# + "\n"))
    }

    @Test(arguments: ["", "\u{FEFF}"])
    func `dates, directions, and odd characters come through XML, with a byte order mark and without`(
        mark: String
    )
        throws
    {
        let model = try Self.rareModel()
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).contents")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data((mark + ModelDocument(model).text).utf8).write(to: url)
        let read = try ModelSource.model(at: url)
        let (notes, others) = (
            try #require(model.entity(named: "Note")), try #require(read.entity(named: "Note"))
        )
        #expect(others.declaration.fetchIndexes == notes.declaration.fetchIndexes)
        func attributes(_ entity: EntityDescription) -> [String: [ValidationRule]] {
            entity.declaration.properties.reduce(into: [:]) { all, property in
                if case .attribute(let one) = property { all[one.name] = one.validation }
            }
        }
        #expect(attributes(others) == attributes(notes) && attributes(notes)["date"]?.count == 1)
        #expect(ModelListing(read).text == ModelListing(model).text)
    }
}
