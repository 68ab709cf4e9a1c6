import Foundation
import Testing

@testable import ManagedObjects

/// An object's life at its edges: hooks that set something, cascades of any depth, graphs that are thrown
/// away.
@Suite struct ObjectLifeTests {
    @Test(.everyStore) func `a hook that clears a cache leaves no change behind, whatever calls it`() throws {
        let calls = HookCalls()
        try HookLog.$current.withValue(calls) {
            try edgeContext().performAndWait { context in
                let object = context.insert(Cached.self)
                object.name = "one"
                object.decoded = [1]
                try context.save()
                func check(_ context: isolated ManagedObjectContext, _ doing: String) {
                    let isChanged = object.isUpdated || context.hasChanges
                    #expect(!isChanged, "after \(doing)")
                }
                object.name = "two"
                context.rollback()
                #expect(object.name == "one")
                check(context, "a rollback")
                context.refresh(object, mergeChanges: false)
                #expect(object.isFault)
                check(context, "a refresh")
                #expect(object.name == "one" && object.seen == 0)
                context.refreshAllObjects()
                #expect(object.isFault)
                #expect(object.name == "one")
                let note = try another(context).performAndWait { other in
                    try #require(other.fetch(FetchRequest<Cached>()).first).name = "theirs"
                    return try other.save()
                }
                try context.mergeChanges(from: note)
                #expect(object.name == "theirs")
                check(context, "a merge")
                // What is changed now is saved: the object is not believed to be listed.
                object.name = "three"
                let isChanged = object.isUpdated && context.hasChanges
                #expect(isChanged)
                #expect(try context.save().updatedObjectIDs == [object.objectID])
            }
        }
        #expect(Set(calls.calls) == ["awake 2", "awake 4", "will", "did"])
    }

    @Test func `what a hook sets after the last change is what the next fetch finds in the store`() throws {
        let context = try edgeContext()
        try context.performAndWait { context in
            let object = context.insert(Cached.self)
            object.name = "one"
            try context.save()
            object.name = "two"
            context.rollback()
            object.name = "three"
            try context.save()
        }
        let names = try another(context).performAndWait {
            try $0.fetch(FetchRequest<Cached>()).map(\.name)
        }
        #expect(names == ["three"])
    }

    @Test func `didSave is called for what was inserted, updated and deleted`() throws {
        let calls = HookCalls()
        try HookLog.$current.withValue(calls) {
            try edgeContext().performAndWait { context in
                let a = context.insert(Saved.self), b = context.insert(Saved.self)
                (a.name, b.name) = ("a", "b")
                try context.save()
                a.name = "c"
                context.delete(b)
                try context.save()
            }
        }
        #expect(calls.calls == ["did save a", "did save b", "did save c", "did save b"])
    }

    /// Worker threads of Dispatch have stacks of half a megabyte.
    @Test func `a cascade goes through 100,000 objects in a row, and so does letting go of them`()
        async throws
    {
        let context = try edgeContext()
        let count = 100_000
        let head = try await context.perform { context in
            let head = context.insert(Link.self)
            var last = head
            for number in 1..<count {
                let link = context.insert(Link.self)
                link.number = Int64(number)
                last.next = link
                last = link
            }
            try context.save()
            return head.reference
        }
        let left = try await context.perform { context in
            // Held by nothing but each other.
            context.reset()
            var link = context[head]
            for _ in 1..<count { link = link?.next }
            #expect(link?.number == Int64(count - 1))
            link = nil
            context.refreshAllObjects()
            return try context.count(FetchRequest<Link>())
        }
        #expect(left == count)
        let deleted = try await context.perform { context in
            context.delete(try #require(context[head]))
            return try context.save().deletedObjectIDs.count
        }
        #expect(deleted == count)
        #expect(try await context.perform { try $0.count(FetchRequest<Link>()) } == 0)
    }

    @Test(.everyStore) func `a circular cascade deletes each once, and undo brings all back`() throws {
        try edgeContext().performAndWait { context in
            context.undoManager = UndoManager()
            let links = (0..<4).map { _ in context.insert(Link.self) }
            for (number, link) in links.enumerated() {
                link.number = Int64(number)
                link.next = links[(number + 1) % 4]
            }
            try context.save()
            context.undoManager?.removeAllActions()
            context.delete(links[2])
            context.processPendingChanges()
            #expect(context.deletedObjects.count == 4)
            context.undo()
            let isChanged = context.hasChanges
            #expect(!isChanged)
            for (number, link) in links.enumerated() { #expect(link.next === links[(number + 1) % 4]) }
            context.redo()
            #expect(try context.save().deletedObjectIDs.count == 4)
            context.undo()
            try context.save()
        }
    }

    /// An insertion that is undone after its save is deleted with its delete rules, which come round to it.
    @Test(.everyStore) func `an insertion in a circle that was saved is withdrawn with all of it`() throws {
        try edgeContext().performAndWait { context in
            context.undoManager = UndoManager()
            let first = context.insert(Link.self), second = context.insert(Link.self)
            first.next = second
            second.next = first
            context.processPendingChanges()
            try context.save()
            context.undo()
            #expect(first.isDeleted && second.isDeleted)
            #expect(try context.save().deletedObjectIDs.count == 2)
            #expect(try context.count(FetchRequest<Link>()) == 0)
        }
    }

    @Test func `a graph that is rolled back is let go of`() throws {
        try edgeContext().performAndWait { context in
            weak var binder: Binder?
            weak var note: Note?
            func make(_ context: isolated ManagedObjectContext) {
                let new = context.insert(Binder.self)
                for _ in 0..<3 { context.insert(Note.self).binder = new }
                #expect(new.notes.count == 3)
                (binder, note) = (new, new.notes.first)
            }
            make(context)
            context.rollback()
            #expect(binder == nil && note == nil)
        }
    }

    @Test func `a fault lets go of its members too, and reads them again`() throws {
        let context = try edgeContext()
        let binder = try context.performAndWait { context in
            let binder = context.insert(Binder.self)
            context.insert(Note.self).binder = binder
            try context.save()
            return binder.reference
        }
        try context.performAndWait { context in
            context.reset()
            var request = FetchRequest<Binder>()
            request.returnsObjectsAsFaults = true
            let fault = try context.fetch(request)[0]
            #expect(fault.notes.count == 1 && fault.isFault)
            try another(context).performAndWait { other in
                other.insert(Note.self).binder = other[binder]
                try other.save()
            }
            context.refresh(fault, mergeChanges: false)
            #expect(fault.notes.count == 2)
            try another(context).performAndWait { other in
                other.insert(Note.self).binder = other[binder]
                try other.save()
            }
            context.refreshAllObjects()
            #expect(fault.notes.count == 3)
        }
    }

    @Test func `an object whose row is gone fails the fetch that follows, and no save of other changes`()
        throws
    {
        let context = try edgeContext()
        try context.performAndWait { context in
            let gone = context.insert(Note.self), other = context.insert(Note.self)
            try context.save()
            context.refreshAllObjects()
            let reference = gone.reference
            try another(context).performAndWait { elsewhere in
                elsewhere.delete(try #require(elsewhere[reference]))
                try elsewhere.save()
            }
            #expect(gone.text == "")
            other.text = "kept"
            #expect(try context.save().updatedObjectIDs == [other.objectID])
            #expect(context.takeFaultErrors().map { "\($0)" } == ["\(gone.objectID) no longer exists"])
            #expect(context.takeFaultErrors().isEmpty)
        }
    }

    @Test func `a change of an object whose row is gone fails the save`() throws {
        let context = try edgeContext()
        try context.performAndWait { context in
            let gone = context.insert(Note.self)
            try context.save()
            context.refreshAllObjects()
            let reference = gone.reference
            try another(context).performAndWait { elsewhere in
                elsewhere.delete(try #require(elsewhere[reference]))
                try elsewhere.save()
            }
            gone.text = "lost"
            #expect(throws: StoreError.objectGone(gone.objectID)) { try context.save() }
        }
    }

    @Test func `performChanges tells what was saved, and why nothing was`() async throws {
        let context = try edgeContext()
        let saved = await withCheckedContinuation { continuation in
            context.performChanges(completion: { continuation.resume(returning: $0) }) { context in
                context.insert(Note.self).text = "kept"
            }
        }
        #expect(try saved.get().insertedObjectIDs.count == 1)
        let refused = await withCheckedContinuation { continuation in
            context.performChanges(completion: { continuation.resume(returning: $0) }) { context in
                let team = context.insert(Team.self)
                context.insert(Member.self).team = team
            }
        }
        #expect(throws: ValidationError.self) { try refused.get() }
        #expect(await context.perform { $0.hasChanges } == false)
    }
}
