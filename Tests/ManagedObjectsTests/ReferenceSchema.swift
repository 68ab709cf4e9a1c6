import Foundation
import ManagedObjects

/// A town: every kind of relationship there is, and inheritance.
class Thing: ManagedObject {
    @Attribute var name: String = ""
    @Attribute(.indexed) var number: Int64 = 0
    @Attribute(.externalStorage) var picture: Data?
    @Derived("canonical:(name)") var sortName: String?
    /// Cleared in each hook in which caches are cleared.
    @Transient var cache: Int?
    override func awakeFromFetch() { cache = 1 }
    override func awake(fromSnapshotEvents events: SnapshotEvents) { cache = nil }
    override func willTurnIntoFault() { cache = nil }
    override func didTurnIntoFault() { cache = nil }
    override class var isAbstractEntity: Bool { self == Thing.self }
}

class Resident: Thing {
    @Relationship(inverse: \Place.residents) var home: Place?
    @Relationship(inverse: "reports") var boss: Resident?
    @Relationship(inverse: \Resident.boss) var reports: Set<Resident>
    @Relationship(inverse: "holder", deleteRule: .cascade) var badge: Pass?
    @Relationship(inverse: \Club.members) var clubs: Set<Club>
    @Relationship(inverse: "friends") var friends: Set<Resident>
    @Relationship(inverse: \Event.guests) var invitations: Set<Event>
}

/// Declared before its parent in the model, with a property of its own.
final class Pupil: Resident {
    @Attribute var school: String = "none"
}

final class Place: Thing {
    @Relationship(inverse: "home") var residents: Set<Resident>
    /// Nothing leads back.
    @Relationship(inverse: nil) var statues: Set<Statue>
}

final class Club: Thing {
    @Relationship(inverse: "clubs") var members: Set<Resident>
    @Relationship(inverse: "club", deleteRule: .cascade) var events: [Event]
}

final class Event: Thing {
    @Relationship(inverse: \Club.events) var club: Club?
    @Relationship(inverse: "invitations") var guests: [Resident]
}

final class Pass: Thing {
    @Relationship(inverse: \Resident.badge) var holder: Resident?
    /// Nothing leads back.
    @Relationship(inverse: nil) var place: Place?
}

final class Statue: Thing {}

func referenceSchema() throws -> ManagedObjectModel {
    try ManagedObjectModel(
        Pupil.self, Thing.self, Resident.self, Place.self, Club.self, Event.self, Pass.self, Statue.self)
}
