import Foundation
import Testing

@testable import ManagedObjects

/// Ordered relationships that two contexts change at once: nobody is lost, and an order that was given stays.
@Suite(.everyStore) struct OrderedMergeTests {
    enum Ground: CaseIterable { case store, parent }

    /// Two playlists, p with the songs a, b, c and q with x, y, z, as short as that: `p:abc q:xyz`.
    struct Case: CustomTestStringConvertible {
        /// What each context changes, playlist by playlist; `-` deletes, `*` changes a song and no list.
        let mine: String, theirs: String
        let wanted: String
        /// Whether both change one song, so that a save without a merge is refused.
        var meets = false
        var testDescription: String { "\(mine), \(theirs): \(wanted)" }
    }

    static let cases: [Case] = [
        Case(mine: "p:xabc", theirs: "*x", wanted: "p:xabc q:yz", meets: true),
        Case(mine: "p:axbc", theirs: "p:abcx", wanted: "p:axbc q:yz", meets: true),
        Case(mine: "p:axbc", theirs: "*y", wanted: "p:axbc q:yz"),
        Case(mine: "p:cba", theirs: "p:abcy", wanted: "p:cbay q:xz"),
        Case(mine: "p:bca", theirs: "p:abcx", wanted: "p:bcax q:yz"),
        Case(mine: "p:cba", theirs: "q:xyzb", wanted: "p:ca q:xyzb"),
        Case(mine: "p:bca", theirs: "-c", wanted: "p:ba q:xyz"),
        Case(mine: "p:abcz", theirs: "p:abcx", wanted: "p:abcxz q:y"),
        Case(mine: "q:zyxa", theirs: "p:acb", wanted: "p:cb q:zyxa"),
        Case(mine: "p:cba", theirs: "p:bca", wanted: "p:cba q:xyz", meets: true),
    ]

    @Test func `members that a batch request makes are behind those that have a place`() throws {
        let context = try context()
        try context.performAndWait { context in
            let list = try #require(try context.fetch(FetchRequest<Playlist>(\.name == "p")).first)
            try context.execute(
                BatchInsertRequest(
                    Song.self,
                    objects: [
                        ["name": "n", "playlist": list.objectID], ["name": "o", "playlist": list.objectID],
                    ]
                ))
        }
        func tracks() throws -> String {
            try another(context).performAndWait { context in
                try context.fetch(FetchRequest<Playlist>(\.name == "p")).first?.tracks.map(\.name).joined()
                    ?? ""
            }
        }
        #expect(try tracks() == "abcno")
        try another(context).performAndWait { context in
            let song = context.insert(Song.self)
            song.name = "q"
            let list = try #require(try context.fetch(FetchRequest<Playlist>(\.name == "p")).first)
            list.tracks.append(song)
            try context.save()
        }
        #expect(try tracks() == "abcnoq")
    }

    private func context() throws -> ManagedObjectContext {
        let context = try edgeContext()
        try context.performAndWait { context in
            // The songs of q have the lower keys.
            for (list, names) in [("q", "xyz"), ("p", "abc")] {
                let playlist = context.insert(Playlist.self)
                playlist.name = list
                for name in names {
                    let song = context.insert(Song.self)
                    (song.name, song.playlist) = ("\(name)", playlist)
                }
            }
            try context.save()
        }
        return context
    }

    private func song(_ name: Character, _ context: isolated ManagedObjectContext) throws -> Song {
        try #require(try context.fetch(FetchRequest<Song>(\.name == "\(name)")).first)
    }

    private func list(_ name: String, _ context: isolated ManagedObjectContext) throws -> Playlist {
        try #require(try context.fetch(FetchRequest<Playlist>(\.name == name)).first)
    }

    private func apply(_ change: String, _ context: isolated ManagedObjectContext) throws {
        switch change.first {
        case "-": context.delete(try song(change.last ?? "?", context))
        case "*": try song(change.last ?? "?", context).stars += 1
        default:
            let list = try list("\(change.prefix(1))", context)
            list.tracks = try change.dropFirst(2).map { try song($0, context) }
        }
    }

    private func found(_ context: isolated ManagedObjectContext) throws -> String {
        try context.fetch(FetchRequest<Playlist>(sortedBy: .ascending(\.name))).map {
            "\($0.name):\($0.tracks.map(\.name).joined())"
        }.joined(separator: " ")
    }

    @Test(arguments: cases, Ground.allCases)
    func `an order here, and songs that came, went, and changed there`(it: Case, ground: Ground) throws {
        for isMerged in it.meets ? [true] : [true, false] {
            let below = try context()
            @Sendable func other() -> ManagedObjectContext {
                ground == .store ? another(below) : ManagedObjectContext(parent: below)
            }
            try other().performAndWait { context in
                _ = try found(context)
                try apply(it.mine, context)
                let note = try other().performAndWait { theirs in
                    try apply(it.theirs, theirs)
                    return try theirs.save()
                }
                if isMerged {
                    try context.mergeChanges(from: note)
                    #expect(try found(context) == it.wanted, "before the save")
                    for list in try context.fetch(FetchRequest<Playlist>()) {
                        #expect(Set(list.tracks).count == list.tracks.count)
                        #expect(list.tracks.allSatisfy { $0.playlist === list })
                    }
                }
                try context.save()
                if isMerged { #expect(try found(context) == it.wanted, "after the save") }
            }
            if ground == .parent { try below.performAndWait { _ = try $0.save() } }
            #expect(try another(below).performAndWait { try found($0) } == it.wanted, "merged: \(isMerged)")
        }
    }

    @Test func `a song that is taken out and put in again comes last, and back by undo`() throws {
        let below = try context()
        try another(below).performAndWait { context in
            context.undoManager = UndoManager()
            let list = try list("p", context), a = try song("a", context), b = try song("b", context)
            let members = try list.mutableOrderedSetValue(forKey: "tracks")
            members.remove(a)
            try members.add(a)
            #expect(list.tracks.map(\.name) == ["b", "c", "a"])
            context.processPendingChanges()
            // From the other end; what is put in again can be taken out again.
            b.playlist = nil
            b.playlist = list
            b.playlist = nil
            context.processPendingChanges()
            #expect(list.tracks.map(\.name) == ["c", "a"])
            b.playlist = list
            #expect(try found(context) == "p:cab q:xyz")
            context.processPendingChanges()
            context.undo()
            #expect(try found(context) == "p:ca q:xyz")
            context.undo()
            #expect(try found(context) == "p:bca q:xyz")
            context.undo()
            #expect(try found(context) == "p:abc q:xyz")
            let hasChanges = context.hasChanges
            #expect(!hasChanges)
            for _ in 0..<3 { context.redo() }
            #expect(try found(context) == "p:cab q:xyz")
            try context.save()
            #expect(try found(context) == "p:cab q:xyz")
        }
        #expect(try another(below).performAndWait { try found($0) } == "p:cab q:xyz")
    }

    @Test func `an order that an undo behind a save brings back is saved, and so is what redo makes`() throws
    {
        let below = try context()
        try another(below).performAndWait { context in
            context.undoManager = UndoManager()
            try apply("p:cab", context)
            context.processPendingChanges()
            try context.save()
            for (isUndo, wanted) in [(true, "p:abc q:xyz"), (false, "p:cab q:xyz"), (true, "p:abc q:xyz")] {
                isUndo ? context.undo() : context.redo()
                let hasChanges = context.hasChanges
                #expect(hasChanges)
                #expect(try found(context) == wanted)
                try context.save()
                #expect(try another(context).performAndWait { try found($0) } == wanted)
            }
        }
    }

    @Test func `a song that came back here and went elsewhere there is elsewhere`() throws {
        try another(context()).performAndWait { context in
            let list = try list("p", context), a = try song("a", context)
            a.playlist = nil
            a.playlist = list
            let note = try another(context).performAndWait { theirs in
                try apply("q:xyza", theirs)
                return try theirs.save()
            }
            try context.mergeChanges(from: note)
            #expect(try found(context) == "p:bc q:xyza")
            try context.save()
            #expect(try another(context).performAndWait { try found($0) } == "p:bc q:xyza")
        }
    }

    @Test func `a deleted song that comes back by a policy is in the order, here as there`() throws {
        try another(context()).performAndWait { context in
            context.mergePolicy = .mergeByPropertyStoreTrump
            try apply("p:cba", context)
            try apply("-b", context)
            _ = try another(context).performAndWait { theirs in
                try apply("*b", theirs)
                return try theirs.save()
            }
            try context.save()
            #expect(try found(context) == "p:cab q:xyz")
            #expect(try another(context).performAndWait { try found($0) } == "p:cab q:xyz")
        }
    }

    @Test func `an order, and who came and went, are taken back with the changes of their list`() throws {
        try another(context()).performAndWait { context in
            let list = try list("p", context), a = try song("a", context)
            try apply("p:cba", context)
            context.refresh(list, mergeChanges: false)
            #expect(try found(context) == "p:abc q:xyz")
            a.playlist = nil
            a.playlist = list
            context.refresh(list, mergeChanges: false)
            #expect(try found(context) == "p:abc q:xyz")
            try context.save()
            #expect(try another(context).performAndWait { try found($0) } == "p:abc q:xyz")
        }
    }
}
