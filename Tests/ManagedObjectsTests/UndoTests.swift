import Foundation
import Testing

@testable import ManagedObjects

/// That undo leads back to what was, in every kind of graph, is what ``ReferenceModelTests`` shows; here is
/// what groups, saves and names do.
@Suite(.everyStore) struct UndoTests {
    @Test func `one undo brings back all that one deletion took, and redo takes it again`() throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            fillWithMoods(context)
            try context.save()
            context.undoManager = UndoManager()
            let mood = try #require(
                context.fetch(FetchRequest<Mood>(sortedBy: .descending(\.date))).first)
            let swatches = mood.swatches, country = mood.country
            #expect(swatches.count == 4)
            context.delete(mood)
            context.processPendingChanges()
            let all = try (context.count(FetchRequest<Mood>()), context.count(FetchRequest<Swatch>()))
            #expect(all == (4, 6))
            context.undo()
            let back = try (context.count(FetchRequest<Mood>()), context.count(FetchRequest<Swatch>()))
            #expect(back == (5, 10))
            #expect(mood.swatches == swatches && mood.country == country && !mood.isDeleted)
            let hasChanges = context.hasChanges
            #expect(!hasChanges)
            context.redo()
            let again = try (context.count(FetchRequest<Mood>()), context.count(FetchRequest<Swatch>()))
            #expect(again == (4, 6))
            try context.save()
        }
        let left = try context.performAndWait { try $0.count(FetchRequest<Swatch>()) }
        #expect(left == 6)
    }

    @Test func `what an accessor written by hand keeps in memory is undone with the rest`() throws {
        try edgeContext().performAndWait { context throws -> Void in
            let cached = context.insert(Cached.self)
            try context.save()
            context.undoManager = UndoManager()
            for count in [1, 2] {
                try cached.willChangeValue(forKey: "calls")
                try cached.setPrimitiveValue(["fetch": count], forKey: "calls")
                try cached.didChangeValue(forKey: "calls")
                context.processPendingChanges()
            }
            #expect(cached.calls == ["fetch": 2])
            context.undo()
            #expect(cached.calls == ["fetch": 1])
            context.undo()
            #expect(cached.calls == nil)
            context.redo()
            #expect(cached.calls == ["fetch": 1])
        }
    }

    /// Nobody here has an object of what others deleted: the way back leads nowhere, and nothing is written
    /// that leads to a row that is gone.
    @Test func `what others deleted meanwhile is not led to again`() throws {
        let coordinator = try emptyCoordinator(testModel())
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context throws -> Void in
            fillWithMoods(context)
            try context.save()
        }
        let id = try context.performAndWait { context throws -> ManagedObjectID in
            context.undoManager = UndoManager()
            let mood = try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
            mood.country = nil
            try context.save()
            return mood.objectID
        }
        context.performAndWait { $0.refreshAllObjects() }
        let other = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let note = try other.performAndWait { other in
            try other.execute(BatchDeleteRequest(FetchRequest<Country>(\.code == 276)))
        }
        try context.performAndWait { context throws -> Void in
            try context.mergeChanges(from: note)
            context.undo()
            let mood = try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
            #expect(mood.objectID == id && mood.country == nil)
            try context.save()
        }
        let fresh = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try fresh.performAndWait { fresh throws -> Void in
            let leading = try fresh.fetch(FetchRequest<Mood>(\.country != nil)).map { $0.country?.name }
            #expect(leading == ["France"])
        }
    }

    /// What cannot be read is not taken for gone.
    @Test func `a way back that cannot be looked at is taken nevertheless`() throws {
        let context = try emptyContext()
        let country = try context.performAndWait { context throws -> ManagedObjectID in
            fillWithMoods(context)
            try context.save()
            return try #require(try context.fetch(FetchRequest<Country>(\.code == 276)).first).objectID
        }
        try context.performAndWait { context throws -> Void in
            context.refreshAllObjects()
            context.undoManager = UndoManager()
            let mood = try #require(try context.fetch(FetchRequest<Mood>(\.title == "fog")).first)
            mood.country = nil
            try context.save()
            try context.persistentStoreCoordinator.close()
            context.undo()
            #expect(mood.country?.objectID == country)
        }
    }

    /// Found by `ListLawTests`, seed 772.
    @Test func `an insertion that is taken back lets go of what others made lead there`() throws {
        let coordinator = try emptyCoordinator(testModel())
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let other = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let id = try context.performAndWait { context throws -> ManagedObjectID in
            context.undoManager = UndoManager()
            let country = Country.insert(into: context, code: 1, name: "Peru")
            try context.save()
            return country.objectID
        }
        let note = try other.performAndWait { other throws -> SaveNotification in
            let peru = try #require(try other.existingObject(with: id) as? Country)
            Mood.insert(into: other, title: "fog", date: day(1)).country = peru
            return try other.save()
        }
        try context.performAndWait { context throws -> Void in
            try context.mergeChanges(from: note)
            context.undo()
            let mood = try #require(try context.fetch(FetchRequest<Mood>()).first)
            #expect(mood.country == nil)
            try context.save()
            context.redo()
            #expect(mood.country?.name == "Peru")
            try context.save()
        }
        let fresh = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try fresh.performAndWait { fresh throws -> Void in
            let moods = try fresh.fetch(FetchRequest<Mood>())
            #expect(moods.map { $0.country?.name } == ["Peru"])
            let count = try fresh.count(FetchRequest<Country>())
            #expect(count == 1)
        }
    }

    @Test func `an undo behind a save is a change that the next save writes`() throws {
        let coordinator = try emptyCoordinator(testModel())
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        func stored() throws -> [String] {
            try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait { context in
                try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.title))).map {
                    "\($0.title) \($0.rating) \($0.country?.name ?? "-") \($0.swatches.count)"
                }
            }
        }
        try context.performAndWait { context in
            context.undoManager = UndoManager()
            let country = Country.insert(into: context, code: 1, name: "Peru")
            let mood = Mood.insert(into: context, title: "fog", date: day(1))
            mood.country = country
            let swatch = context.insert(Swatch.self)
            (swatch.share, swatch.mood) = (1, mood)
            try context.save()
            mood.rating = 5
            try context.save()
            context.delete(mood)
            try context.save()
        }
        #expect(try stored() == [])
        try context.performAndWait { context in
            context.undo()
            try context.save()
        }
        let one = try stored()
        #expect(one == ["fog 5 Peru 1"])
        try context.performAndWait { context in
            context.undo()
            try context.save()
        }
        let two = try stored()
        #expect(two == ["fog 3 Peru 1"])
        try context.performAndWait { context in
            context.undo()
            try context.save()
            let canUndo = context.undoManager?.canUndo
            #expect(canUndo == false)
        }
        #expect(try stored() == [])
        for wanted in [["fog 3 Peru 1"], ["fog 5 Peru 1"], []] {
            try context.performAndWait { context in
                let canRedo = context.undoManager?.canRedo
                #expect(canRedo == true)
                context.redo()
                try context.save()
            }
            #expect(try stored() == wanted)
        }
        context.performAndWait { context in
            let canRedo = context.undoManager?.canRedo
            #expect(canRedo == false)
        }
    }

    /// The save in between forgets what was added to an owner that has no row.
    @Test func `the deletion of what was never saved is taken back behind a save, with all its members`()
        throws
    {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            context.undoManager = UndoManager()
            let country = Country.insert(into: context, code: 1, name: "Peru")
            let moods = (0..<4).map { Mood.insert(into: context, title: "m\($0)", date: day(Double($0))) }
            for mood in moods { mood.country = country }
            context.processPendingChanges()
            context.delete(country)
            try context.save()
            context.undo()
            #expect(country.moods == Set(moods))
            try context.save()
            context.reset()
            let found = try context.fetch(FetchRequest<Country>()).first?.moods.count
            #expect(found == 4)
        }
    }

    @Test func `a group is what a round of changes made, or what a program put together`() throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            let undo = UndoManager()
            context.undoManager = undo
            let mood = Mood.insert(into: context, title: "a", date: day(1))
            context.processPendingChanges()
            mood.title = "b"
            mood.rating = 1
            context.processPendingChanges()
            undo.beginUndoGrouping()
            mood.title = "c"
            context.processPendingChanges()
            undo.beginUndoGrouping()
            mood.title = "d"
            undo.endUndoGrouping()
            #expect(undo.groupingLevel == 1)
            undo.undoNestedGroup()
            #expect(mood.title == "c")
            mood.rating = 2
            undo.setActionName("Rate")
            undo.endUndoGrouping()
            #expect(undo.undoActionName == "Rate")
            context.undo()
            #expect((mood.title, mood.rating) == ("b", 1))
            #expect(undo.redoActionName == "Rate")
            context.undo()
            #expect((mood.title, mood.rating) == ("a", 3))
            context.undo()
            #expect(mood.isDeleted && !undo.canUndo)
            let count = try context.count(FetchRequest<Mood>())
            #expect(count == 0)
            for _ in 0..<3 { context.redo() }
            #expect((mood.title, mood.rating) == ("c", 2))
            #expect(!undo.canRedo)
        }
    }

    @Test(arguments: [1, 3]) func `so many steps are kept as levels say, one included`(levels: Int) throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            let undo = UndoManager()
            context.undoManager = undo
            let mood = Mood.insert(into: context, title: "0", date: day(1))
            for number in 1...5 {
                context.processPendingChanges()
                mood.title = "\(number)"
            }
            context.processPendingChanges()
            // Those beyond are let go of at once.
            undo.levelsOfUndo = levels
            mood.title = "6"
            for step in 1...levels {
                #expect(undo.canUndo, "\(step)")
                context.undo()
            }
            #expect(mood.title == "\(6 - levels)" && !undo.canUndo && undo.canRedo)
            for _ in 1...levels { context.redo() }
            #expect(mood.title == "6" && !undo.canRedo)
        }
    }

    @Test func `levels that are set later let go of the oldest steps at once`() throws {
        try emptyContext().performAndWait { context in
            let undo = UndoManager()
            context.undoManager = undo
            let mood = Mood.insert(into: context, title: "0", date: day(1))
            for number in 1...5 {
                context.processPendingChanges()
                mood.title = "\(number)"
            }
            context.processPendingChanges()
            undo.levelsOfUndo = 2
            for _ in 0..<9 { context.undo() }
            #expect(mood.title == "3" && !undo.canUndo)
        }
    }

    @Test func `a target whose actions are removed can neither be undone nor redone`() {
        let undo = UndoManager(), kept = Counter(), gone = Counter()
        undo.groupsByEvent = false
        func grouped(_ body: () -> Void) {
            undo.beginUndoGrouping()
            body()
            undo.endUndoGrouping()
        }
        grouped { kept.add(1, undo) }
        grouped { gone.add(1, undo) }
        grouped {
            kept.add(10, undo)
            grouped { gone.add(10, undo) }
        }
        grouped { gone.add(100, undo) }
        undo.undo()
        undo.undo()
        #expect((kept.number, gone.number) == (1, 1) && undo.canUndo && undo.canRedo)
        undo.removeAllActions(withTarget: gone)
        undo.redo()
        undo.redo()
        #expect((kept.number, gone.number) == (11, 1) && !undo.canRedo)
        for _ in 0..<4 { undo.undo() }
        #expect((kept.number, gone.number) == (0, 1) && !undo.canUndo)
    }

    @Test func `a name given inside of nested groups is that of the whole`() {
        let undo = UndoManager(), counter = Counter()
        undo.groupsByEvent = false
        undo.beginUndoGrouping()
        undo.beginUndoGrouping()
        counter.add(1, undo)
        undo.setActionName("Count")
        #expect(undo.undoActionName == "Count")
        undo.endUndoGrouping()
        undo.endUndoGrouping()
        #expect(undo.undoActionName == "Count" && undo.redoActionName.isEmpty)
        undo.undo()
        #expect(undo.undoActionName.isEmpty && undo.redoActionName == "Count")
        undo.redo()
        #expect(undo.undoActionName == "Count" && counter.number == 1)
    }

    @Test func `a name given behind a group is the last group's`() {
        let undo = UndoManager(), counter = Counter()
        undo.groupsByEvent = false
        for name in ["First", "Second"] {
            undo.beginUndoGrouping()
            counter.add(1, undo)
            undo.endUndoGrouping()
            undo.setActionName(name)
        }
        #expect(undo.undoActionName == "Second")
        undo.undo()
        #expect(undo.undoActionName == "First" && undo.redoActionName == "Second")
    }

    @Test func `what was changed before a pause and before a name is in the step that they follow`() throws {
        try edgeContext().performAndWait { context throws -> Void in
            let undo = UndoManager()
            context.undoManager = undo
            let song = context.insert(Song.self)
            context.processPendingChanges()
            song.name = "one"
            undo.setActionName("Name")
            undo.disableUndoRegistration()
            song.name = "two"
            undo.enableUndoRegistration()
            song.stars = 1
            undo.disableUndoRegistration()
            undo.enableUndoRegistration()
            #expect(undo.canUndo)
            context.undo()
            #expect(song.stars == 0)
            #expect(undo.undoActionName == "Name")
            context.undo()
            #expect(song.name == "" && undo.canRedo)
        }
    }

    @Test func `a change that was not yet looked at ends what could be redone`() throws {
        try edgeContext().performAndWait { context throws -> Void in
            let undo = UndoManager()
            context.undoManager = undo
            let song = context.insert(Song.self)
            context.processPendingChanges()
            song.name = "one"
            context.undo()
            #expect(undo.canRedo)
            song.name = "two"
            #expect(!undo.canRedo)
        }
    }

    @Test func `pauses nest, and what comes in a pause is not registered`() {
        let undo = UndoManager(), log = HookCalls()
        func note(_ text: String) { undo.registerUndo(withTarget: log) { $0.calls.append(text) } }
        for _ in 0..<3 { undo.disableUndoRegistration() }
        note("one")
        undo.enableUndoRegistration()
        note("two")
        undo.enableUndoRegistration()
        #expect(!undo.isUndoRegistrationEnabled && !undo.canUndo)
        undo.enableUndoRegistration()
        #expect(undo.isUndoRegistrationEnabled)
        note("three")
        undo.undo()
        #expect(log.calls == ["three"])
    }

    /// What was registered before a group is begun is a step of its own, and inside the last comes first.
    @Test func `a group that is begun ends the step before it`() {
        let undo = UndoManager(), log = HookCalls()
        func note(_ text: String) { undo.registerUndo(withTarget: log) { $0.calls.append(text) } }
        note("before")
        undo.beginUndoGrouping()
        note("a")
        undo.beginUndoGrouping()
        note("b")
        note("c")
        undo.endUndoGrouping()
        note("d")
        undo.endUndoGrouping()
        #expect(undo.groupingLevel == 0)
        undo.undo()
        #expect(log.calls == ["d", "c", "b", "a"])
        undo.undo()
        #expect(log.calls.last == "before" && !undo.canUndo)
    }

    @Test func `a nested group is undone alone, and what is registered later ends every redo`() {
        let undo = UndoManager(), log = HookCalls()
        func note(_ text: String) {
            undo.registerUndo(withTarget: log) { log in
                log.calls.append(text)
                undo.registerUndo(withTarget: log) { $0.calls.append("redo \(text)") }
            }
        }
        undo.beginUndoGrouping()
        note("a")
        undo.beginUndoGrouping()
        note("b")
        undo.endUndoGrouping()
        undo.undoNestedGroup()
        #expect(log.calls == ["b"] && undo.groupingLevel == 1 && undo.canUndo)
        note("c")
        #expect(!undo.canRedo)
        undo.endUndoGrouping()
        undo.setActionName("Write")
        undo.undo()
        #expect(log.calls == ["b", "c", "a"] && undo.redoActionName == "Write")
        #expect(undo.undoActionName.isEmpty && undo.canRedo)
        undo.redo()
        #expect(log.calls.suffix(2) == ["redo a", "redo c"] && undo.undoActionName == "")
    }

    @Test func `an undo ends the group that a program has open`() {
        let undo = UndoManager(), log = HookCalls()
        undo.beginUndoGrouping()
        undo.registerUndo(withTarget: log) { $0.calls.append("one") }
        undo.undo()
        #expect(log.calls == ["one"] && undo.groupingLevel == 0 && !undo.canUndo)
        undo.beginUndoGrouping()
        undo.endUndoGrouping()
        #expect(!undo.canUndo)
    }

    @Test func `a group without a nested one keeps its actions when a nested one is to be undone`() {
        let undo = UndoManager(), log = HookCalls()
        undo.beginUndoGrouping()
        undo.registerUndo(withTarget: log) { $0.calls.append("one") }
        undo.undoNestedGroup()
        #expect(log.calls.isEmpty && undo.groupingLevel == 1)
        undo.endUndoGrouping()
        undo.undo()
        #expect(log.calls == ["one"])
    }

    @Test func `what is forgotten while a group is open is not in it, and the group can be ended`() throws {
        let undo = UndoManager(), log = HookCalls(), other = HookCalls()
        undo.beginUndoGrouping()
        undo.registerUndo(withTarget: log) { $0.calls.append("one") }
        undo.registerUndo(withTarget: other) { $0.calls.append("two") }
        undo.removeAllActions(withTarget: log)
        undo.endUndoGrouping()
        undo.undo()
        #expect(log.calls.isEmpty && other.calls == ["two"])
        try edgeContext().performAndWait { context in
            let undo = UndoManager()
            context.undoManager = undo
            undo.beginUndoGrouping()
            context.insert(Note.self).text = "lost"
            context.rollback()
            let level = undo.groupingLevel
            #expect(level == 1)
            context.insert(Note.self).text = "kept"
            undo.endUndoGrouping()
            try context.save()
            context.undo()
            let end = undo.groupingLevel
            #expect(try context.count(FetchRequest<Note>()) == 0 && end == 0)
        }
    }

    @Test func `an action may roll the context back`() throws {
        try edgeContext().performAndWait { context in
            let undo = UndoManager(), log = HookCalls()
            context.undoManager = undo
            context.insert(Note.self).text = "lost"
            context.processPendingChanges()
            undo.registerUndo(withTarget: log) { log in
                log.calls.append("rolled back")
                context.assumeIsolated { $0.rollback() }
            }
            context.undo()
            let isOver = undo.groupingLevel == 0 && !undo.canUndo && !undo.isUndoing && !context.hasChanges
            let calls = log.calls
            #expect(calls == ["rolled back"] && isOver)
        }
    }

    @Test func `levels, pauses, other actions and what forgets`() throws {
        let context = try emptyContext()
        try context.performAndWait { context throws -> Void in
            let undo = UndoManager(), counter = Counter()
            undo.levelsOfUndo = 2
            context.undoManager = undo
            let mood = Mood.insert(into: context, title: "0", date: day(1))
            for number in 1...5 {
                context.processPendingChanges()
                mood.title = "\(number)"
            }
            for _ in 0..<5 { context.undo() }
            #expect(mood.title == "3")
            undo.disableUndoRegistration()
            mood.title = "unseen"
            undo.enableUndoRegistration()
            #expect(!undo.canUndo)
            // A program's own action is undone in the round of the changes beside it.
            counter.raise(undo)
            mood.title = "seen"
            context.processPendingChanges()
            #expect(counter.number == 1)
            context.undo()
            #expect(counter.number == 0 && mood.title == "unseen")
            context.redo()
            #expect(counter.number == 1 && mood.title == "seen")
            undo.removeAllActions(withTarget: counter)
            context.undo()
            #expect(counter.number == 1 && mood.title == "unseen")
            try context.save()
            mood.title = "x"
            context.rollback()
            #expect(!undo.canUndo && !undo.canRedo)
            mood.title = "y"
            context.reset()
            #expect(!undo.canUndo)
        }
    }

    @Test func `a list follows an undo, and an object whose row is gone is passed over`() throws {
        let coordinator = try emptyCoordinator(testModel())
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        let other = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            fillWithMoods(context)
            try context.save()
            context.undoManager = UndoManager()
            let list = context.list(FetchRequest<Mood>(sortedBy: .ascending(\.title)))
            try list.performFetch()
            let before = list.fetchedObjectIDs
            for (index, mood) in list.fetchedObjects.enumerated() { mood.title = "\(9 - index)" }
            context.processPendingChanges()
            #expect(list.fetchedObjectIDs == before.reversed())
            context.undo()
            context.processPendingChanges()
            #expect(list.fetchedObjectIDs == before)
            context.redo()
        }
        let note = try other.performAndWait { context in
            context.delete(try #require(context.fetch(FetchRequest<Mood>(\.title == "fog")).first))
            return try context.save()
        }
        try context.performAndWait { context in
            try context.mergeChanges(from: note)
            context.undo()
            let titles = try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date))).map(\.title)
            #expect(titles == ["Foggy harbour", "", "caf\u{E9}", "cafe\u{301}"])
            try context.save()
        }
    }
}

private final class Counter {
    var number = 0

    /// A change that registers its own way back.
    func add(_ more: Int, _ undo: UndoManager) {
        number += more
        undo.registerUndo(withTarget: self) { [unowned undo] in $0.add(-more, undo) }
    }

    func raise(_ undo: UndoManager) {
        number += 1
        undo.registerUndo(withTarget: self) { [unowned undo] in $0.lower(undo) }
    }

    func lower(_ undo: UndoManager) {
        number -= 1
        undo.registerUndo(withTarget: self) { [unowned undo] in $0.raise(undo) }
    }
}
