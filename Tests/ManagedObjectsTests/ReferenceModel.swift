import Foundation

/// The graph as it ought to be, as plainly as possible: each relationship is stored on one side, and the
/// other is found by looking at every row. No library, no cache.
struct ReferenceModel: Equatable {
    enum Kind: String, CaseIterable { case resident, pupil, place, club, event, pass, statue }

    struct Row: Equatable {
        let kind: Kind
        var name = "", number: Int64 = 0
        var home: Int?, boss: Int?, badge: Int?
        var clubs: Set<Int> = [], friends: Set<Int> = []
        /// Of a club, of an event: in order.
        var events: [Int] = [], guests: [Int] = []
        var statues: Set<Int> = []
        var place: Int?
        /// Which picture it has: see ``bytes(ofPicture:)``.
        var picture: Int64?
    }

    /// Every second picture is too large for a row.
    static func bytes(ofPicture picture: Int64) -> Data {
        Data(repeating: UInt8(picture), count: picture % 2 == 0 ? 200 : 110 * 1024)
    }

    var rows: [Int: Row] = [:]

    func of(_ kinds: Kind...) -> [Int] { rows.filter { kinds.contains($0.value.kind) }.keys.sorted() }
    func residents(of place: Int) -> Set<Int> { Set(rows.filter { $0.value.home == place }.keys) }
    func reports(of boss: Int) -> Set<Int> { Set(rows.filter { $0.value.boss == boss }.keys) }
    func holder(of pass: Int) -> Int? { rows.first { $0.value.badge == pass }?.key }
    func members(of club: Int) -> Set<Int> { Set(rows.filter { $0.value.clubs.contains(club) }.keys) }
    func club(of event: Int) -> Int? { rows.first { $0.value.events.contains(event) }?.key }
    func invitations(of resident: Int) -> Set<Int> {
        Set(rows.filter { $0.value.guests.contains(resident) }.keys)
    }

    mutating func setBadge(_ resident: Int, _ pass: Int?) {
        if let pass { for key in rows.keys where rows[key]?.badge == pass { rows[key]?.badge = nil } }
        rows[resident]?.badge = pass
    }

    mutating func setClub(_ event: Int, _ club: Int?) {
        if self.club(of: event) == club { return }
        for key in rows.keys { rows[key]?.events.removeAll { $0 == event } }
        if let club { rows[club]?.events.append(event) }
    }

    mutating func setStatues(_ place: Int, _ statues: Set<Int>) {
        for key in rows.keys { rows[key]?.statues.subtract(statues) }
        rows[place]?.statues = statues
    }

    mutating func befriend(_ a: Int, _ b: Int, _ are: Bool) {
        if are {
            rows[a]?.friends.insert(b)
            rows[b]?.friends.insert(a)
        } else {
            rows[a]?.friends.remove(b)
            rows[b]?.friends.remove(a)
        }
    }

    mutating func delete(_ id: Int) {
        guard let row = rows[id] else { return }
        remove(id)
        if let badge = row.badge { delete(badge) }
        for event in row.events { delete(event) }
    }

    /// Without what goes with it.
    mutating func remove(_ id: Int) {
        rows[id] = nil
        for key in rows.keys {
            if rows[key]?.home == id { rows[key]?.home = nil }
            if rows[key]?.boss == id { rows[key]?.boss = nil }
            if rows[key]?.badge == id { rows[key]?.badge = nil }
            rows[key]?.clubs.remove(id)
            rows[key]?.friends.remove(id)
            rows[key]?.events.removeAll { $0 == id }
            rows[key]?.guests.removeAll { $0 == id }
            rows[key]?.statues.remove(id)
            if rows[key]?.place == id { rows[key]?.place = nil }
        }
    }
}

/// A random operation on the graph. One number decides the kind and its subjects, so that a run can be
/// written down as numbers and made shorter by leaving some out.
struct GraphOperation: CustomStringConvertible {
    enum Kind: CaseIterable {
        case createResident, createPupil, createPlace, createClub, createEvent, createPass, createStatue
        case setNumber, setHome, setBoss, setResidents, setBadge, toggleMembership, toggleFriendship
        case setClub, turnEvents, setGuests, setStatues, delete, deleteClub
        case save, rollback, refresh, undo, redo, push, batchUpdate, batchDelete, setPicture, saveInCallback

        /// How often the kind comes up, beside others that have 1.
        var weight: Int {
            switch self {
            case .undo, .setPicture: 3
            case .createResident, .setNumber, .setHome, .delete, .save: 2
            default: 1
            }
        }
    }

    let number: UInt64

    init(number: UInt64) { self.number = number }
    /// An operation of a kind; `rest` decides all else.
    init(_ kind: Kind, _ rest: UInt64) {
        number = UInt64(Self.table.firstIndex(of: kind) ?? 0) + UInt64(Self.table.count) * rest
    }

    /// Each kind as many times as its weight says.
    private static let table = Kind.allCases.flatMap { Array(repeating: $0, count: $0.weight) }
    var kind: Kind { Self.table[Int(number % UInt64(Self.table.count))] }
    /// One of `all`, nil when there is none.
    func pick(_ all: [Int], _ position: Int) -> Int? {
        all.isEmpty ? nil : all[Int((number >> (8 + UInt64(position) * 12)) % UInt64(all.count))]
    }
    var value: Int64 { Int64((number >> 40) % 7) }
    /// Every other number leaves out what could be there.
    var isNothing: Bool { (number >> 50) % 4 == 0 }
    var description: String { "\(kind):\(number)" }
}
