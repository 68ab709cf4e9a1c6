import Foundation
import Testing

@testable import ManagedObjects

/// What a save checks and writes of an owner does not depend on whether the owner is in memory.
@Suite struct OwnerTests {
    @Test(.everyStore, arguments: [true, false])
    func `a team that loses too many members is refused`(isInMemory: Bool) throws {
        let context = try edgeContext()
        let (team, member) = try context.performAndWait { context in
            let team = context.insert(Team.self)
            for _ in 0..<2 { context.insert(Member.self).team = team }
            try context.save()
            return (team.reference, try #require(team.members.first).reference)
        }
        try another(context).performAndWait { context in
            let held = isInMemory ? context[team] : nil
            let leaving = try #require(context[member])
            leaving.team = nil
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.failures.map(\.rule) == [.tooFew(minimum: 2)])
            #expect(error?.failures.map(\.object) == [team.objectID])
            withExtendedLifetime(held) {}
            context.rollback()
            // The same when the member goes.
            context.delete(leaving)
            #expect(throws: ValidationError.self) { try context.save() }
        }
    }

    @Test(.everyStore, arguments: [true, false])
    func `a crew that must have somebody and loses the last is refused`(isInMemory: Bool) throws {
        let context = try edgeContext()
        let (crew, member) = try context.performAndWait { context in
            let crew = context.insert(Crew.self), member = context.insert(Member.self)
            member.crew = crew
            try context.save()
            return (crew.reference, member.reference)
        }
        try another(context).performAndWait { context in
            let held = isInMemory ? context[crew] : nil
            try #require(context[member]).crew = nil
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.failures.map(\.rule) == [.missingValue])
            withExtendedLifetime(held) {}
        }
    }

    @Test(.everyStore) func `a track appended last stays last, though its row is merged before the save`()
        throws
    {
        let context = try edgeContext()
        let (playlist, late) = try context.performAndWait { context in
            let playlist = context.insert(Playlist.self)
            for name in ["one", "two"] {
                let track = context.insert(Song.self)
                track.name = name
                track.playlist = playlist
            }
            let late = context.insert(Song.self)
            late.name = "late"
            try context.save()
            return (playlist.reference, late.reference)
        }
        try another(context).performAndWait { context in
            let track = try #require(context[late])
            track.playlist = context[playlist]
            let note = try another(context).performAndWait { other in
                try #require(other[late]).stars = 5
                return try other.save()
            }
            try context.mergeChanges(from: note)
            try context.save()
            #expect(track.stars == 5)
        }
        let names = try another(context).performAndWait { try #require($0[playlist]).tracks.map(\.name) }
        #expect(names == ["one", "two", "late"])
    }

    @Test(.everyStore) func `appending to a list that can be undone keeps no copy of it for each step`()
        throws
    {
        try edgeContext().performAndWait { context in
            context.undoManager = UndoManager()
            let playlist = context.insert(Playlist.self)
            try context.save()
            for number in 0..<5 {
                let track = context.insert(Song.self)
                track.name = "\(number)"
                track.playlist = playlist
            }
            context.processPendingChanges()
            playlist.tracks[2].playlist = nil
            context.processPendingChanges()
            #expect(playlist.tracks.map(\.name) == ["0", "1", "3", "4"])
            context.undo()
            #expect(playlist.tracks.map(\.name) == ["0", "1", "2", "3", "4"])
            context.undo()
            #expect(playlist.tracks.isEmpty)
            context.redo()
            context.redo()
            #expect(playlist.tracks.map(\.name) == ["0", "1", "3", "4"])
            context.undo()
            try context.save()
        }
    }
}
