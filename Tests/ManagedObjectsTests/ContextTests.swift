import Foundation
import Testing

@testable import ManagedObjects

/// What a context promises of single objects: callbacks, refresh, reset, faults, failures.
@Suite(.everyStore) struct ContextTests {
    /// What was read last is held by the context alone, and goes as others are read.
    @Test func `objects asked for by ID are all there, whatever was read before`() throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            for index in 0..<700 { Mood.insert(into: context, title: "m\(index)", date: day(Double(index))) }
            try context.save()
            context.reset()
            let ids = try context.fetchObjectIDs(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            for start in [0, 300, 200, 450] {
                _ = try context.objects(Mood.self, with: Array(ids[start..<start + 200])).count
            }
            let all = try context.objects(Mood.self, with: ids).map(\.title)
            #expect(all == (0..<700).map { "m\($0)" })
        }
    }

    @Test func `callbacks come once each, and what they change is saved`() throws {
        let coordinator = try emptyCoordinator(ManagedObjectModel(Diary.self))
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            let diary = context.insert(Diary.self)
            #expect(diary.log == "inserted")
            try context.save()
            #expect(
                diary.stored == "saving 2", "willSave changed it, was asked again, and had nothing more to do"
            )
            #expect(diary.log == "inserted, will, will, did")
            diary.stored = "changed"
            try context.save()
            #expect(diary.log == "inserted, will, will, did, will, did")
            let isSaved = context.saveOrRollback()
            #expect(isSaved)
            context.delete(diary)
            // What didSave set made it change again.
            #expect(diary.log == "inserted, will, will, did, will, did, will, deleting")
        }
        let other = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try other.performAndWait { context in
            let diary = try #require(try context.fetch(FetchRequest<Diary>()).first)
            #expect(diary.log == "fetched")
            let hasChanges = context.hasChanges
            #expect(!hasChanges, "what awakeFromFetch sets is no change")
        }
    }

    @Test func `saveOrRollback brings back what cannot be saved`() throws {
        let coordinator = try emptyCoordinator(testModel())
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let mood = try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
            mood.title = "mist"
            _ = context.insert(Mood.self)
            let isWrongSaved = context.saveOrRollback()
            #expect(!isWrongSaved)
            #expect(mood.title == "fog")
            #expect(try context.count(FetchRequest<Mood>()) == 5)
            mood.title = "mist"
            let isSaved = context.saveOrRollback()
            #expect(isSaved && !context.hasChanges)
        }
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context throws in
            #expect(try context.count(FetchRequest<Mood>(\.title == "mist")) == 1)
            #expect(try context.count(FetchRequest<Mood>()) == 5)
        }
    }

    @Test func `what is not saved yet is told apart by what is to be done with it`() throws {
        try emptyContext().performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let moods = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            for isKept in [false, true] {
                let new = Country.insert(into: context, code: 56, name: "Belgium")
                moods[0].rating += 1
                // Its swatches go along.
                let gone = [moods[3]] + Array(moods[3].swatches)
                #expect(gone.count == 4)
                context.delete(moods[3])
                context.processPendingChanges()
                let (updated, deleted) = (Set(context.updatedObjects), Set(context.deletedObjects))
                #expect(context.insertedObjects == [new] && updated.contains(moods[0]))
                #expect(updated.isDisjoint(with: deleted.union([new])))
                #expect(deleted.isSuperset(of: gone))
                if isKept { try context.save() } else { context.rollback() }
                #expect(context.insertedObjects.isEmpty && context.updatedObjects.isEmpty)
                #expect(context.deletedObjects.isEmpty)
            }
        }
    }

    /// 3-60.
    @Test func `refresh puts unsaved changes on the store's values, or drops them with both ends`() throws {
        let coordinator = try emptyCoordinator(testModel())
        let first = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let second = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try first.performAndWait { context in
            fillWithMoods(context)
            try context.save()
        }
        try second.performAndWait { context in
            let mood = try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
            let france = try #require(try context.fetch(FetchRequest<Country>(\.code == 250)).first)
            let germany = try #require(mood.country)
            (mood.title, mood.country) = ("mist", france)
            #expect(france.moods.count == 2 && germany.moods.count == 2)
            try first.performAndWait { context in
                try context.fetch(FetchRequest<Mood>(\.title == "fog")).first?.rating = 5
                try context.save()
            }
            context.refresh(mood, mergeChanges: true)
            #expect((mood.title, mood.rating) == ("mist", 5))
            #expect(mood.country === france && france.moods.contains(mood))
            context.refresh(mood, mergeChanges: false)
            #expect(mood.isFault)
            #expect((mood.title, mood.rating) == ("fog", 5))
            #expect(mood.country === germany && germany.moods.contains(mood))
            #expect(!france.moods.contains(mood), "the other end knows it too")
        }
    }

    @Test func `after a reset a row has one object, and the old one is no row's`() throws {
        try emptyContext().performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let old = try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
            context.reset()
            #expect(old.isDeleted && old.managedObjectContext == nil)
            old.title = "nobody's"
            let new = try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
            #expect(new !== old && new.objectID == old.objectID)
            let hasChanges = context.hasChanges
            #expect(!hasChanges)
        }
    }

    @Test func `a set read before a merge is read anew after it`() throws {
        let coordinator = try emptyCoordinator(testModel())
        let first = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let second = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try first.performAndWait { context in
            fillWithMoods(context)
            try context.save()
        }
        try second.performAndWait { context in
            let germany = try #require(try context.fetch(FetchRequest<Country>(\.code == 276)).first)
            #expect(germany.moods.count == 3)
            let note = try first.performAndWait { context in
                let germany = try #require(try context.fetch(FetchRequest<Country>(\.code == 276)).first)
                for mood in try context.fetch(FetchRequest<Mood>(\.country == nil)) { mood.country = germany }
                return try context.save()
            }
            #expect(germany.moods.count == 3)
            try context.mergeChanges(from: note)
            #expect(germany.moods.count == 4)
        }
    }

    @Test
    func
        `a row deleted in two contexts: the merge takes the second deletion back; without it, a conflict`()
        throws
    {
        let coordinator = try emptyCoordinator(testModel())
        let first = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let second = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try first.performAndWait { context in
            fillWithMoods(context)
            try context.save()
        }
        try second.performAndWait { context in
            let mood = try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
            context.delete(mood)
            let note = try first.performAndWait { context in
                for mood in try context.fetch(FetchRequest<Mood>(\.title == "fog")) { context.delete(mood) }
                return try context.save()
            }
            #expect(throws: StoreError.conflict(mood.objectID)) { try context.save() }
            try context.mergeChanges(from: note)
            let hasDeletions = context.deletedObjects.contains(mood)
            #expect(!hasDeletions)
            try context.save()
            #expect(try context.count(FetchRequest<Mood>()) == 4)
        }
    }

    @Test func `a row that somebody else changed is not deleted unseen`() throws {
        let coordinator = try emptyCoordinator(testModel())
        let first = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let second = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try first.performAndWait { context in
            fillWithMoods(context)
            try context.save()
        }
        try second.performAndWait { context in
            let france = try #require(try context.fetch(FetchRequest<Country>(\.code == 250)).first)
            context.delete(france)
            let note = try first.performAndWait { context in
                try context.fetch(FetchRequest<Country>(\.code == 250)).first?.name = "Gaul"
                return try context.save()
            }
            #expect(throws: StoreError.conflict(france.objectID)) { try context.save() }
            #expect(try first.performAndWait { try $0.count(FetchRequest<Country>()) } == 2)
            context.rollback()
            try context.mergeChanges(from: note)
            context.delete(france)
            try context.save()
            #expect(try context.count(FetchRequest<Country>()) == 1)
        }
    }

    @Test func `deny holds while one is left, and for a relationship to one`() throws {
        let coordinator = try emptyCoordinator(
            ManagedObjectModel(Department.self, Employee.self, Badge.self, Lock.self, Key.self))
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            let (department, employee) = (context.insert(Department.self), context.insert(Employee.self))
            (department.name, employee.name, employee.department) = ("D", "E", department)
            let (lock, key) = (context.insert(Lock.self), context.insert(Key.self))
            lock.key = key
            try context.save()
            context.delete(department)
            context.delete(lock)
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.failures.map(\.rule) == [.deleteDenied(count: 1), .deleteDenied(count: 1)])
            #expect(error?.failures.map(\.property) == ["employees", "key"])
            #expect(error?.failures.map(\.object) == [department.objectID, lock.objectID])
            context.delete(employee)
            context.delete(key)
            try context.save()
            #expect(try context.count(FetchRequest<Department>()) == 0)
            #expect(try context.count(FetchRequest<Lock>()) == 0)
        }
    }

    @Test func `deny ends once the targets were moved to another owner`() throws {
        let coordinator = try emptyCoordinator(ManagedObjectModel(Department.self, Employee.self, Badge.self))
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            let departments = ["from", "to"].map { name in
                let department = context.insert(Department.self)
                department.name = name
                return department
            }
            let employee = context.insert(Employee.self)
            (employee.name, employee.department) = ("E", departments[0])
            try context.save()
            context.delete(departments[0])
            #expect(throws: ValidationError.self) { try context.save() }
            context.rollback()
            employee.department = departments[1]
            context.delete(departments[0])
            try context.save()
            #expect(departments[1].employees == [employee])
            #expect(try context.count(FetchRequest<Department>()) == 1)
        }
    }

    @Test func `a single context saves again and again without a conflict`() throws {
        try emptyContext().performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let moods = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            for round in 0..<3 {
                for mood in moods { mood.title = "\(round)" }
                context.insert(Mood.self).title = "new \(round)"
                context.refresh(moods[0], mergeChanges: true)
                context.rollback()
                for mood in moods { mood.rating = Int16(round) }
                #expect(throws: Never.self) { try context.save() }
            }
            context.delete(moods[0])
            #expect(throws: Never.self) { try context.save() }
        }
    }

    @Test func `a change is validated as a new object is`() throws {
        try emptyContext().performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let swatch = try #require(try context.fetch(FetchRequest<Swatch>()).first)
            let mood = swatch.mood
            swatch.mood = nil
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.failures.map(\.property) == ["mood"])
            swatch.mood = mood
            try context.save()
        }
    }

    @Test func `prefetching reads the other ends in one read, and the faults are filled`() throws {
        let coordinator = try emptyCoordinator(testModel())
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            fillWithMoods(context)
            try context.save()
        }
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            let ids = try context.fetchObjectIDs(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            let moods = try context.objects(Mood.self, with: ids, prefetching: [\Mood.country])
            #expect(moods.map { $0.country?.isFault } == [false, false, false, false, nil])
            #expect(throws: FetchError.self) {
                try context.objects(Mood.self, with: ids, prefetching: [\Mood.title])
            }
        }
    }

    @Test func `members are faults, filled together when one is asked`() throws {
        let coordinator = try emptyCoordinator(testModel())
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            fillWithMoods(context)
            try context.save()
        }
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            let germany = try #require(try context.fetch(FetchRequest<Country>(\.code == 276)).first)
            let moods = germany.moods
            #expect(moods.map(\.isFault) == [true, true, true])
            let titles = Set([moods.first].compactMap { $0?.title })
            #expect(titles.count == 1)
            #expect(
                moods.map(\.isFault) == [false, false, false], "they came together and are read together")
        }
    }

    @Test func `a filter made before a save finds the object after it`() throws {
        try emptyContext().performAndWait { context in
            let germany = Country.insert(into: context, code: 276, name: "Germany")
            let request = FetchRequest<Mood>(\.country == germany.reference)
            Mood.insert(into: context, title: "fog", date: day(1)).country = germany
            #expect(try context.count(request) == 1)
            try context.save()
            #expect(try context.count(request) == 1)
            context.reset()
            #expect(try context.fetch(request).map(\.title) == ["fog"])
        }
    }

    @Test func `a text with NUL is refused before anything is written`() throws {
        try emptyContext().performAndWait { context in
            let country = Country.insert(into: context, code: 1, name: "a\0b")
            let id = country.objectID
            #expect(throws: StoreError.textWithNUL(id, property: "name")) { try context.save() }
            country.name = "ab"
            try context.save()
            #expect(try context.count(FetchRequest<Country>()) == 1)
        }
    }

    @Test func `a temporary key is never written`() throws {
        let coordinator = try emptyCoordinator(ManagedObjectModel(Folder.self, File.self))
        let ids = try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context in
            let folder = context.insert(Folder.self), file = context.insert(File.self)
            (file.folder, file.loose) = (folder, folder)
            context.delete(folder)
            #expect(throws: ValidationError.self, "a file must have a folder") { try context.save() }
            file.folder = context.insert(Folder.self)
            try context.save()
            return [file.objectID]
        }
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            let file = try #require(context.object(with: ids[0]) as? File)
            #expect(file.loose == nil)
            #expect(file.folder != nil)
            #expect(try context.count(FetchRequest<File>(\.loose == nil)) == 1)
        }
    }

    @Test func `an object that is gone is not accepted as a target, and the save says so`() throws {
        try emptyContext().performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let mood = try #require(try context.fetch(FetchRequest<Mood>(\.country == nil)).first)
            let france = try #require(try context.fetch(FetchRequest<Country>(\.code == 250)).first)
            context.delete(france)
            mood.country = france
            #expect(mood.country == nil)
            #expect(throws: StoreError.objectGone(france.objectID)) { try context.save() }
            try context.save()
            #expect(try context.count(FetchRequest<Country>()) == 1)
        }
    }

    @Test func `unique values may be swapped`() throws {
        let context = ManagedObjectContext(
            persistentStoreCoordinator: try emptyCoordinator(ManagedObjectModel(Seat.self)))
        try context.performAndWait { context in
            let seats = (1...3).map { number in
                let seat = context.insert(Seat.self)
                seat.number = Int64(number)
                return seat
            }
            try context.save()
            (seats[0].number, seats[1].number, seats[2].number) = (2, 3, 1)
            try context.save()
            seats[0].number = 3
            #expect(throws: StoreError.notUnique(entity: "Seat", properties: ["number"], values: [.int(3)])) {
                try context.save()
            }
            context.rollback()
            #expect(seats.map(\.number) == [2, 3, 1])
        }
    }

    @Test func `a swapped pair is seen in a fresh context`() throws {
        let coordinator = try emptyCoordinator(ManagedObjectModel(Seat.self))
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            for number: Int64 in [1, 2] { context.insert(Seat.self).number = number }
            try context.save()
            for seat in try context.fetch(FetchRequest<Seat>()) { seat.number = 3 - seat.number }
            try context.save()
        }
        let numbers = try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            context in
            try context.fetch(FetchRequest<Seat>()).map(\.number)
        }
        #expect(numbers == [2, 1])
    }

    @Test func `40 unsaved objects or more are found by their values as few are`() throws {
        try emptyContext().performAndWait { context in
            for number in 0..<100 {
                Country.insert(into: context, code: Int16(number), name: "c\(number % 10)")
                let found = try context.fetch(FetchRequest<Country>(\.code == Int16(number / 2)))
                #expect(found.map(\.name) == ["c\(number / 2 % 10)"])
            }
            let country = try #require(try context.fetch(FetchRequest<Country>(\.code == 70)).first)
            country.code = 700
            #expect(try context.fetch(FetchRequest<Country>(\.code == 70)).isEmpty)
            #expect(try context.fetch(FetchRequest<Country>(\.code == 700)) == [country])
            context.delete(country)
            #expect(try context.fetch(FetchRequest<Country>(\.code == 700)).isEmpty)
            #expect(try context.count(FetchRequest<Country>(\.name == "c3")) == 10)
            context.rollback()
            #expect(try context.fetch(FetchRequest<Country>(\.code == 71)).isEmpty)
        }
    }

    @Test func `a limit counts what is deleted and changed here`() throws {
        try emptyContext().performAndWait { context in
            for number in 0..<20 { Country.insert(into: context, code: Int16(number), name: "") }
            try context.save()
            let all = try context.fetch(FetchRequest<Country>(sortedBy: .ascending(\.code)))
            context.delete(all[0])
            all[1].code = 100
            all[19].code = -1
            var request = FetchRequest<Country>(\.code < 50, sortedBy: .ascending(\.code))
            (request.fetchOffset, request.fetchLimit) = (1, 4)
            #expect(try context.fetch(request).map(\.code) == [2, 3, 4, 5])
            request.fetchOffset = 0
            #expect(try context.fetch(request).map(\.code) == [-1, 2, 3, 4])
            #expect(try context.count(FetchRequest<Country>(\.code < 50)) == 18)
        }
    }

    @Test func `new objects that are as good come in the order of their insertion, behind stored ones`()
        throws
    {
        try emptyContext().performAndWait { context in
            _ = Mood.insert(into: context, title: "stored", date: day(1))
            try context.save()
            for title in ["c", "a", "b"] { Mood.insert(into: context, title: title, date: day(1)) }
            for isSaved in [false, true] {
                if isSaved { try context.save() }
                let byDate = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
                #expect(byDate.map(\.title) == ["stored", "c", "a", "b"])
                let any = try context.fetch(FetchRequest<Mood>())
                #expect(any.map(\.title) == ["stored", "c", "a", "b"])
            }
        }
    }

    @Test func `a count sees what is not saved on the other side of a relationship`() throws {
        try emptyContext().performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let france = try #require(try context.fetch(FetchRequest<Country>(\.code == 250)).first)
            france.name = "Gaul"
            for (name, count) in [("Gaul", 1), ("France", 0), ("Germany", 3)] {
                #expect(try context.count(FetchRequest<Mood>(\.country?.name == name)) == count)
            }
        }
    }
}

final class Diary: ManagedObject {
    @Attribute var stored: String = ""
    @Attribute(.transient) var log: String = ""

    override func awakeFromInsert() { log = "inserted" }
    override func awakeFromFetch() { log = "fetched" }
    override func willSave() {
        log += ", will"
        if stored == "" { stored = "saving 2" }
    }
    override func didSave() { log += ", did" }
    override func prepareForDeletion() { log += ", deleting" }
}

final class Lock: ManagedObject {
    @Relationship(inverse: \Key.lock, deleteRule: .deny) var key: Key?
}

final class Key: ManagedObject {
    @Relationship(inverse: "key") var lock: Lock?
}

final class Folder: ManagedObject {
    @Relationship(inverse: "folder", deleteRule: .noAction) var files: Set<File>
}

final class File: ManagedObject {
    @Relationship(inverse: \Folder.files, isOptional: false) var folder: Folder?
    @Relationship(inverse: nil) var loose: Folder?
}

final class Seat: ManagedObject {
    @Attribute var number: Int64
    override class var uniquenessConstraints: [[String]] { [["number"]] }
}
