import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// XML stores that Apple's tools wrote: mapping models of Xcode's editor, as stores and as mappings.
struct MappingFileTests {
    private let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures")

    private func mapping(_ name: String) -> URL {
        fixtures.appending(path: "Mappings/\(name).xcmappingmodel")
    }

    private func creatures(_ version: String) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            contentsOf: fixtures.appending(
                path: "Models/CoreStore/Advanced.EvolutionDemo.V1.xcdatamodeld"),
            version: "Advanced.EvolutionDemo.\(version)")
    }

    private func published(_ version: String) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            contentsOf: fixtures.appending(path: "Models/CoreDataPlus/SampleModel.xcdatamodeld"),
            version: version)
    }

    // MARK: As stores

    @Test(arguments: ["Creature.V1.FromV2", "Creature.V2.FromV1", "SampleModel.V2toV3"])
    func `an XML store of Apple's is read without a model`(name: String) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "mapping.xml")
        try FileManager.default.copyItem(at: mapping(name).appending(path: "xcmapping.xml"), to: url)
        // Another reader of XML says what is in there.
        let found = try shell(
            """
            python3 - '\(url.path)' <<'END'
            import sys, xml.etree.ElementTree as tree
            objects = tree.parse(sys.argv[1]).getroot().findall("object")
            for o in sorted(objects, key=lambda o: int(o.get("id")[1:])):
                texts = [a for a in o.findall("attribute") if a.get("type") == "string"]
                parts = [a.get("name") + "=" + a.text for a in texts]
                for r in o.findall("relationship"):
                    keys = sorted(int(k[1:]) for k in (r.get("idrefs") or "").split())
                    if keys: parts.append(r.get("name") + "=" + ",".join(map(str, keys)))
                print(o.get("type"), o.get("id")[1:], *sorted(parts))
            END
            """
        ).split(separator: "\n").map(String.init)
        let store = try XMLShownStore(url)
        var ours: [(key: Int64, line: String)] = []
        for entity in store.entities {
            try store.forEachRow(of: entity) { row in
                let parts = row.values.compactMap { value -> String? in
                    switch value.value {
                    case .text(let text): "\(value.name)=\(text)"
                    case .key(let key): "\(value.name)=\(key)"
                    case .keys(let keys) where !keys.isEmpty:
                        "\(value.name)=\(keys.map { "\($0)" }.joined(separator: ","))"
                    default: nil
                    }
                }
                ours.append(
                    (
                        row.key,
                        (["\(entity.name.uppercased()) \(row.key)"] + parts.sorted()).joined(separator: " ")
                    )
                )
            }
        }
        #expect(ours.sorted { $0.key < $1.key }.map(\.line) == found)
        #expect(found.count > 3)
        #expect(store.summary().frameworkVersion != nil)

        // The same through a coordinator, whose rows fill a store of another kind.
        let coordinator = try PersistentStoreCoordinator(readingStoreAt: url)
        let before = try Data(contentsOf: url)
        try coordinator.copyStore(to: folder.url.appending(path: "copy.sqlite"), ofType: .sqlite)
        let count = try shell(
            "sqlite3 '\(folder.url.path)/copy.sqlite' 'SELECT COUNT(*) FROM ZXDDEVENTITYMAPPING'")
        #expect(count == "\(found.count { $0.hasPrefix("XDDEVENTITYMAPPING ") })\n")
        #expect(try Data(contentsOf: url) == before)
    }

    @Test(arguments: [
        ("<?xml version=\"1.0\"?><plist></plist>", "notAStore"),
        ("<?xml version=\"1.0\"?><database>", "line 1"),
        (
            "<?xml version=\"1.0\"?><database><databaseInfo><UUID>u</UUID><nextObjectID>-9</nextObjectID>"
                + "<metadata><plist><dict><key>NSStoreModelVersionHashes</key><dict></dict></dict></plist>"
                + "</metadata></databaseInfo></database>", "nextObjectID"
        ),
        (
            "<?xml version=\"1.0\"?><database><databaseInfo><UUID>u</UUID><nextObjectID>9</nextObjectID>"
                + "<metadata><plist><dict><key>NSStoreModelVersionHashes</key><dict></dict></dict></plist>"
                + "</metadata></databaseInfo><object type=\"A\" id=\"z1\"><relationship name=\"r\" "
                + "type=\"0/0\" destination=\"B\" idrefs=\"z2\"></relationship></object></database>", "z2"
        ),
        (
            "<?xml version=\"1.0\"?><database><databaseInfo><UUID>u</UUID><nextObjectID>9</nextObjectID>"
                + "<metadata><plist><dict><key>NSStoreModelVersionHashes</key><dict></dict></dict></plist>"
                + "</metadata></databaseInfo><object type=\"A\" id=\"z1\"></object>"
                + "<object type=\"A\" id=\"z1\"></object></database>", "twice"
        ),
    ])
    func `a broken XML store is refused with a reason`(text: String, reason: String) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "broken.xml")
        try Data(text.utf8).write(to: url)
        let error = #expect(throws: StoreError.self) { try XMLShownStore(url) }
        #expect(reason == "notAStore" ? error == .notAStore : "\(try #require(error))".contains(reason))
    }

    // MARK: As mappings

    private func migrated(_ mapping: MappingModel, _ rows: [[String: any Sendable]]) throws -> String {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "creatures.sqlite")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: mapping.source)
        try coordinator.addPersistentStore(ofType: .sqlite, at: url)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            for row in rows {
                let creature = try context.insert(entityNamed: "Creature")
                for (key, value) in row { try creature.setValue(value, forKey: key) }
            }
            try context.save()
        }
        try coordinator.close()
        try Migration(versions: [mapping.source, mapping.destination], mappings: [mapping])
            .migrateStore(at: url)
        return try shell(
            "sqlite3 -json '\(url.path)' 'SELECT * FROM ZCREATURE ORDER BY ZDNACODE' | tr -d '\\n'")
    }

    @Test func `a key path says where a value comes from, and what has no expression keeps its name`() throws
    {
        let mapping = try MappingModel(
            contentsOf: mapping("Creature.V1.FromV2"), from: creatures("V2"), to: creatures("V1"))
        let found = try migrated(
            mapping,
            [
                ["dnaCode": 7 as Int64, "numberOfFlippers": 4 as Int32, "hasHead": false],
                ["dnaCode": 8 as Int64],
            ])
        #expect(found.contains(#""ZDNACODE":7,"ZNUMBEROFFLAGELLA":4"#))
        #expect(found.contains(#""ZDNACODE":8,"ZNUMBEROFFLAGELLA":2"#))
    }

    @Test func `a policy that was not given is named, and one that was is called`() throws {
        struct Identity: EntityMigrationPolicy {}
        let url = mapping("Creature.V2.FromV1"), name = "Advanced_EvolutionDemo_V2_FromV1MigrationPolicy"
        let error = #expect(throws: MigrationError.self) {
            try MappingModel(contentsOf: url, from: creatures("V1"), to: creatures("V2"))
        }
        #expect("\(try #require(error))".contains(name))
        let mapping = try MappingModel(
            contentsOf: url, from: creatures("V1"), to: creatures("V2"), policies: [name: Identity()])
        // hasHead is the constant true, numberOfFlippers comes from numberOfFlagella.
        let found = try migrated(mapping, [["dnaCode": 9 as Int64, "numberOfFlagella": 6 as Int32]])
        #expect(found.contains(#""ZNUMBEROFFLIPPERS":6"#) && found.contains(#""ZHASHEAD":1"#))
        #expect(found.contains(#""ZDNACODE":9"#))
    }

    /// Each relationship of this mapping has an expression that calls the migration manager.
    @Test func `a store that Apple wrote goes by a mapping model that Apple wrote`() throws {
        struct Identity: EntityMigrationPolicy {}
        let folder = try ScratchFolder(), url = folder.url.appending(path: "S.sqlite")
        try FileManager.default.copyItem(
            at: fixtures.appending(path: "Stores/SampleModel_V2.sqlite"), to: url)
        func sql(_ statement: String) throws -> String { try shell("sqlite3 '\(url.path)' \"\(statement)\"") }
        let questions = [
            "SELECT ZNUMBERPLATE, ZMODEL FROM ZCAR ORDER BY Z_PK",
            "SELECT c.ZNUMBERPLATE, p.ZFIRSTNAME FROM ZCAR c JOIN ZPERSON p ON p.Z_PK = c.ZOWNER "
                + "ORDER BY c.Z_PK",
            "SELECT ZFIRSTNAME, ZLASTNAME FROM ZPERSON ORDER BY Z_PK",
        ]
        let before = try questions.map(sql)
        #expect(before.allSatisfy { $0.split(separator: "\n").count > 10 })
        let versions = try ["SampleModel2", "SampleModel3"].map(published)
        let mapping = try MappingModel(
            contentsOf: mapping("SampleModel.V2toV3"), from: versions[0], to: versions[1],
            policies: ["V2to3MakerPolicy": Identity()])
        try Migration(versions: versions, mappings: [mapping]).migrateStore(at: url)
        #expect(try questions.map(sql) == before)
        // Nothing becomes a maker: the policy of the program that this mapping is of would make them.
        #expect(try sql("SELECT COUNT(*) FROM ZMAKER") == "0\n")
    }

    @Test func `a file that is no mapping model is refused by name`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store.xml")
        let (before, after) = (try creatures("V1"), try creatures("V2"))
        #expect(throws: StoreError.file("store.xml", errno: ENOENT)) {
            try MappingModel(contentsOf: url, from: before, to: after)
        }
        let coordinator = PersistentStoreCoordinator(managedObjectModel: before)
        try coordinator.addPersistentStore(ofType: .xml, at: url)
        let error = #expect(throws: StoreError.self) {
            try MappingModel(contentsOf: url, from: before, to: after)
        }
        #expect("\(try #require(error))".contains("store.xml"))
        try Data("SQLite format 3\0".utf8).write(to: url)
        #expect(throws: StoreError.self) { try MappingModel(contentsOf: url, from: before, to: after) }
    }

    // MARK: Expressions

    @Test func `arithmetic keeps whole numbers, and says null where there is no number`() {
        typealias Arithmetic = MappingExpression.Arithmetic
        #expect(Arithmetic.plus.result(.int(3), .int(4)) == .int(7))
        #expect(Arithmetic.minus.result(.int(3), .double(0.5)) == .double(2.5))
        #expect(Arithmetic.times.result(.int(.max), .int(2)) == .null)
        #expect(Arithmetic.divided.result(.int(7), .int(2)) == .double(3.5))
        #expect(Arithmetic.divided.result(.int(7), .int(0)) == .null)
        #expect(Arithmetic.divided.result(.double(7), .double(0)) == .null)
        #expect(Arithmetic.plus.result(.null, .int(1)) == .null)
        #expect(Arithmetic.plus.result(.text("a"), .int(1)) == .null)
    }

    @Test func `arithmetic of decimals keeps their digits`() throws {
        typealias Arithmetic = MappingExpression.Arithmetic
        let price = try #require(Decimal(string: "0.10000000000000000001")).storedValue
        func text(_ value: StoredValue) -> String { value.decimalText ?? "\(value)" }
        #expect(text(Arithmetic.times.result(price, .int(3))) == "0.30000000000000000003")
        #expect(text(Arithmetic.plus.result(.double(0.1), price)) == "0.20000000000000000001")
        #expect(text(Arithmetic.minus.result(price, price)) == "0")
        #expect(text(Arithmetic.divided.result(price, .int(2))) == "0.050000000000000000005")
        #expect(Arithmetic.divided.result(price, .int(0)) == .null)
        #expect(Arithmetic.divided.result(price, Decimal(0).storedValue) == .null)
        #expect(Arithmetic.plus.result(price, .blob(Data("no number".utf8))) == .null)
        #expect(Arithmetic.plus.result(price, .null) == .null)
    }

    /// A mapping of one entity to the same, with an expression per attribute, as the editor archives them.
    private struct MappingFile {
        /// An expression: `3`, `0.5`, `'text'`, `a.b` and `(* a 2)`.
        static func archive(_ text: String) -> Data {
            var writer = KeyedArchiveWriter(), rest = Substring(text)
            typealias Value = KeyedArchiveWriter.Value
            func constant(_ values: [(String, Value)]) -> Value {
                writer.add(values, ["NSConstantValueExpression", "NSExpression", "NSObject"])
            }
            func function(_ name: String, _ operand: Value, _ arguments: [Value]) -> Value {
                writer.add(
                    [
                        ("NSOperand", operand), ("NSSelectorName", writer.add(name)),
                        ("NSArguments", writer.add(list: arguments)),
                    ], ["NSFunctionExpression", "NSExpression", "NSObject"])
            }
            func expression() -> Value {
                rest = rest.drop { $0 == " " }
                if rest.first == "(" {
                    rest.removeFirst()
                    let name = rest.prefix { $0 != " " }
                    rest = rest.dropFirst(name.count)
                    var arguments: [Value] = []
                    while rest.first != ")" {
                        arguments.append(expression())
                        rest = rest.drop { $0 == " " }
                    }
                    rest.removeFirst()
                    let operand = constant([
                        ("NSConstantValueClassName", writer.add("_NSPredicateUtilities"))
                    ])
                    let names = [
                        "+": "add:to:", "-": "from:subtract:", "*": "multiply:by:", "/": "divide:by:",
                    ]
                    return function(names[String(name)] ?? "\(name):", operand, arguments)
                }
                let word = rest.prefix { $0 != " " && $0 != ")" }
                rest = rest.dropFirst(word.count)
                if word.first == "'" {
                    return constant([("NSConstantValue", writer.add(String(word.dropFirst().dropLast())))])
                }
                if let number = Int64(word) { return constant([("NSConstantValue", .int(number))]) }
                if let number = Double(word) { return constant([("NSConstantValue", .real(number))]) }
                let path = writer.add(
                    [("NSKeyPath", writer.add(String(word)))],
                    ["NSKeyPathSpecifierExpression", "NSExpression", "NSObject"])
                let source = writer.add(
                    [("NSVariable", writer.add("source"))],
                    ["NSVariableExpression", "NSExpression", "NSObject"])
                return function("valueForKeyPath:", source, [path])
            }
            guard case .reference(let root) = expression() else { return Data() }
            return Data(writer.encoded(root: root))
        }

        static func write(_ expressions: [(name: String, text: String)], to url: URL) throws {
            var objects = """
                <object type="XDDEVMAPPINGMODEL" id="z1">
                <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z2">\
                </relationship></object>
                <object type="XDDEVENTITYMAPPING" id="z2">
                <attribute name="sourcename" type="string">Ware</attribute>
                <attribute name="destinationname" type="string">Ware</attribute>
                <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" \
                idrefs="\(expressions.indices.map { "z\($0 + 3)" }.joined(separator: " "))"></relationship>
                </object>
                """
            for (index, expression) in expressions.enumerated() {
                objects += """
                    <object type="XDDEVATTRIBUTEMAPPING" id="z\(index + 3)">
                    <attribute name="name" type="string">\(expression.name)</attribute>
                    <attribute name="valueexpressiondata" type="binary">\
                    \(archive(expression.text).base64EncodedString())</attribute></object>
                    """
            }
            try Data(
                """
                <?xml version="1.0"?><database><databaseInfo><UUID>u</UUID><nextObjectID>99</nextObjectID>\
                <metadata><plist><dict><key>NSStoreModelVersionHashes</key><dict></dict></dict></plist>\
                </metadata></databaseInfo>\(objects)</database>
                """.utf8
            ).write(to: url)
        }
    }

    private static func wares(_ types: [String: AttributeType]) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            entities: [
                EntityDeclaration(
                    "Ware",
                    properties: types.sorted { $0.key < $1.key }.map {
                        .attribute(AttributeDescription($0.key, $0.value, isOptional: true))
                    } + [.relationship(RelationshipDescription("maker", to: "Maker", inverse: "wares"))]),
                EntityDeclaration(
                    "Maker",
                    properties: [
                        .attribute(AttributeDescription("tax", .decimal)),
                        .attribute(AttributeDescription("name", .string)),
                        .relationship(
                            RelationshipDescription("wares", to: "Ware", isToMany: true, inverse: "maker")),
                    ]),
            ])
    }

    @Test(
        arguments: [
            ("maker.tax", .decimal, "0.19"), ("(* price 3)", .decimal, "0.30000000000000000003"),
            ("(+ price maker.tax)", .decimal, "0.29000000000000000001"), ("(- count 1)", .decimal, "6"),
            ("0.7", .decimal, "0.7"), ("'12.50'", .decimal, "12.5"), ("(/ count 2)", .double, "3.5"),
            ("(/ count 2)", .integer16, "3"), ("(* count 5000)", .integer32, "35000"),
            ("count", .integer64, "7"),
            ("(* price 10)", .double, "1"), ("(uppercase maker.name)", .string, "ACME"),
            ("(lowercase title)", .string, "tea"), ("(uppercase count)", .string, "nil"),
            ("(+ count title)", .integer64, "nil"), ("'x'", .string, "x"), ("2", .boolean, "true"),
            ("0", .boolean, "false"), ("7", .boolean, "true"), ("(- (* count 2) (+ 1 1))", .integer64, "12"),
            ("maker.name", .string, "Acme"),
            ("(* 100000 100000)", .integer32, "gets int(10000000000), which is no integer32"),
            ("(* count 5000)", .integer16, "which is no integer16"), ("(- 0 (/ count 2))", .integer32, "-3"),
            ("2.75", .integer16, "2"), ("(* count 1000000000000.0)", .integer32, "which is no integer32"),
            ("'x'", .integer64, "which is no integer64"), ("'x'", .decimal, "which is no decimal"),
            ("maker", .string, "relationship"), ("maker.wares", .string, "no attribute of one object"),
            ("maker.age", .string, "maker.age, which is not there"), ("(sqrt count)", .double, "sqrt:"),
        ] as [(String, AttributeType, String)])
    func `an attribute is what its expression says, as its own type`(
        expression: String, type: AttributeType, wanted: String
    ) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "wares.store")
        let file = folder.url.appending(path: "mapping.xml")
        let first = try Self.wares(["count": .integer64, "price": .decimal, "title": .string])
        let second = try Self.wares(["made": type])
        try MappingFile.write([("made", expression)], to: file)
        let before = PersistentStoreCoordinator(managedObjectModel: first)
        try before.addPersistentStore(ofType: .xml, at: url)
        try ManagedObjectContext(persistentStoreCoordinator: before).performAndWait { context in
            let ware = try context.insert(entityNamed: "Ware"),
                maker = try context.insert(entityNamed: "Maker")
            try ware.setValue(7, forKey: "count")
            try ware.setValue(Decimal(string: "0.10000000000000000001"), forKey: "price")
            try ware.setValue("Tea", forKey: "title")
            try maker.setValue(Decimal(string: "0.19"), forKey: "tax")
            try maker.setValue("Acme", forKey: "name")
            try ware.setValue(maker, forKey: "maker")
            try context.save()
        }
        try before.close()
        func migrated() throws -> String {
            let mapping = try MappingModel(contentsOf: file, from: first, to: second)
            try Migration(versions: [first, second], mappings: [mapping]).migrateStore(at: url, ofType: .xml)
            let after = PersistentStoreCoordinator(managedObjectModel: second)
            try after.addPersistentStore(ofType: .xml, at: url)
            return try ManagedObjectContext(persistentStoreCoordinator: after).performAndWait { context in
                let ware = try #require(
                    try context.fetch(FetchRequest<ManagedObject>(entityName: "Ware")).first)
                let maker = try ware.value(forKeyPath: "maker.name") as? String
                #expect(maker == "Acme")
                switch try ware.value(forKey: "made") {
                case nil: return "nil"
                case let number as Double: return number == number.rounded() ? "\(Int(number))" : "\(number)"
                case let value?: return "\(value)"
                }
            }
        }
        do { #expect(try migrated() == wanted) } catch {
            #expect("\(error)".contains(wanted))
        }
    }

    /// A mapping of `Ware` to `Ware`. Its attributes are `name` or `name=1`, with 1 where the editor makes
    /// the expression.
    private func mapping(
        _ attributes: [String], _ entity: [String: String] = [:],
        policies: [String: any EntityMigrationPolicy] = [:]
    ) throws -> MappingModel {
        let names = ["count": AttributeType.integer64, "title": .string, "note": .string]
        let folder = try ScratchFolder(), file = folder.url.appending(path: "xcmapping.xml")
        let values = ["sourcename": "Ware", "destinationname": "Ware"].merging(entity) { $1 }
        var objects = """
            <object type="XDDEVMAPPINGMODEL" id="z1"><relationship name="entitymappings" type="0/0" \
            destination="XDDEVENTITYMAPPING" idrefs="z2"></relationship></object>
            <object type="XDDEVENTITYMAPPING" id="z2">\
            \(values.map { "<attribute name=\"\($0)\" type=\"string\">\($1)</attribute>" }.joined())\
            <relationship name="attributemappings" type="0/0" destination="XDDEVATTRIBUTEMAPPING" \
            idrefs="\(attributes.indices.map { "z\($0 + 3)" }.joined(separator: " "))"></relationship>
            </object>
            """
        for (index, attribute) in attributes.enumerated() {
            let parts = attribute.split(separator: "=")
            objects += "<object type=\"XDDEVATTRIBUTEMAPPING\" id=\"z\(index + 3)\">"
            objects += "<attribute name=\"name\" type=\"string\">\(parts[0])</attribute>"
            if parts.count > 1 {
                objects += "<attribute name=\"autogenerateexpression\" type=\"bool\">\(parts[1])</attribute>"
            }
            objects += "</object>"
        }
        try Data(
            """
            <?xml version="1.0"?><database><databaseInfo><UUID>u</UUID><nextObjectID>99</nextObjectID>\
            <metadata><plist><dict><key>NSStoreModelVersionHashes</key><dict></dict></dict></plist>\
            </metadata></databaseInfo>\(objects)</database>
            """.utf8
        ).write(to: file)
        return try MappingModel(
            contentsOf: folder.url, from: Self.wares(names), to: Self.wares(names), policies: policies)
    }

    @Test(arguments: [
        (["count"], "", "-"), (["count=1"], "", "count"), (["count=0"], "", "-"), (["count"], "1", "count"),
        (["title=1"], "", "title"), (["title=1", "count=1"], "", "count title"),
    ])
    func `an attribute without an expression keeps its name where the editor makes the expression`(
        attributes: [String], isGenerated: String, wanted: String
    ) throws {
        let mapping = try mapping(
            attributes, isGenerated.isEmpty ? [:] : ["autogenerateexpression": isGenerated])
        let ware = try #require(mapping.entityMappings.first { $0.destinationEntityName == "Ware" })
        let kept = ware.propertyMappings.compactMap { name, found -> String? in
            if case .property(let source) = found, name != "maker" { return source == name ? name : "?" }
            return nil
        }
        #expect((kept.isEmpty ? ["-"] : kept.sorted()).joined(separator: " ") == wanted)
        // All others have their default, and relationships lead where they led.
        let initial = ware.propertyMappings.values.count {
            if case .defaultValue = $0 { true } else { false }
        }
        #expect(initial == 3 - kept.count && ware.propertyMappings.count == 4)
        // The other entity is inferred.
        #expect(mapping.entityMappings.first { $0.destinationEntityName == "Maker" }?.kind == .copied)
    }

    @Test func `an entity without a destination goes, one that is nowhere is named, and so is a rule`() throws
    {
        struct Identity: EntityMigrationPolicy {}
        let gone = try mapping([], ["destinationname": ""]).entityMappings
        #expect(gone.first { $0.sourceEntityName == "Ware" }?.kind == .removed)
        #expect(gone.first { $0.destinationEntityName == "Ware" }?.kind == .added)
        #expect(try mapping([], ["sourcename": ""]).entityMappings.allSatisfy { $0.kind == .copied })
        for (values, reason) in [
            (["destinationname": "Wear"], "Wear is not in the version after"),
            (["sourcename": "Wear"], "Wear is not in the version before"),
            (["sourceexpressionstring": "x"], "Ware has sourceexpressionstring, which is not supported"),
            (["migrationpolicyclassname": "App.Rule"], "Ware wants the policy App.Rule"),
        ] {
            let error = #expect(throws: MigrationError.self) { try mapping([], values) }
            #expect("\(try #require(error))".contains(reason))
        }
        let error = #expect(throws: MigrationError.self) { try mapping(["weight"]) }
        #expect("\(try #require(error))" == "Ware.weight is not in the version after")
        for name in ["App.Rule", "Rule"] {
            let found = try mapping(
                [], ["migrationpolicyclassname": "App.Rule"], policies: [name: Identity()])
            #expect(found.entityMappings.first { $0.destinationEntityName == "Ware" }?.kind == .custom)
        }
    }
}
