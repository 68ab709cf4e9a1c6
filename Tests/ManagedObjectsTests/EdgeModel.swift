import Foundation
import ManagedObjects

/// A model of what lies at the edges: hooks that set something, chains, large and derived values, counts.
final class Note: ManagedObject {
    @Attribute(.indexed) var text: String = ""
    @Attribute var price: Double = 0
    @Attribute(.externalStorage) var photo: Data?
    @Relationship(inverse: \Binder.notes) var binder: Binder?
}

final class Binder: ManagedObject {
    @Attribute var name: String = ""
    @Relationship(inverse: "binder", deleteRule: .cascade) var notes: Set<Note>
}

/// Sets something in every hook in which Core Data's guide clears caches.
final class Cached: ManagedObject {
    @Attribute var name: String = ""
    @Attribute var seen: Int64 = 0
    @Transient var decoded: [Int]?
    /// How often each hook was called.
    @Transient var calls: [String: Int]?

    private func clear(_ hook: String) {
        decoded = nil
        seen = 7
        HookLog.note(hook)
    }
    override func awake(fromSnapshotEvents events: SnapshotEvents) { clear("awake \(events.rawValue)") }
    override func willTurnIntoFault() { clear("will") }
    override func didTurnIntoFault() { clear("did") }
}

/// Calls of hooks, which run one after the other on one queue of one test.
enum HookLog {
    @TaskLocal static var current: HookCalls?
    static func note(_ hook: String) { current?.calls.append(hook) }
}

final class HookCalls: @unchecked Sendable {
    // @unchecked Sendable because one test uses it from one queue.
    var calls: [String] = []
}

final class Saved: ManagedObject {
    @Attribute var name: String = ""
    override func didSave() { HookLog.note("did save \(name)") }
}

/// A list of objects, each of which goes with the one before; and round in a circle, if a test wants it so.
final class Link: ManagedObject {
    @Attribute var number: Int64 = 0
    @Relationship(inverse: "previous", deleteRule: .cascade) var next: Link?
    @Relationship(inverse: "next") var previous: Link?
}

final class Product: ManagedObject, Managed {
    @Attribute var code: Int64 = 0
    @Attribute var title: String = ""
    @Relationship(inverse: \Crate.products) var crate: Crate?
    override class var uniquenessConstraints: [[String]] { [["code"]] }
}

final class Crate: ManagedObject {
    @Attribute var name: String = ""
    @Relationship(inverse: "crate") var products: Set<Product>
}

final class Rack: ManagedObject {
    @Attribute var name: String = ""
    @Derived("canonical:(name)") var sortName: String?
    @Attribute(.externalStorage) var photo: Data?
}

final class Team: ManagedObject {
    @Attribute var name: String = ""
    @Relationship(inverse: "team", minCount: 2, maxCount: 3) var members: Set<Member>
}

final class Crew: ManagedObject {
    @Relationship(inverse: "crew", isOptional: false) var members: Set<Member>
}

final class Member: ManagedObject {
    @Attribute var name: String = ""
    @Relationship(inverse: \Team.members) var team: Team?
    @Relationship(inverse: \Crew.members) var crew: Crew?
}

final class Playlist: ManagedObject {
    @Attribute var name: String = ""
    @Relationship(inverse: "playlist") var tracks: [Song]
}

final class Song: ManagedObject {
    @Attribute var name: String = ""
    @Attribute var stars: Int64 = 0
    @Relationship(inverse: \Playlist.tracks) var playlist: Playlist?
}

func edgeModel() throws -> ManagedObjectModel {
    try ManagedObjectModel(
        Note.self, Binder.self, Cached.self, Saved.self, Link.self, Product.self, Crate.self, Rack.self,
        Team.self, Crew.self, Member.self, Playlist.self, Song.self)
}

/// A context on an empty store of the kind the test runs on.
func edgeContext() throws -> ManagedObjectContext {
    ManagedObjectContext(persistentStoreCoordinator: try emptyCoordinator(edgeModel()))
}

/// Another context of the same stores.
func another(_ context: ManagedObjectContext) -> ManagedObjectContext {
    ManagedObjectContext(persistentStoreCoordinator: context.persistentStoreCoordinator)
}
