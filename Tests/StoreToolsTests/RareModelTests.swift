import Foundation
import ManagedObjects
import StoreTools
import Testing

/// Everything that an entity or a property can have beside a name and a type: as text, as classes, as a
/// picture, and as XML.
@Suite struct RareModelTests {
    private static let odd = "a\tb\nc\rd  <&>\""

    private static func model(_ change: (inout [EntityDeclaration]) -> Void = { _ in }) throws
        -> ManagedObjectModel
    {
        var data = EntityDeclaration(
            "Data",
            properties: [
                .attribute(
                    AttributeDescription(
                        "amount", .decimal, defaultValue: .text("1.5"),
                        validation: [.range(Decimal(sign: .plus, exponent: -1, significand: 5)...10)])),
                .attribute(
                    AttributeDescription(
                        "both", .string, isOptional: true, options: [.indexed, .preservedAfterDeletion])),
                .attribute(
                    AttributeDescription("bytes", .binaryData, isOptional: true, options: .externalStorage)),
                .attribute(AttributeDescription("default", .boolean, defaultValue: .int(1))),
                .attribute(AttributeDescription("size", .double, defaultValue: .double(.infinity))),
                .attribute(
                    AttributeDescription(
                        "title", .string, validation: [.length(2...5), .matches("[a-z]+")],
                        userInfo: ["a": "1", "b": odd])),
                .relationship(RelationshipDescription("lead", to: "Part", inverse: "leads")),
                .relationship(
                    RelationshipDescription(
                        "links", to: "Part", isToMany: true, deleteRule: .noAction, inverse: "link",
                        renamingIdentifier: "ways")),
                .relationship(
                    RelationshipDescription(
                        "parts", to: "Part", isToMany: true, isOptional: false, deleteRule: .deny,
                        inverse: "whole")),
            ], isAbstract: true)
        data.versionHashModifier = "m1"
        let part = EntityDeclaration(
            "Part",
            properties: [
                .relationship(RelationshipDescription("leads", to: "Data", isToMany: true, inverse: "lead")),
                .relationship(RelationshipDescription("link", to: "Data", inverse: "links")),
                .relationship(RelationshipDescription("twin", to: "Part", inverse: "twin")),
                .relationship(RelationshipDescription("whole", to: "Data", inverse: "parts")),
            ])
        let photo = EntityDeclaration("Photo", properties: [], inheritingFrom: "Data")
        let scan = EntityDeclaration("Scan", properties: [], inheritingFrom: "Photo")
        var entities = [data, part, photo, scan]
        change(&entities)
        return try ManagedObjectModel(entities: entities)
    }

    @Test func `every mark of a model is listed`() throws {
        #expect(
            try ModelListing(Self.model()).text == """
                abstract entity Data
                    amount   Decimal, default 1.5, 0.5...10
                    both     String, optional, indexed, kept in the history
                    bytes    Binary, optional, in files when large
                    default  Boolean, default true
                    size     Double, default "inf"
                    title    String, length 2...5, matches [a-z]+
                    lead     -> Part, inverse leads, optional
                    links    -> many Part, inverse link, optional, no action, was ways
                    parts    -> many Part, inverse whole, at least 1, deny
                    modifier m1

                entity Part
                    leads  -> many Data, inverse lead, optional
                    link   -> Data, inverse links, optional
                    twin   -> Part, inverse twin, optional
                    whole  -> Data, inverse parts, optional

                entity Photo: Data

                entity Scan: Photo

                """)
    }

    /// By the grammar of Swift and the declarations of this library: a class that has subclasses is not
    /// final, a keyword stands in backquotes, `Data` is Foundation's, and no literal is infinite.
    @Test func `a model is written as classes that Swift takes`() throws {
        let classes = try ModelClasses(Self.model()).text
        for line in [
            "class DataEntity: ManagedObject {", "class Photo: DataEntity {", "final class Scan: Photo {",
            "    @Attribute var `default`: Bool = true", "    @Attribute var size: Double",
            "    @Attribute([.indexed, .preservedAfterDeletion]) var both: String?",
            "    @Attribute(.externalStorage) var bytes: Data?",
            "    @Relationship(inverse: \"link\", deleteRule: .noAction) var links: Set<Part>",
            "    @Relationship(inverse: \"whole\", deleteRule: .deny, isOptional: false) "
                + "var parts: Set<Part>",
            "    @Relationship(inverse: \"parts\") var whole: DataEntity?",
            "    override class var entityName: String { \"Data\" }",
            "    override class var isAbstractEntity: Bool { self == DataEntity.self }",
        ] {
            #expect(classes.split(separator: "\n").contains { $0 == line }, "\(line)")
        }
        #expect(!classes.contains("uniquenessConstraints") && !classes.contains("ArchivedBytes"))
    }

    @Test func `classes have constraints, composites as a comment, and bytes for what is transformable`()
        throws
    {
        let classes = try ModelClasses(Self.model(Self.addPlace)).text
        let lines = classes.split(separator: "\n").map(String.init)
        for line in [
            "    override class var uniquenessConstraints: [[String]] { [[\"code\"], [\"name\", \"kind\"]] }",
            "    @Attribute(transformer: ArchivedBytes.self) var kind: Data?",
            "    // spot: a composite; its elements are spot.east, spot.floor, spot.side",
            "    @Relationship(inverse: nil) var `default`: Place?",
        ] { #expect(lines.contains(line), "\(line)") }
        #expect(lines.count { $0 == "enum ArchivedBytes: ValueTransforming {" } == 1)
    }

    /// Two constraints, a transformable attribute, and one that is made of two.
    private static func addPlace(_ entities: inout [EntityDeclaration]) {
        entities.append(
            EntityDeclaration(
                "Place",
                properties: [
                    .attribute(AttributeDescription("code", .string)),
                    .attribute(AttributeDescription("kind", .transformable, isOptional: true)),
                    .attribute(AttributeDescription("name", .string)),
                    .attribute(
                        AttributeDescription(
                            composite: "spot",
                            [
                                AttributeDescription("east", .double, isOptional: true),
                                AttributeDescription("floor", .integer16, isOptional: true),
                                AttributeDescription(
                                    composite: "side",
                                    [AttributeDescription("isNorth", .boolean, isOptional: true)]),
                            ])),
                    .relationship(
                        RelationshipDescription("default", to: "Place", inverse: nil)),
                ], uniquenessConstraints: [["code"], ["name", "kind"]]))
    }

    @Test func `constraints and composites come through XML`() throws {
        let model = try Self.model(Self.addPlace), text = ModelDocument(model).text
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).contents")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(text.utf8).write(to: url)
        let read = try ModelSource.model(at: url)
        #expect(read.entityVersionHashes == model.entityVersionHashes)
        let place = try #require(read.entity(named: "Place"))
        #expect(place.uniquenessConstraints == [["code"], ["name", "kind"]])
        let spots = place.declaration.properties.compactMap { property in
            if case .attribute(let one) = property, one.name == "spot" { one } else { nil }
        }
        #expect(spots.flatMap(\.elements).map(\.name).sorted() == ["east", "floor", "side"])
        #expect(spots.flatMap(\.elements).flatMap(\.elements).map(\.name) == ["isNorth"])
        #expect(spots.flatMap(\.elements).map(\.type).contains(.integer16))
        // An identifier of XML's, without the blank of "Integer 16".
        let types = text.matches(of: /<composite name="([^"]*)"/).map { String($0.1) }
        #expect(types.count == 2 && types.joined().allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" })
        #expect(types.contains { $0.contains("Integer16") } && types.contains { $0.contains("Boolean") })
    }

    @Test func `a picture has a line for both sides of a relationship, with a star at each side to many`()
        throws
    {
        let svg = try ModelDiagram(Self.model()).text
        let labels = svg.matches(of: /<text class="label"[^>]*>([^<]*)</).map { String($0.1) }
        #expect(labels.sorted() == ["leads* / lead", "link / links*", "twin / twin", "whole / parts*"])
        #expect(svg.split(separator: "class=\"parent\" d=").count - 1 == 2)
        // All boxes lie inside of the picture, and none on another.
        let size = try #require(svg.firstMatch(of: /viewBox="0 0 (\d+) (\d+)"/))
        let boxes = svg.matches(of: /class="box" x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"/).map {
            [$0.1, $0.2, $0.3, $0.4].map { Int($0) ?? 0 }
        }
        #expect(boxes.count == 4)
        // By the model's own flags: `default` must have a value, `both` need not.
        #expect(svg.contains(">default: Boolean<") && svg.contains(">both: String?<"))
        for (index, a) in boxes.enumerated() {
            #expect(a[0] + a[2] <= Int(size.1) ?? 0 && a[1] + a[3] <= Int(size.2) ?? 0)
            for b in boxes[..<index] {
                let isApart =
                    a[0] + a[2] <= b[0] || b[0] + b[2] <= a[0] || a[1] + a[3] <= b[1] || b[1] + b[3] <= a[1]
                #expect(isApart)
            }
        }
    }

    @Test func `rules, delete rules, and notes come through XML`() throws {
        let model = try Self.model()
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).contents")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(ModelDocument(model).text.utf8).write(to: url)
        let read = try ModelSource.model(at: url)
        #expect(ModelListing(read).text == ModelListing(model).text)
        #expect(read.entityVersionHashes == model.entityVersionHashes)
        for case .attribute(let title) in try #require(read.entity(named: "Data")).declaration.properties
        where title.name == "title" {
            #expect(title.userInfo == ["a": "1", "b": Self.odd])
        }
    }

    /// XML 1.0, production 2: neither U+0001 nor U+FFFE nor U+FFFF is a character, and U+FFFD is.
    @Test func `a model with odd notes is XML for another reader, too`() throws {
        let odd = "<&\"\u{FFFE}\u{FFFF}\u{FFFD}\u{1}>"
        let model = try ManagedObjectModel(entities: [
            EntityDeclaration(
                "Note", properties: [.attribute(AttributeDescription("a", .string, userInfo: ["k": odd]))])
        ])
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).contents")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(ModelDocument(model).text.utf8).write(to: url)
        let value = try Fixtures.shell(
            "python3 -c 'import sys, xml.etree.ElementTree as E; "
                + "print(*[ascii(x.get(\"value\")) for x in E.parse(sys.argv[1]).iter(\"entry\")])' "
                + url.path)
        #expect(value == #"'<&"\ufffd\ufffd\ufffd\ufffd>'"# + "\n")
    }

    /// By the grammar of Swift: `X.Type` and `X.Protocol` are types of types.
    @Test func `an entity that is called like what classes use gets a class of another name`() throws {
        for name in ["Data", "Type", "Protocol", "Set", "Attribute", "ManagedObject", "Int64"] {
            let classes = try ModelClasses(
                ManagedObjectModel(entities: [EntityDeclaration(name, properties: [])])
            ).text
            #expect(classes.contains("final class \(name)Entity: ManagedObject {"), "\(name)")
            #expect(classes.contains("override class var entityName: String { \"\(name)\" }"), "\(name)")
        }
    }

    @Test func `the most and the fewest of a relationship are listed, one of each too`() throws {
        func listed(_ least: Int, _ most: Int) throws -> String {
            let few = RelationshipDescription(
                "few", to: "Note", isToMany: true, inverse: nil, minCount: least, maxCount: most)
            let model = try ManagedObjectModel(
                entities: [EntityDeclaration("Note", properties: [.relationship(few)])])
            return ModelListing(model).text
        }
        #expect(try listed(0, 1).contains(", at most 1"))
        #expect(try listed(1, 2).contains(", at least 1, at most 2"))
        #expect(try !listed(0, 0).contains("at "))
    }

    @Test func `a difference of an entity is told, and the way back as its opposite`() throws {
        let changes: [(line: String, back: String, (inout [EntityDeclaration]) -> Void)] = [
            (
                "~ Photo: superentity Data -> none", "~ Photo: superentity none -> Data",
                { $0[2] = EntityDeclaration("Photo", properties: []) }
            ),
            ("~ Data: no longer abstract", "~ Data: abstract now", { $0[0].isAbstract = false }),
            (
                "~ Data: modifier m1 -> none", "~ Data: modifier none -> m1",
                { $0[0].versionHashModifier = nil }
            ),
            (
                "~ Part: unique none -> (code) (name)", "~ Part: unique (code) (name) -> none",
                {
                    $0[1].properties += ["code", "name"].map {
                        .attribute(AttributeDescription($0, .string))
                    }
                    $0[1].uniquenessConstraints = [["name"], ["code"]]
                }
            ),
            ("- Scan: entity", "+ Scan: entity", { $0.removeLast() }),
            (
                "+ Page: entity", "- Page: entity",
                { $0.append(EntityDeclaration("Page", properties: [])) }
            ),
        ]
        for (line, back, change) in changes {
            let old = try Self.model(), new = try Self.model(change)
            #expect(ModelComparison(from: old, to: new).text.split(separator: "\n").contains { $0 == line })
            #expect(ModelComparison(from: new, to: old).text.split(separator: "\n").contains { $0 == back })
        }
    }

    @Test func `the order of uniqueness constraints is no difference, an element of a composite is one`()
        throws
    {
        func model(_ constraints: [[String]], _ elements: [AttributeDescription]) throws
            -> ManagedObjectModel
        {
            try ManagedObjectModel(entities: [
                EntityDeclaration(
                    "Note",
                    properties: [
                        .attribute(AttributeDescription("a", .string)),
                        .attribute(AttributeDescription("b", .string)),
                        .attribute(AttributeDescription(composite: "place", elements)),
                    ], uniquenessConstraints: constraints)
            ])
        }
        let city = AttributeDescription("city", .string, isOptional: true)
        let street = AttributeDescription("street", .string, isOptional: true)
        let first = try model([["a"], ["b"]], [city])
        #expect(ModelComparison(from: first, to: try model([["b"], ["a"]], [city])).lines.isEmpty)
        let wider = ModelComparison(from: first, to: try model([["a"], ["b"]], [city, street])).lines
        #expect(wider.map(\.property) == ["place"])
        // A type of the same elements, one of which must be there, is another type.
        let required = AttributeDescription("city", .string)
        let text = ModelDocument(try model([], [city])).text
        #expect(text.contains("<composite name="))
        let both = try ManagedObjectModel(entities: [
            EntityDeclaration(
                "Note",
                properties: [
                    .attribute(AttributeDescription(composite: "from", [city])),
                    .attribute(AttributeDescription(composite: "to", [required])),
                ])
        ])
        #expect(ModelDocument(both).text.split(separator: "<composite name=").count - 1 == 2)
    }
}
