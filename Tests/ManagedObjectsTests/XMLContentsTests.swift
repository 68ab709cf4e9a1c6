import Foundation
import Testing

@testable import ManagedObjects

/// XML stores without a model: what their objects tell of entities, and what is no store.
@Suite struct XMLContentsTests {
    private func document(_ objects: String, hashes: [String] = [], metadata: String = "") -> Data {
        let hashes = hashes.map { "<key>\($0)</key><data>AAAA</data>" }.joined()
        return Data(
            """
            <?xml version="1.0"?><!DOCTYPE database SYSTEM "x"><database><databaseInfo><UUID>u</UUID>\
            <nextObjectID>99</nextObjectID><metadata><plist version="1.0"><dict>\
            <key>NSStoreModelVersionHashes</key><dict>\(hashes)</dict>\(metadata)</dict></plist></metadata>\
            </databaseInfo>\(objects)</database>
            """.utf8)
    }

    /// `DOG 2 name=string pets:ANIMAL:0/0=1,3`: an entity, a key, attributes, and relationships.
    private func object(_ line: String) -> String {
        let words = line.split(separator: " ").map(String.init)
        let parts = words.dropFirst(2).map { word -> String in
            let halves = word.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            let names = halves[0].split(separator: ":").map(String.init)
            if names.count == 1 {
                return "<attribute name=\"\(names[0])\" type=\"\(halves[1])\">1</attribute>"
            }
            let keys = halves[1].split(separator: ",").map { "z\($0)" }.joined(separator: " ")
            return "<relationship name=\"\(names[0])\" type=\"\(names[2])\" destination=\"\(names[1])\""
                + (keys.isEmpty ? "" : " idrefs=\"\(keys)\"") + "></relationship>"
        }
        return "<object type=\"\(words[0])\" id=\"z\(words[1])\">\(parts.joined())</object>"
    }

    private func entities(_ lines: [String], hashes: [String] = []) throws -> [String] {
        let contents = try XMLStoreContents(document(lines.map(object).joined(), hashes: hashes))
        return try contents.entities().map { entity in
            let properties = entity.properties.map { property in
                switch property {
                case .attribute(let attribute): return "\(attribute.name)=\(attribute.type)"
                case .relationship(let it):
                    let inverse = it.inverseName.map { "=\($0)" } ?? ""
                    return "\(it.name):\(it.destinationName)\(it.isToMany ? "*" : "")\(inverse)"
                }
            }
            let head = entity.name + (entity.superentityName.map { "<\($0)" } ?? "")
            return ([head] + properties).joined(separator: " ")
        }
    }

    @Test(
        arguments: [
            // Names with the letters of the hashes, types that fit all values, an entity without objects.
            (
                ["DOG 1 a=int16 b=int16 c=bool d=UUID", "DOG 2 a=float b=string c=int64 e=date"],
                ["Dog", "Cat"],
                ["Cat", "Dog a=double b=string c=string d=uuid e=date"]
            ),
            // What is among the objects of a relationship inherits from where it leads, over several steps.
            (
                [
                    "ANIMAL 1 name=string", "DOG 2 name=string age=int32",
                    "PUPPY 3 name=string age=int32 of=decimal",
                    "MAN 4 dogs:DOG:0/0=2,3 pets:ANIMAL:0/0=1,2,3",
                ], [],
                [
                    "ANIMAL name=string", "DOG<ANIMAL age=integer32", "MAN dogs:DOG* pets:ANIMAL*",
                    "PUPPY<DOG of=decimal",
                ]
            ),
            // A property is its highest entity's, though no object in between has a value.
            (
                [
                    "ANIMAL 1 name=string", "DOG 2 age=int32", "PUPPY 3 name=string age=int32",
                    "MAN 4 dogs:DOG:0/0=2,3 pets:ANIMAL:0/0=1,2",
                ], [],
                ["ANIMAL name=string", "DOG<ANIMAL age=integer32", "MAN dogs:DOG* pets:ANIMAL*", "PUPPY<DOG"]
            ),
            // Nothing inherits from what inherits from it.
            (
                ["A 1 to:B:0/0=1,2", "B 2 back:A:0/0=1,2"], [],
                ["A<B to:B*", "B back:A*"]
            ),
            // Ways back along the same pairs.
            (
                [
                    "MAN 1 pets:PET:0/0=3,4", "MAN 2 pets:PET:0/0=5", "PET 3 of:MAN:0/1=1",
                    "PET 4 of:MAN:0/1=1", "PET 5 of:MAN:0/1=2",
                ],
                [], ["MAN pets:PET*=of", "PET of:MAN=pets"]
            ),
            // Two ways back are none, and so are those of no pairs.
            (
                ["MAN 1 a:PET:0/0=2 b:PET:0/0=2", "PET 2 c:MAN:1/1=1"], [],
                ["MAN a:PET* b:PET*", "PET c:MAN"]
            ),
            (["MAN 1 a:PET:0/0=", "PET 2 c:MAN:1/1="], [], ["MAN a:PET*", "PET c:MAN"]),
            // More than one object are many, whatever the file says; and the entity that none is of is there.
            (["MAN 1 a:PET:0/1=2,3", "PET 2", "PET 3"], [], ["MAN a:PET*", "PET"]),
            (["MAN 1 a:GHOST:0/1="], [], ["GHOST", "MAN a:GHOST"]),
        ] as [([String], [String], [String])])
    func `entities are what their objects tell`(lines: [String], hashes: [String], wanted: [String]) throws {
        #expect(try entities(lines, hashes: hashes) == wanted)
    }

    @Test(arguments: [
        ("<object type=\"A\" id=\"1\"></object>", "an object without a type or an id"),
        ("<object id=\"z1\"></object>", "an object without a type or an id"),
        (
            "<object type=\"A\" id=\"z1\"><relationship name=\"r\" type=\"0/0\" destination=\"A\" "
                + "idrefs=\"z1 x2\"></relationship></object>", "r leads to what is no id"
        ),
        ("<object type=\"A\" id=\"z1\"></object>\n<object type=\"A\" id=\"z1\"></object>", "line 2: z1"),
    ])
    func `objects that cannot be told apart are refused`(objects: String, reason: String) throws {
        let error = #expect(throws: StoreError.self) { try XMLStoreContents(document(objects)) }
        #expect("\(try #require(error))".contains(reason))
    }

    @Test(arguments: [
        ("<?xml version=\"1.0\"?><database/>", true), ("\u{FEFF} \n<?xml?>", true), ("<database>", true),
        ("<!DOCTYPE database SYSTEM \"x\"><database/>", true), ("<!DOCTYPE html>", false), ("", false),
        ("<plist>", false), ("SQLite format 3\0", false), ("bplist00", false),
        (String(repeating: " ", count: 250) + "<?xml ", true),
        (String(repeating: " ", count: 252) + "<?xml ", false),
    ])
    func `a file is taken for XML by its beginning`(text: String, isXML: Bool) throws {
        let url = StoreKind.folder.appending(path: UUID().uuidString)
        try Data(text.utf8).write(to: url)
        #expect(XMLStoreContents.isXML(url) == isXML)
        #expect(!XMLStoreContents.isXML(url.appending(path: "nothing")))
    }

    /// Texts in Base64, NaN and infinity, and bytes with line ends in them, as others may write them.
    @Test(arguments: [
        ("string", AttributeType.string, " encoding=\"base64\"", "AWE=", StoredValue.text("\u{1}a")),
        ("string", .string, "", "AWE=", .text("AWE=")), ("double", .double, "", "-inf", .double(-.infinity)),
        ("double", .double, "", "nan", Double.nan.storedValue), ("bool", .boolean, "", "1", .int(1)),
        ("binary", .binaryData, "", "AAEC\nAw==\n", .blob(Data([0, 1, 2, 3]))),
        ("int64", .integer64, "", "-9", .int(-9)),
        ("UUID", .uuid, "", "00010203-0405-0607-0809-0A0B0C0D0E0F", .blob(Data(0..<16))),
        ("decimal", .decimal, "", "0.10", .text("0.10")),
        ("string", .string, "", "&lt;&#13;&amp;&#x41;", .text("<\r&A")),
    ])
    func `a value is read as its attribute's type`(
        name: String, type: AttributeType, coding: String, text: String, wanted: StoredValue
    ) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDeclaration(
                "A", properties: [.attribute(AttributeDescription("v", type, isOptional: true))])
        ])
        let object =
            "<object type=\"A\" id=\"z7\"><attribute name=\"v\" type=\"\(name)\"\(coding)>\(text)</attribute>"
            + "</object>"
        let read = try XMLStoreContents(document(object)).document(model)
        #expect(read.objects.map(\.reference.key) == [7] && read.lastKey == 99)
        #expect(read.objects.first?.attributes["v"]?.isIdentical(to: wanted) == true)
    }

    @Test(arguments: [
        ("int16", AttributeType.integer16, "1.5"), ("UUID", .uuid, "0"), ("binary", .binaryData, "A"),
        ("double", .double, "one"), ("string", .string, "="),
    ])
    func `a text that is no value of its type is refused by line and property`(
        name: String, type: AttributeType, text: String
    ) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDeclaration(
                "A", properties: [.attribute(AttributeDescription("v", type, isOptional: true))])
        ])
        let coding = type == .string ? " encoding=\"base64\"" : ""
        let object =
            "\n<object type=\"A\" id=\"z7\"><attribute name=\"v\" type=\"\(name)\"\(coding)>"
            + "\(text)</attribute></object>"
        let error = #expect(throws: StoreError.self) {
            try XMLStoreContents(document(object)).document(model)
        }
        #expect("\(try #require(error))".contains("line 2: v is \"\(text)\""))
    }

    /// Numbers at both ends of their types, keys up to the last one, and relationships to one and to many.
    @Test(arguments: [
        ("A 99 v=32767 w=2147483647", ""), ("A 1 v=-32768 w=-2147483648", ""),
        ("A 1 v=32768", "the value v"), ("A 1 v=-32769", "the value v"), ("A 1 w=2147483648", "the value w"),
        ("A 100", "A 100 is beyond the last key"), ("A 0", "A 0 is beyond the last key"),
        ("A 1 one:B:0/1=2|B 2", ""), ("A 1 one:B:0/1=2,3|B 2|B 3", "the value one"),
        ("A 1 one:B:0/1=1", "A.one leads to 1"), ("A 1 many:B:0/0=2,3|B 2|B 3", ""),
        ("A 1 many:B:0/0=2,1|B 2", "A.many leads to 1"), ("A 1 one:B:0/1=2|C 2", ""),
        ("A 1 one:B:0/1=5", "z5 is led to"), ("B 1 ones:A:0/0=2|C 2", "B.ones leads to 2"),
        ("D 1", "an object of the entity D, which there is not"), ("E 1", "the entity E, which there is not"),
        ("B 1 v=1", "B has no v"), ("A 1 one=1", "A has no attribute one"),
        ("A 1 v:B:0/1=", "no relationship v"),
    ])
    func `an XML store is read as far as its model has what is in it`(lines: String, reason: String) throws {
        let model = try ManagedObjectModel(entities: [
            EntityDeclaration(
                "A",
                properties: [
                    .attribute(AttributeDescription("v", .integer16, isOptional: true)),
                    .attribute(AttributeDescription("w", .integer32, isOptional: true)),
                    .relationship(RelationshipDescription("one", to: "B", inverse: "ones")),
                    .relationship(RelationshipDescription("many", to: "B", isToMany: true, inverse: "of")),
                ]),
            EntityDeclaration(
                "B",
                properties: [
                    .relationship(RelationshipDescription("ones", to: "A", isToMany: true, inverse: "one")),
                    .relationship(RelationshipDescription("of", to: "A", inverse: "many")),
                ]),
            EntityDeclaration("C", properties: [], inheritingFrom: "B"),
            EntityDeclaration("D", properties: [], isAbstract: true),
        ])
        var objects = ""
        for line in lines.split(separator: "|") {
            objects += object(String(line)).replacing(/name="([vw])" type="([^"]*)">1</) {
                "name=\"\($0.1)\" type=\"int32\">\($0.2)<"
            }
        }
        let url = StoreKind.folder.appending(path: "\(UUID().uuidString).xml")
        let hashes = model.entityVersionHashes.map {
            "<key>\($0.key)</key><data>\($0.value.base64EncodedString())</data>"
        }.joined()
        let text = String(decoding: document(objects), as: UTF8.self).replacing(
            "Hashes</key><dict>", with: "Hashes</key><dict>\(hashes)")
        try Data(text.utf8).write(to: url)
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        var found = ""
        do { try coordinator.addPersistentStore(ofType: .xml, at: url) } catch { found = "\(error)" }
        #expect(reason.isEmpty ? found.isEmpty : found.contains(reason), "\(found)")
        if reason.isEmpty {
            let report = try coordinator.report()
            #expect(report.counts.values.reduce(0, +) == lines.split(separator: "|").count)
        }
    }
}
