import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// `Z_ENT` is what the store's `Z_PRIMARYKEY` says, not what this library would have given.
@Suite struct EntityNumberTests {
    class Animal: ManagedObject { @Attribute var name: String }
    final class Ant: Animal {}
    final class Cat: Animal { @Relationship(inverse: \Owner.cats) var owners: Set<Owner> }
    final class Owner: ManagedObject {
        @Attribute var name: String
        @Relationship(inverse: "owners") var cats: Set<Cat>
        @Relationship(inverse: nil) var pet: Animal?
    }

    private func open(_ url: URL, readOnly: Bool = false) throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(Animal.self, Ant.self, Cat.self, Owner.self))
        try coordinator.addPersistentStore(ofType: .sqlite, at: url, isReadOnly: readOnly)
        return ManagedObjectContext(persistentStoreCoordinator: coordinator)
    }

    private func filled(_ url: URL) throws {
        let context = try open(url)
        try context.performAndWait { context throws -> Void in
            let owner = context.insert(Owner.self), cat = context.insert(Cat.self)
            let ant = context.insert(Ant.self)
            (owner.name, cat.name, ant.name) = ("Ada", "Tom", "Z")
            owner.cats = [cat]
            owner.pet = ant
            try context.save()
        }
        try context.persistentStoreCoordinator.close()
    }

    /// Animal 1, Ant 2, Cat 3, Owner 4 become 40, 7, 93, 3: not in a row, and in no order.
    private func renumber(_ url: URL) throws {
        try shell(
            """
            sqlite3 '\(url.path)' "
            UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 1000;
            UPDATE Z_PRIMARYKEY SET Z_ENT = CASE Z_NAME WHEN 'Animal' THEN 40 WHEN 'Ant' THEN 7
              WHEN 'Cat' THEN 93 ELSE 3 END, Z_SUPER = CASE Z_SUPER WHEN 1 THEN 40 ELSE 0 END;
            UPDATE ZANIMAL SET Z_ENT = CASE Z_ENT WHEN 1 THEN 40 WHEN 2 THEN 7 ELSE 93 END;
            UPDATE ZOWNER SET Z_ENT = 3;
            ALTER TABLE ZOWNER RENAME COLUMN Z1_PET TO Z40_PET;
            UPDATE ZOWNER SET Z40_PET = 7;
            ALTER TABLE Z_3OWNERS RENAME TO Z_93OWNERS;
            ALTER TABLE Z_93OWNERS RENAME COLUMN Z_3CATS TO Z_93CATS;
            ALTER TABLE Z_93OWNERS RENAME COLUMN Z_4OWNERS TO Z_3OWNERS;"
            """)
    }

    @Test(arguments: [true, false])
    func `a store whose entities have other numbers is read and written by its own`(readOnly: Bool) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
        try filled(url)
        try renumber(url)
        let context = try open(url, readOnly: readOnly)
        try context.performAndWait { context throws -> Void in
            #expect(try context.fetch(FetchRequest<Cat>()).map(\.name) == ["Tom"])
            #expect(try context.fetch(FetchRequest<Ant>()).map(\.name) == ["Z"])
            #expect(try context.count(FetchRequest<Animal>()) == 2)
            let owner = try #require(try context.fetch(FetchRequest<Owner>()).first)
            #expect(owner.pet is Ant && owner.cats.map(\.name) == ["Tom"])
            if readOnly { return }
            context.insert(Cat.self).name = "Kit"
            owner.pet = owner.cats.first
            try context.save()
        }
        try context.persistentStoreCoordinator.close()
        if readOnly { return }
        let rows = try shell(
            """
            sqlite3 '\(url.path)' 'SELECT Z_PK, Z_ENT, ZNAME FROM ZANIMAL ORDER BY Z_PK;
            SELECT Z40_PET FROM ZOWNER'
            """
        )
        // A model that is inferred from the tables has the key, and no attribute of its entity's number.
        try shell("sqlite3 '\(url.path)' 'DELETE FROM Z_MODELCACHE'")
        let reader = try PersistentStoreCoordinator(readingStoreAt: url)
        let properties = reader.managedObjectModel.entity(named: "Owner")?.properties.map(\.name)
        #expect(reader.managedObjectModel.isInferred && properties?.sorted() == ["cats", "name", "pet"])
        try reader.close()
        #expect(rows == "1|93|Tom\n2|7|Z\n3|93|Kit\n93\n" || rows == "1|7|Z\n2|93|Tom\n3|93|Kit\n93\n")
    }

    @Test(arguments: [
        "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Dog' WHERE Z_NAME = 'Cat'",
        "DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Ant'",
        "UPDATE Z_PRIMARYKEY SET Z_SUPER = 0", "UPDATE Z_PRIMARYKEY SET Z_ENT = 16002 WHERE Z_NAME = 'Owner'",
        "UPDATE Z_PRIMARYKEY SET Z_ENT = -4 WHERE Z_NAME = 'Owner'",
        "INSERT INTO Z_PRIMARYKEY VALUES (9, 'Cat', 1, 0)",
    ])
    func `numbers that are not this model's are refused at opening`(statement: String) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a.sqlite")
        try filled(url)
        try shell("sqlite3 '\(url.path)' \"\(statement)\"")
        for readOnly in [true, false] {
            let error = #expect(throws: StoreError.self) { try open(url, readOnly: readOnly) }
            guard case .unreadable? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
        }
    }
}
