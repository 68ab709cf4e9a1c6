import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Models of Xcode's editor, and stores that Apple's Core Data wrote with them.
@Suite struct ModelFileTests {
    private let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures")

    private func model(_ path: String, version: String? = nil) throws -> ManagedObjectModel {
        try ManagedObjectModel(
            contentsOf: fixtures.appending(path: "Models/\(path).xcdatamodeld"), version: version)
    }

    @Test(arguments: [
        ("SampleModel", "SampleModel", "SampleModel_V1"), ("SampleModel", "SampleModel2", "SampleModel_V2"),
        ("SampleModel3", "SampleModel3", "SampleModel3_V1"),
    ])
    func `a store that Apple wrote opens with the model of the editor`(
        bundle: String, version: String, store: String
    ) throws {
        let folder = try ScratchFolder(), model = try model("CoreDataPlus/\(bundle)", version: version)
        try FileManager.default.copyItem(
            at: fixtures.appending(path: "Stores/\(store).sqlite"),
            to: folder.url.appending(path: "S.sqlite"))
        // All hashes of the store are compared with the model's.
        let coordinator = try folder.open("S.sqlite", model)
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let rows = try context.performAndWait { context in
            var rows: [String: Int] = [:]
            for entity in model.entities where entity.superentityName == nil {
                let objects = try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name))
                for object in objects { try object.fire() }
                rows[entity.name] = objects.count
            }
            return rows
        }
        // As plain SQL counts them.
        #expect(rows.values.contains { $0 > 0 })
        for (name, count) in rows {
            let url = folder.url.appending(path: "S.sqlite")
            let counted = try shell("sqlite3 '\(url.path)' 'SELECT COUNT(*) FROM Z\(name.uppercased())'")
            #expect(counted == "\(count)\n", "\(name)")
        }
        try coordinator.close()
    }

    @Test func `every published model can be read, in each of its versions`() throws {
        var count = 0
        let all = FileManager.default.enumerator(
            at: fixtures.appending(path: "Models"), includingPropertiesForKeys: nil)
        while let url = all?.nextObject() as? URL {
            guard url.pathExtension == "xcdatamodel" else { continue }
            let model = try ManagedObjectModel(contentsOf: url)
            #expect(!model.entities.isEmpty, "\(url.path)")
            count += 1
        }
        #expect(count == 14)
    }

    @Test func `the current version is taken unless another is named`() throws {
        let current = try model("RestKit/VersionedModel")
        let named = try model("RestKit/VersionedModel", version: "VersionedModel 4")
        let first = try model("RestKit/VersionedModel", version: "VersionedModel")
        #expect(current.entityVersionHashes == named.entityVersionHashes)
        #expect(current.entityVersionHashes != first.entityVersionHashes)
        let error = #expect(throws: ModelFileError.self) {
            try model("RestKit/VersionedModel", version: "VersionedModel 9")
        }
        #expect(error?.reason.contains("there are: VersionedModel, VersionedModel 2") == true)
    }

    @Test func `a compiled model of several versions is refused when none is marked as the current`() throws {
        let folder = try ScratchFolder(), file = folder.url.appending(path: "Shop.momd")
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        for name in ["Shop 2", "Shop"] {
            try Data("no model".utf8).write(to: file.appending(path: "\(name).mom"))
        }
        let error = #expect(throws: ModelFileError.self) { try ManagedObjectModel(contentsOf: file) }
        #expect(error?.reason == "no version is marked as the current: Shop, Shop 2")
    }

    private let document = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" userDefinedModelVersionIdentifier="7">
            <entity name="Thing" representedClassName=".Thing" isAbstract="YES" elementID="Item">
                <attribute name="name" attributeType="String" minValueString="2" maxValueString="5" \
                regularExpressionString="[a-z]+" elementID="title"/>
                <userInfo><entry key="color" value="red"/></userInfo>
            </entity>
            <entity name="Tool" parentEntity="Thing">
                <attribute name="count" attributeType="Integer 16" defaultValueString="3" \
                minValueString="1" maxValueString="9" indexed="YES"/>
                <attribute name="price" optional="YES" attributeType="Decimal" defaultValueString="0.1"/>
                <attribute name="made" optional="YES" attributeType="Date" defaultDateTimeInterval="86400" \
                preservesValueInHistoryOnDeletion="YES"/>
                <attribute name="page" optional="YES" attributeType="URI" defaultValueString="a:b"/>
                <attribute name="isNew" attributeType="Boolean" defaultValueString="YES"/>
                <attribute name="scan" optional="YES" attributeType="Binary" \
                allowsExternalBinaryDataStorage="YES"/>
                <attribute name="shown" optional="YES" transient="YES"/>
                <relationship name="box" optional="YES" maxCount="1" deletionRule="Deny" \
                destinationEntity="Box" inverseName="tools" inverseEntity="Box"/>
                <fetchedProperty name="likes"><fetchRequest name="r" entity="Tool" predicateString="count \
                == $FETCH_SOURCE.count"/></fetchedProperty>
                <fetchIndex name="byCountAndPrice"><fetchIndexElement property="count" type="Binary" \
                order="ascending"/><fetchIndexElement property="made" type="Binary" \
                order="descending"/></fetchIndex>
            </entity>
            <entity name="Box">
                <attribute name="number" attributeType="Integer 64" defaultValueString="0"/>
                <relationship name="tools" optional="YES" toMany="YES" minCount="2" maxCount="4" \
                ordered="YES" deletionRule="Cascade" destinationEntity="Tool" inverseName="box" \
                inverseEntity="Tool"/>
                <uniquenessConstraints><uniquenessConstraint><constraint \
                value="number"/></uniquenessConstraint></uniquenessConstraints>
            </entity>
            <fetchRequest name="few" entity="Tool" predicateString="count &lt; $LIMIT AND name != '$LIMIT' \
            AND name != &quot;$LIMIT&quot;" fetchLimit="2"/>
            <fetchRequest name="quoted" entity="Tool" \
            predicateString="name != 'it\\'s $LIMIT' AND count &lt; $MOST_2"/>
            <configuration name="All"><memberEntity name="Thing"/><memberEntity name="Tool"/><memberEntity \
            name="Box"/></configuration>
        </model>
        """

    private func read(_ text: String, _ folder: ScratchFolder) throws -> ManagedObjectModel {
        let url = folder.url.appending(path: "M.xml")
        try Data(text.utf8).write(to: url)
        return try ManagedObjectModel(contentsOf: url)
    }

    @Test func `all that the editor says of a model is in its descriptions`() throws {
        let model = try read(document, ScratchFolder())
        let thing = try #require(model.entity(named: "Thing")),
            tool = try #require(model.entity(named: "Tool"))
        #expect(thing.isAbstract && thing.declaration.renamingIdentifier == "Item")
        #expect(thing.declaration.userInfo == ["color": "red"] && thing.declaration.className == ".Thing")
        #expect(model.versionIdentifiers == ["7"] && model.configurations["All"]?.count == 3)
        let attributes = tool.properties.compactMap { property -> AttributeDescription? in
            if case .attribute(let attribute) = property { attribute } else { nil }
        }
        #expect(
            attributes.map(\.type) == [
                .string, .integer16, .decimal, .date, .uri, .boolean, .binaryData, .undefined,
            ])
        #expect(attributes[0].validation == [.lengths(2, 5), .matches("[a-z]+")])
        #expect(attributes[0].renamingIdentifier == "title")
        #expect(attributes[1].validation == [.bounds(.int(1), .int(9))] && attributes[1].options == .indexed)
        #expect(
            attributes.map(\.defaultValue) == [
                .null, .int(3), Decimal(string: "0.1")?.storedValue, .double(86_400), .text("a:b"), .int(1),
                .null, .null,
            ])
        #expect(attributes[6].options == .externalStorage && attributes[7].isTransient)
        #expect(attributes[3].options == .preservedAfterDeletion)
        let box = try #require(tool.relationship("box"))
        #expect(box.deleteRule == .deny && box.maxCount == 1)
        let tools = try #require(model.entity(named: "Box")?.relationship("tools"))
        #expect(tools.isOrdered && tools.minCount == 2 && tools.maxCount == 4 && tools.deleteRule == .cascade)
        #expect(model.entity(named: "Box")?.uniquenessConstraints == [["number"]])
        #expect(tool.declaration.fetchedProperties.map(\.request.entityName) == ["Tool"])
        #expect(tool.declaration.fetchIndexes.first?.elements.map(\.isDescending) == [false, true])
        let indexes = SQLSchema(model, entities: model.entities).indexDefinitions
        #expect(
            indexes["Z_Tool_byCountAndPrice"]
                == "CREATE INDEX Z_Tool_byCountAndPrice ON ZTHING "
                + "(ZCOUNT COLLATE BINARY ASC, ZMADE COLLATE BINARY DESC)"
        )
    }

    @Test func `variables of subqueries are no variables of a template`() throws {
        let template = FetchRequestTemplate(
            entityName: "Tool",
            format:
                "SUBQUERY(box.tools, $each, $each.count > $LEAST && $each.name != '$each').@count > $eachOne "
                + "AND subquery (a, $b, $b.c == $B).@count > 0")
        let (format, arguments) = try template.substituting(["LEAST": 3, "eachOne": 1, "B": 2])
        #expect(
            format == "SUBQUERY(box.tools, $each, $each.count > %@ && $each.name != '$each').@count > %@ "
                + "AND subquery (a, $b, $b.c == %@).@count > 0")
        #expect(arguments as? [Int] == [3, 1, 2])
    }

    @Test(.everyStore) func `a request of the model is used with values for its variables`() throws {
        let model = try read(document, ScratchFolder())
        let context = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(model))
        try context.performAndWait { context throws -> Void in
            for count in 1...5 {
                let tool = try context.insert(entityNamed: "Tool")
                try tool.setValue(count, forKey: "count")
                try tool.setValue("abc", forKey: "name")
            }
            try context.save()
            let two = try context.fetch(
                model.fetchRequest(fromTemplate: "few", substituting: ["LIMIT": 5]))
            #expect(two.count == 2)
            let one = try context.count(
                model.fetchRequest(fromTemplate: "few", substituting: ["LIMIT": 2]))
            #expect(one == 1)
            // The quote behind the backslash does not end the text.
            let quoted = try model.fetchRequest(fromTemplate: "quoted", substituting: ["MOST_2": 4])
            #expect(try context.count(quoted) == 3)
            #expect(throws: FetchError.self) { try model.fetchRequest(fromTemplate: "few") }
            #expect(throws: FetchError.self) { try model.fetchRequest(fromTemplate: "many") }
        }
    }

    @Test func `what is wrong with a model's file is told with file, line and reason`() throws {
        let folder = try ScratchFolder()
        func reason(_ text: String) -> String {
            do { _ = try read(text, folder) } catch let error as ModelFileError {
                return "\(error.line ?? 0): \(error.reason)"
            } catch { return "\(error)" }
            return "none"
        }
        func changed(_ old: String, _ new: String) -> String {
            reason(document.replacingOccurrences(of: old, with: new))
        }
        #expect(reason("") == "0: empty")
        #expect(reason("no") == "1: no XML: syntax error")
        #expect(reason("<model>\n<entity></model>") == "2: no XML: mismatched tag")
        #expect(reason("<html/>") == "1: no Core Data model: the root is <html>")
        #expect(changed("Integer 16", "Integer 17") == "8: Tool.count is of the unknown type “Integer 17”")
        #expect(
            changed("defaultValueString=\"3\"", "defaultValueString=\"x\"").hasPrefix("8: Tool.count: “x”"))
        #expect(changed("destinationEntity=\"Box\"", "destinationEntity=\"Bag\"").hasPrefix("15: Tool.box"))
        #expect(
            changed("inverseName=\"tools\"", "inverseName=\"none\"").hasPrefix("7: the inverse of Tool.box"))
        #expect(changed("isAbstract=\"YES\"", "parentEntity=\"Tool\"").contains("inherits from"))
        #expect(
            changed("name=\"count\"", "name=\"Count\"")
                == "7: Tool.Count does not begin with a lower-case letter")
        #expect(
            changed("name=\"Box\"", "name=\"box\"").contains("the entity box does not begin with a capital"))
        #expect(
            changed("indexed=\"YES\"", "derived=\"YES\"").hasSuffix(
                "“” is no derivation expression that is known"))
        #expect(
            changed(" optional=\"YES\" transient=\"YES\"", "").hasSuffix("has no type and is not transient"))
        let missing = #expect(throws: ModelFileError.self) {
            try ManagedObjectModel(contentsOf: folder.url.appending(path: "none.xcdatamodeld"))
        }
        #expect(missing?.file.hasSuffix("none.xcdatamodeld") == true)
    }

    @Test(arguments: [
        ("ascending", "Binary", true), ("descending", "Binary", false), ("ascending", "RTree", false),
    ])
    func `the index of an indexed attribute is a plain one that ascends`(
        order: String, type: String, isIndexed: Bool
    )
        throws
    {
        let text = """
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                <entity name="Note">
                    <attribute name="size" attributeType="Double" defaultValueString="0"/>
                    <fetchIndex name="bySize">
                        <fetchIndexElement property="size" type="\(type)" order="\(order)"/>
                    </fetchIndex>
                </entity>
            </model>
            """
        let note = try #require(try read(text, ScratchFolder()).entity(named: "Note"))
        guard case .attribute(let size)? = note.properties.first else {
            Issue.record("no attribute")
            return
        }
        #expect(size.options.contains(.indexed) == isIndexed)
        #expect(note.declaration.fetchIndexes.map(\.name) == ["bySize"])
    }

    @Test func `models are merged, and two that define one entity differently are refused by name`() throws {
        let folder = try ScratchFolder(), one = try read(document, folder)
        #expect(try ManagedObjectModel.merged(inFolders: [folder.url]) == nil)
        let other = try ManagedObjectModel(entities: [
            EntityDeclaration("Note", properties: [.attribute(AttributeDescription("text", .string))])
        ])
        let both = try ManagedObjectModel(merging: [one, other, one])
        #expect(both.entities.map(\.name) == ["Thing", "Tool", "Box", "Note"])
        #expect(both.entity(named: "Tool")?.versionHash == one.entity(named: "Tool")?.versionHash)
        #expect(both.fetchRequestTemplates.keys.sorted() == ["few", "quoted"])
        let different = try ManagedObjectModel(entities: [EntityDeclaration("Note", properties: [])])
        #expect(throws: ModelError.differentEntity("Note")) {
            try ManagedObjectModel(merging: [both, different])
        }
        let found = try ManagedObjectModel.merged(inFolders: [
            fixtures.appending(path: "Models/CoreStore")
        ])
        #expect(found?.entity(named: "Palette") != nil && found?.entity(named: "Creature") != nil)
        let bundle = try #require(Bundle(url: fixtures.appending(path: "Models/CoreStore")))
        let ofBundle = try ManagedObjectModel.merged(from: [bundle])
        #expect(ofBundle?.entities.map(\.name) == found?.entities.map(\.name))
        #expect(try ManagedObjectModel.merged(from: []) == nil)
    }

    @Test func `a rule of the editor has one end or both`() throws {
        let model = try read(
            """
            <model><entity name="Thing">
            <attribute name="least" attributeType="Integer 16" minValueString="2"/>
            <attribute name="most" attributeType="Integer 16" maxValueString="5"/>
            <attribute name="whole" attributeType="Integer 16" minValueString="2" maxValueString="5"/>
            <attribute name="word" attributeType="String" maxValueString="5"/></entity></model>
            """, ScratchFolder())
        let rules = model.entity(named: "Thing")?.properties.map { property -> [ValidationRule] in
            if case .attribute(let attribute) = property { attribute.validation } else { [] }
        }
        #expect(
            rules == [
                [.bounds(.int(2), nil)], [.bounds(nil, .int(5))], [.bounds(.int(2), .int(5))],
                [.lengths(nil, 5)],
            ])
    }

    /// What shares a table with a member belongs to the configuration; what another program's index is over
    /// does not keep ours from opening the store.
    @Test func `a configuration is completed by families, and an index over an expression is left out`()
        throws
    {
        let model = try read(
            """
            <model><entity name="Thing"/><entity name="Tool" parentEntity="Thing"/>
            <entity name="Saw" parentEntity="Tool">
            <attribute name="size" attributeType="Integer 16" defaultValueString="2.0"/>
            <attribute name="isSharp" attributeType="Integer 32" defaultValueString="YES"/>
            <fetchIndex name="both"><fetchIndexElement property="size" type="Binary" order="descending"/>
            <fetchIndexElement property="isSharp" type="Binary" order="ascending"/></fetchIndex>
            <fetchIndex name="sum"><fetchIndexElement property="size" type="Binary" order="ascending"/>
            <fetchIndexElement expression="size + 1" type="Binary" order="ascending"/></fetchIndex></entity>
            <entity name="Box"/><configuration name="Tools"><memberEntity name="Tool"/></configuration>
            <configuration name="Boxes"><memberEntity name="Box"/></configuration>
            <configuration name="None"></configuration></model>
            """, ScratchFolder())
        #expect(
            model.configurations.mapValues { $0.sorted() } == [
                "Tools": ["Saw", "Thing", "Tool"], "Boxes": ["Box"],
            ])
        let saw = try #require(model.entity(named: "Saw"))
        #expect(saw.declaration.fetchIndexes.map(\.name) == ["both"])
        #expect(saw.declaration.fetchIndexes[0].elements.map(\.isDescending) == [true, false])
        let values = ["size", "isSharp"].map { name in saw.slot(of: name).map { saw.defaultValues()[$0] } }
        #expect(values == [.int(2), .int(1)])
    }

    @Test func `an optimized model is refused, with where to look instead`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "Thing.mom")
        try Data("momv2$\u{0}\u{1}".utf8).write(to: url)
        let error = #expect(throws: ModelFileError.self) { try ManagedObjectModel(contentsOf: url) }
        #expect(
            "\(try #require(error))".hasSuffix(
                "Thing.mom: an optimized model (.omo); the .mom beside it can be read"))
    }

    @Test(arguments: [1, 2, 15, 16, 17, 40])
    func `composites lie inside each other up to 16 deep`(depth: Int) throws {
        let composites = (0..<depth).map { index in
            let inner =
                index == depth - 1
                ? "attributeType=\"String\"" : "attributeType=\"Composite\" composite=\"C\(index + 1)\""
            return "<composite name=\"C\(index)\"><attribute name=\"a\(index)\" optional=\"YES\" "
                + "\(inner)/></composite>"
        }
        let text = """
            <model>\(composites.joined())<entity name="Thing"><attribute name="whole" optional="YES" \
            attributeType="Composite" composite="C0"/></entity></model>
            """
        if depth <= 17 {
            let model = try read(text, ScratchFolder())
            let path = "whole" + (0..<depth).map { ".a\($0)" }.joined()
            #expect(model.entity(named: "Thing")?.slot(of: path) == 0)
        } else {
            let error = #expect(throws: ModelFileError.self) { try read(text, ScratchFolder()) }
            #expect(try #require(error).reason.hasSuffix("composites inside each other"))
        }
    }

    @Test func `what models have in common is in a merged one once`() throws {
        func model(_ names: [String], _ members: [String], _ versions: [String], limit: Int) throws
            -> ManagedObjectModel
        {
            try ManagedObjectModel(
                entities: names.map { EntityDeclaration($0, properties: []) }, configurations: ["c": members],
                versionIdentifiers: versions,
                fetchRequestTemplates: [
                    "all": FetchRequestTemplate(entityName: names[0], limit: limit),
                    names[0].lowercased(): FetchRequestTemplate(entityName: names[0], limit: limit),
                ])
        }
        let models = try [
            model(["A", "B"], ["A"], ["1"], limit: 1), model(["B", "C"], ["B", "C"], ["1", "2"], limit: 0),
            model(["C", "A"], ["A", "C"], ["2"], limit: 7),
        ]
        let merged = try ManagedObjectModel(merging: models)
        #expect(merged.entities.map(\.name) == ["A", "B", "C"])
        #expect(merged.configurations == ["c": ["A", "B", "C"]])
        #expect(merged.versionIdentifiers == ["1", "2"])
        // The first model with a template has it.
        for (name, entity, limit) in [("all", "A", 1), ("b", "B", nil), ("c", "C", 7)]
            as [(String, String, Int?)]
        {
            let request = try merged.fetchRequest(fromTemplate: name)
            #expect(request.fetchLimit == limit && request.entityName == entity)
        }
        #expect(throws: FetchError.self) { try merged.fetchRequest(fromTemplate: "d") }
        let empty = try ManagedObjectModel(merging: [])
        #expect(empty.entities.isEmpty && empty.versionIdentifiers.isEmpty)
    }

    @Test(.everyStore) func `entities of the editor get Swift classes by name`() throws {
        let url = fixtures.appending(path: "Models/CoreDataPlus/SampleModel.xcdatamodeld")
        let classes: [ManagedObject.Type] = [Car.self, Person.self, SportCar.self, ExpensiveSportCar.self]
        let model = try ManagedObjectModel(contentsOf: url, classes: classes)
        let context = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(model))
        try context.performAndWait { context throws -> Void in
            let car = context.insert(SportCar.self), person = context.insert(Person.self)
            (car.numberPlate, person.id, person.updatedAt) = ("AB 1", UUID(), day(1))
            car.owner = person
            try context.save()
            context.reset()
            let back = try #require(context.fetch(FetchRequest<Person>()).first)
            #expect(back.cars.map(\.numberPlate) == ["AB 1"] && back.cars.first is SportCar)
        }
        #expect(throws: ModelFileError.self) { try ManagedObjectModel(contentsOf: url, classes: [Mood.self]) }
    }

    private final class Container: ManagedObject {
        @Attribute var number: Int64 = 0
        override class var entityName: String { "Box" }
    }

    @Test func `a class of another name belongs to the entity that it names`() throws {
        let folder = try ScratchFolder(), box = folder.url.appending(path: "Boxes.xcdatamodel")
        try FileManager.default.createDirectory(at: box, withIntermediateDirectories: true)
        let text = """
            <model><entity name="Box" representedClassName="Warehouse.Container">
            <attribute name="number" attributeType="Integer 64" defaultValueString="0"/></entity></model>
            """
        try Data(text.utf8).write(to: box.appending(path: "contents"))
        let model = try ManagedObjectModel(contentsOf: box, classes: [Container.self])
        let context = ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(model))
        try context.performAndWait { context throws -> Void in
            context.insert(Container.self).number = 7
            try context.save()
            context.reset()
            let found = try context.fetch(FetchRequest<ManagedObject>(entityName: "Box"))
            #expect(found.map { ($0 as? Container)?.number } == [7])
        }
    }

    @Test func `names begin as the rule says, or are refused`() throws {
        func make(_ entity: String, _ property: String) throws {
            _ = try ManagedObjectModel(entities: [
                EntityDeclaration(entity, properties: [.attribute(AttributeDescription(property, .string))])
            ])
        }
        try make("Mood", "date")
        #expect(throws: ModelError.badName(entity: "mood", property: nil)) { try make("mood", "date") }
        #expect(throws: ModelError.badName(entity: "Mood", property: "Date")) { try make("Mood", "Date") }
        #expect(throws: ModelError.badName(entity: "Mood", property: "a b")) { try make("Mood", "a b") }
        #expect(throws: ModelError.badName(entity: "", property: nil)) { try make("", "a") }
    }
}
