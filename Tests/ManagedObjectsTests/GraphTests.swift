import Foundation
import ManagedObjects
import Testing

@Suite(.everyStore) struct GraphTests {
    @Test func `setting one side of a relationship sets the other, and lets go of the old owner`() throws {
        try emptyContext().performAndWait { context in
            let germany = Country.insert(into: context, code: 276, name: "Germany")
            let france = Country.insert(into: context, code: 250, name: "France")
            let mood = Mood.insert(into: context, title: "fog", date: day(1))
            mood.country = germany
            #expect(germany.moods == [mood])
            france.moods = [mood]
            #expect(mood.country === france)
            #expect(germany.moods == [])
            mood.country = nil
            #expect(france.moods == [])
        }
    }

    @Test func `one row is one object, however it is reached`() throws {
        try emptyContext().performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let all = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            let again = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            #expect(zip(all, again).allSatisfy { $0 === $1 })
            let country = try #require(all[0].country)
            #expect(country.moods.contains { $0 === all[0] })
            #expect(context[all[1].reference] === all[1])
        }
    }

    @Test func `an object is a fault until a property is asked for`() throws {
        let coordinator = try emptyCoordinator(testModel())
        let writer = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try writer.performAndWait { context in
            fillWithMoods(context)
            try context.save()
        }
        let reader = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try reader.performAndWait { context in
            let two = try context.fetch(FetchRequest<Mood>(\.rating > 3))
            #expect(two.count == 2 && context.registeredObjects.subtracting(two).allSatisfy(\.isFault))
            let mood = try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
            let country = try #require(mood.country)
            #expect(country.isFault)
            #expect(country.name == "Germany")
            #expect(!country.isFault)
            context.refresh(country, mergeChanges: false)
            #expect(country.isFault)
        }
    }

    /// 4-49.
    @Test func `delete rules: cascade takes along, nullify lets go, deny fails the save with the count`()
        throws
    {
        let coordinator = try emptyCoordinator(ManagedObjectModel(Department.self, Employee.self, Badge.self))
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            let department = context.insert(Department.self)
            department.name = "marketing"
            let employees = ["A", "B"].map { name in
                let employee = context.insert(Employee.self)
                (employee.name, employee.department) = (name, department)
                let badge = context.insert(Badge.self)
                (badge.number, badge.employee) = (7, employee)
                return employee
            }
            try context.save()
            context.delete(department)
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.failures.map(\.rule) == [.deleteDenied(count: 2)])
            #expect(error?.failures.map(\.property) == ["employees"])
            #expect(error?.failures.map(\.object) == [department.objectID])
            context.rollback()
            #expect(!department.isDeleted)
            #expect(department.employees.count == 2, "nothing was lost")
            for employee in employees { context.delete(employee) }
            context.delete(department)
            try context.save()
            #expect(try context.count(FetchRequest<Badge>()) == 0, "the badges went along")
            #expect(try context.count(FetchRequest<Employee>()) == 0)
        }
    }

    @Test func `a property that must have a value keeps the save from being made, and all are named`() throws
    {
        let coordinator = try emptyCoordinator(testModel())
        try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
            let valid = Country.insert(into: context, code: 276, name: "Germany")
            let mood = context.insert(Mood.self)
            let swatch = context.insert(Swatch.self)
            let error = #expect(throws: ValidationError.self) { try context.save() }
            let saved = try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
                try $0.count(FetchRequest<Country>()) + $0.count(FetchRequest<Mood>())
            }
            #expect(saved == 0 && valid.isInserted, "not even what is valid")
            #expect(error?.failures.map(\.property) == ["date", "colors", "title", "mood"])
            #expect(error?.failures.allSatisfy { $0.rule == .missingValue } ?? false)
            (mood.date, mood.colors, mood.title) = (day(1), [], "")
            (swatch.share, swatch.mood) = (1, mood)
            try context.save()
            let hasChanges = context.hasChanges
            #expect(!hasChanges)
        }
    }

    @Test func `a rollback brings back what was changed and deleted, and takes out what was inserted`() throws
    {
        try emptyContext().performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let moods = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            moods[0].title = "changed"
            context.delete(moods[4])
            let new = Mood.insert(into: context, title: "new", date: day(9))
            #expect(try context.fetch(FetchRequest<Mood>()).count == 5)
            context.rollback()
            #expect(moods[0].title == "fog")
            #expect(!moods[4].isDeleted)
            #expect(moods[4].swatches.count == 4, "the cascade was undone too")
            #expect(new.isDeleted)
            let hasChanges = context.hasChanges
            #expect(!hasChanges)
            #expect(try context.count(FetchRequest<Swatch>()) == 10)
        }
    }

    @Test func `unsaved changes are seen by fetches, with order and limit`() throws {
        try emptyContext().performAndWait { context in
            fillWithMoods(context)
            try context.save()
            let moods = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            moods[3].rating = 5
            moods[4].rating = 1
            Mood.insert(into: context, title: "new", date: day(0.5)).rating = 4
            context.delete(moods[2])
            var request = FetchRequest<Mood>(\.rating > 1, sortedBy: .ascending(\.date))
            #expect(try context.fetch(request).map(\.title) == ["new", "fog", "Foggy harbour", "caf\u{E9}"])
            (request.fetchOffset, request.fetchLimit) = (1, 2)
            #expect(try context.fetch(request).map(\.title) == ["fog", "Foggy harbour"])
            // Through a relationship to an object that has unsaved changes itself.
            let germany = try #require(try context.fetch(FetchRequest<Country>(\.code == 276)).first)
            germany.name = "Allemagne"
            #expect(try context.fetch(FetchRequest<Mood>(\.country?.name == "Allemagne")).count == 2)
            #expect(try context.fetch(FetchRequest<Mood>(\.country?.name == "Germany")).count == 0)
        }
    }

    @Test func `a row changed by two contexts is a conflict for the second`() throws {
        let coordinator = try emptyCoordinator(testModel())
        let first = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let second = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try first.performAndWait { context in
            fillWithMoods(context)
            try context.save()
        }
        try second.performAndWait { context in
            let mood = try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
            let note = try first.performAndWait { context in
                try context.fetch(FetchRequest<Mood>(\.title == "fog")).first?.rating = 5
                return try context.save()
            }
            mood.title = "mist"
            #expect(throws: StoreError.conflict(mood.objectID)) { try context.save() }
            #expect(mood.title == "mist", "the change is still here")
            // Merged, ours is on top of theirs.
            try context.mergeChanges(from: note)
            #expect((mood.title, mood.rating) == ("mist", 5))
            try context.save()
        }
        let titles = try first.performAndWait { context in
            context.refreshAllObjects()
            return try context.fetch(FetchRequest<Mood>(\.rating == 5, sortedBy: .ascending(\.date))).map(
                \.title)
        }
        #expect(titles == ["mist", "cafe\u{301}"])
    }

    @Test func `a reference taken before the save names the object afterwards, here and in another context`()
        throws
    {
        let coordinator = try emptyCoordinator(testModel())
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let reference = context.performAndWait { Mood.insert(into: $0, title: "fog", date: day(1)).reference }
        #expect(reference.objectID.isTemporaryID)
        try context.performAndWait { _ = try $0.save() }
        #expect(context.performAndWait { $0[reference]?.title } == "fog")
        let other = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        #expect(other.performAndWait { $0[reference]?.title } == "fog")
    }

    @Test func `a fault whose row is gone reads as zero, counts as deleted, and the next fetch of it throws`()
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
            context.refresh(mood, mergeChanges: false)
            try first.performAndWait { context in
                for mood in try context.fetch(FetchRequest<Mood>(\.title == "fog")) { context.delete(mood) }
                try context.save()
            }
            #expect(mood.rating == 0)
            #expect(mood.isDeleted)
            // Fetches of other entities have nothing to do with it.
            #expect(try context.fetch(FetchRequest<Country>()).count == 2)
            #expect(try context.count(FetchRequest<Swatch>()) > 0)
            #expect(throws: Never.self) { try mood.fire() }
            #expect(throws: StoreError.objectGone(mood.objectID)) { try context.fetch(FetchRequest<Mood>()) }
            #expect(try context.fetch(FetchRequest<Mood>()).count == 4)
            #expect(context.takeFaultErrors().isEmpty)
        }
    }

    @Test func `values come without objects`() throws {
        let rows = try emptyContext().performAndWait { context in
            fillWithMoods(context)
            try context.save()
            return try context.fetchValues(
                FetchRequest<Mood>(\.rating > 2, sortedBy: .descending(\.date)), \.title, \.latitude,
                \.country?.code)
        }
        #expect(rows.map(\.0) == ["cafe\u{301}", "", "Foggy harbour"])
        #expect(rows.map(\.1) == [-12.25, 0, nil])
        #expect(rows.map(\.2) == [nil, 276, 276])
    }
}

final class Department: ManagedObject {
    @Attribute var name: String
    @Relationship(inverse: "department", deleteRule: .deny) var employees: Set<Employee>
}

final class Employee: ManagedObject {
    @Attribute var name: String
    @Relationship(inverse: \Department.employees) var department: Department?
    @Relationship(inverse: "employee", deleteRule: .cascade) var badge: Badge?
}

final class Badge: ManagedObject {
    @Attribute var number: Int16
    @Relationship(inverse: \Employee.badge) var employee: Employee?
}
