import Digests
import Foundation
import GRDB
import TestSupport
import Testing

@testable import ManagedObjects

/// The rules of version hashes that published stores show, each from the bytes that are hashed.
@Suite struct HashRuleTests {
    private func model(_ xml: String) throws -> ManagedObjectModel {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "M.xml")
        try Data("<model>\(xml)</model>".utf8).write(to: url)
        return try ManagedObjectModel(contentsOf: url)
    }

    private func property(_ name: String, isOptional: Bool = true, _ modifier: String = "") -> Data {
        Data(sha256(Data(name.utf8) + [isOptional ? 1 : 0, 0] + Data(modifier.utf8)))
    }

    private func entity(_ name: String, _ properties: [Data], _ end: String = "") -> Data {
        Data(sha256(Data(name.utf8) + [0] + properties.reduce(Data(), +) + Data(end.utf8)))
    }

    private func int(_ value: UInt8, _ high: UInt8 = 0) -> Data { Data([value, high, 0, 0]) }

    @Test func `a value in a file, one that outlives its object, and modifiers count`() throws {
        let model = try model(
            """
            <entity name="A" versionHashModifier="two">
              <attribute name="_b" optional="YES" attributeType="Binary"
                allowsExternalBinaryDataStorage="YES"/>
              <attribute name="c" optional="YES" attributeType="Binary" preserveAfterDeletion="YES"/>
              <attribute name="d" attributeType="Binary" versionHashModifier="x" defaultValueString="0.0"/>
              <attribute name="e" optional="YES" attributeType="Integer 32" defaultValueString="NO"/>
              <attribute name="f" optional="YES" attributeType="Integer 16" defaultValueString="0.0"/>
              <uniquenessConstraints>
                <uniquenessConstraint><constraint value="f"/></uniquenessConstraint>
                <uniquenessConstraint><constraint value="e"/><constraint value="c"/></uniquenessConstraint>
              </uniquenessConstraints>
            </entity>
            """)
        let binary = int(0xE8, 3)
        let hash = entity(
            "A",
            [
                Data(sha256(property("_b") + binary + [1])), Data(sha256(property("c") + binary + [1])),
                Data(sha256(property("d", isOptional: false, "x") + binary)),
                Data(sha256(property("e") + int(200))), Data(sha256(property("f") + int(100))),
            ], "twoe.cf")
        #expect(model.entity(named: "A")?.versionHash == hash)
    }

    @Test func `relationships: an own inverse, an order to one, no least count, nothing of transient ones`()
        throws
    {
        let model = try model(
            """
            <entity name="A">
              <relationship name="friends" optional="YES" toMany="YES" destinationEntity="A" \
            inverseName="friends" inverseEntity="A"/>
              <relationship name="next" maxCount="1" ordered="YES" destinationEntity="A" \
            versionHashModifier="m"/>
              <relationship name="shown" optional="YES" transient="YES" maxCount="1" destinationEntity="A"/>
            </entity>
            """)
        let friends = Data(sha256(property("friends") + Data("A".utf8) + int(0) + int(0)))
        let next = Data(
            sha256(property("next", isOptional: false, "m") + Data("A".utf8) + int(1) + int(0) + [1, 0]))
        let found = try #require(model.entity(named: "A"))
        #expect(found.versionHash == entity("A", [friends, next]))
        // Kept for other programs, and no object has it.
        #expect(found.properties.map(\.name) == ["friends", "next", "shown"])
        #expect(found.slot(of: "shown") == nil)
    }

    @Test func `a derived attribute is its expression, a composite its elements by name`() throws {
        let model = try model(
            """
            <composite name="Address"><attribute name="street" optional="YES" attributeType="String"/>\
            <attribute name="city" optional="YES" attributeType="String"/></composite>
            <entity name="A">
              <attribute name="count" optional="YES" attributeType="Integer 64" derived="YES" \
            derivationExpression="bs.@count"/>
              <attribute name="home" optional="YES" attributeType="Composite" composite="Address"/>
              <relationship name="bs" optional="YES" toMany="YES" destinationEntity="B" inverseName="a" \
            inverseEntity="B"/>
            </entity>
            <entity name="B">
              <relationship name="a" optional="YES" maxCount="1" destinationEntity="A" inverseName="bs" \
            inverseEntity="A"/>
            </entity>
            """)
        let bs = Data(sha256(property("bs") + Data("Ba".utf8) + int(0) + int(0)))
        let text = int(0xBC, 2)
        let home = Data(
            sha256(Data(sha256(property("city") + text)) + Data(sha256(property("street") + text))))
        let found = try #require(model.entity(named: "A"))
        #expect(found.versionHash == entity("A", [bs, Data(sha256(Data("count:(bs)".utf8))), home]))
        #expect(found.properties.map(\.name) == ["count", "home", "bs"])
        #expect(found.slot(of: "home.city") != nil && found.slot(of: "home") == nil)
        let table = SQLSchema(model, entities: model.entities).table(of: found)
        #expect(table.columns.map(\.name.text).contains("ZCITY"))
    }

    // MARK: Stores of earlier releases

    private func externals(isExternal: Bool) throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDeclaration(
                "Note",
                properties: [
                    .attribute(
                        AttributeDescription(
                            "scan", .binaryData, isOptional: true, options: isExternal ? .externalStorage : []
                        ))
                ])
        ])
    }

    @Test func `a store of an earlier release opens and keeps its rows, a plain one is not taken for it`()
        throws
    {
        let folder = try ScratchFolder(), model = try externals(isExternal: true)
        let plain = try externals(isExternal: false)
        // Earlier hashes did not tell the two apart.
        #expect(model.earlierVersionHashes["Note"] == plain.entities[0].versionHash)
        #expect(plain.earlierVersionHashes.isEmpty)
        let coordinator = try folder.open("S.sqlite", model)
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            try context.insert(entityNamed: "Note").setValue(Data([7, 8]), forKey: "scan")
            try context.save()
        }
        try coordinator.close()
        let url = folder.url.appending(path: "S.sqlite")
        let hash = plain.entities[0].versionHash
        try shell(
            """
            cd '\(folder.url.path)'
            sqlite3 S.sqlite "DELETE FROM Z_MODELCACHE"
            """)
        try rewriteHash(of: url, to: hash)
        #expect(try Migration(versions: [model]).steps(forStoreAt: url).isEmpty)
        let again = try folder.open("S.sqlite", model)
        try ManagedObjectContext(persistentStoreCoordinator: again).performAndWait { context in
            let notes = try context.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
            #expect(try notes.map { try $0.value(forKey: "scan") as? Data } == [Data([7, 8])])
            try notes[0].setValue(Data([9]), forKey: "scan")
            try context.save()
        }
        try again.close()
        // With a model in it, a store is of this release, and its hashes mean what they say.
        try shell("sqlite3 '\(url.path)' \"INSERT INTO Z_MODELCACHE VALUES (x'00')\"")
        #expect(throws: StoreError.incompatible(entities: ["Note"])) { try folder.open("S.sqlite", model) }
    }

    private func rewriteHash(of url: URL, to hash: Data) throws {
        let queue = try DatabaseQueue(path: url.path)
        try queue.write { database in
            guard let data = try Data.fetchOne(database, sql: "SELECT Z_PLIST FROM Z_METADATA") else {
                return
            }
            var plist = try PropertyListDecoder().decode([String: PropertyListValue].self, from: data)
            plist["NSStoreModelVersionHashes"] = .dictionary(["Note": .data(hash)])
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            try database.execute(
                sql: "UPDATE Z_METADATA SET Z_PLIST = ?", arguments: [try encoder.encode(plist)])
        }
    }
}
