package import DataStacks
package import ManagedObjects
package import MoodyModel
import Synchronization

/// A change of the list of moods.
package struct MoodChange: Sendable {
    package enum Kind: String, Sendable {
        case insert, update, move, delete
        case sectionInsert = "section insert", sectionDelete = "section delete"
    }

    package let kind: Kind
    /// Nil for a section.
    package let objectID: ManagedObjectID?
    /// Where the row was and where it is now, from 0; nil where it was not or is not. Of a section, its
    /// number.
    package let from: Int?, to: Int?
    /// The sections that the row was in and is in; nil in a list without sections.
    package var fromSection: Int?, toSection: Int?
    /// The name of a section.
    package var sectionName: String?
    /// As the mood is now, or was before it went.
    package internal(set) var record: MoodRecord?
    /// Which commit of the run it belongs to, from 1. Positions are of the lists before and after that
    /// commit.
    package let batch: UInt64
}

/// Hears what commits do to the list of moods and hands it on, at once and in order.
///
/// It listens to a fetched results controller on the stack's reader, which fetched its list before the first
/// of these commits and sees commits only. Nobody else tells it anything.
package final class ChangeReport: Sendable {
    private let observation: Mutex<ListObservation?>

    /// - Parameters:
    ///   - shown: what was told of the list's moods, if others may delete some; kept up to date.
    ///   - handler: called on the reader's queue, before the commit's call returns.
    /// - Throws: ``FetchError`` when the list's sections do not lie together; ``StoreError``.
    package init(
        of list: MoodList = MoodList(), in stack: DataStack, knowing shown: ShownMoods? = nil,
        handler: @escaping @Sendable ([MoodChange]) -> Void
    ) throws {
        let request = list.request, section = try list.sectionName(), isSectioned = section != nil
        observation = Mutex(
            try stack.reader.performAndWait { context in
                try context.observe(request, sectionedBy: section, as: { MoodRecord($0) }) { changes in
                    let all = MoodChange.all(of: changes, isSectioned: isSectioned)
                    handler(shown?.completed(all) ?? all)
                }
            })
    }

    /// A report, and the list as it was when the report began.
    ///
    /// Both are made in one block of the stack's reader: no commit lies between them.
    ///
    /// - Throws: ``FetchError``, ``StoreError``.
    package static func begin(
        of list: MoodList, in stack: DataStack, knowing shown: ShownMoods? = nil,
        reading read: @Sendable (MoodSnapshot, isolated ManagedObjectContext) throws -> Void = { _, _ in },
        handler: @escaping @Sendable ([MoodChange]) -> Void
    ) throws -> (ChangeReport, MoodSnapshot) {
        let request = list.request, section = try list.sectionName(), isSectioned = section != nil
        return try stack.reader.performAndWait { context in
            let (observation, start) = try context.observeFromStart(
                request, sectionedBy: section, as: { MoodRecord($0) }
            ) { changes in
                let all = MoodChange.all(of: changes, isSectioned: isSectioned)
                handler(shown?.completed(all) ?? all)
            }
            let snapshot = MoodSnapshot(start, isSectioned: isSectioned)
            try read(snapshot, context)
            return (ChangeReport(observation), snapshot)
        }
    }

    private init(_ observation: ListObservation) { self.observation = Mutex(observation) }

    /// The moods that are shown otherwise when their photos change: by name, as missing, as unreadable.
    ///
    /// For ``DataStacks/DataStack/followOthers(updating:onGap:)``: another process that renames a photo
    /// writes the photo's row alone.
    package static func moods(
        of note: SaveNotification, in context: isolated ManagedObjectContext
    ) throws -> [ManagedObjectID] {
        let photos = note.updatedObjectIDs.filter { $0.entity == "Photo" }
        return try context.objects(Photo.self, with: photos).compactMap { $0.mood?.objectID }
    }

    /// Ends the report.
    package func stop() { observation.withLock { $0 = nil } }
}

extension MoodChange {
    /// In the order of the law: sections that come, rows, sections that go.
    static func all(of changes: ListChanges<MoodRecord>, isSectioned: Bool) -> [MoodChange] {
        let rows = changes.changes.compactMap {
            MoodChange($0, batch: changes.generation, isSectioned: isSectioned)
        }
        if !isSectioned { return rows }
        let sections = changes.sections.map { MoodChange($0, batch: changes.generation) }
        return sections.filter { $0.kind == .sectionInsert } + rows
            + sections.filter { $0.kind == .sectionDelete }
    }

    private init(_ change: SectionChange, batch: UInt64) {
        (objectID, record, self.batch) = (nil, nil, batch)
        switch change {
        case .insert(let name, let index): (kind, from, to, sectionName) = (.sectionInsert, nil, index, name)
        case .delete(let name, let index): (kind, from, to, sectionName) = (.sectionDelete, index, nil, name)
        }
    }

    init?(_ change: ListChanges<MoodRecord>.Change, batch: UInt64, isSectioned: Bool) {
        self.init(change, batch: batch)
        guard isSectioned else { return }
        switch change {
        case .reload: return nil
        case .insert(_, _, let position): toSection = position.section
        case .delete(_, _, let position): fromSection = position.section
        case .update(_, _, let old, let new), .move(_, _, let old, let new):
            (fromSection, toSection) = (old.section, new.section)
        }
    }

    init?(_ change: ListChanges<MoodRecord>.Change, batch: UInt64) {
        self.batch = batch
        switch change {
        case .reload: return nil
        case .insert(let record, let id, let position):
            (kind, objectID, from, to, self.record) = (.insert, id, nil, position.row, record)
        case .delete(let record, let id, let position):
            (kind, objectID, from, to, self.record) = (.delete, id, position.row, nil, record)
        case .update(let record, let id, let old, let new):
            (kind, objectID, from, to, self.record) = (.update, id, old.row, new.row, record)
        case .move(let record, let id, let old, let new):
            (kind, objectID, from, to, self.record) = (.move, id, old.row, new.row, record)
        }
    }

    /// A JSON object on a line of its own.
    package var json: JSON {
        .object(positionFields + (record.map { [("mood", $0.json)] } ?? []))
    }

    /// All but the mood itself.
    var positionFields: [(String, JSON)] {
        var fields: [(String, JSON)] = [
            ("v", 1), ("change", .string(kind.rawValue)), ("batch", .number(Int64(batch))),
        ]
        if let objectID { fields.append(("id", .number(objectID.key))) }
        if let sectionName { fields.append(("name", .string(sectionName))) }
        if let from { fields.append(("from", position(from, fromSection))) }
        if let to { fields.append(("to", position(to, toSection))) }
        return fields
    }

    /// `3`, or in a list with sections `[1, 3]`.
    private func position(_ row: Int, _ section: Int?) -> JSON {
        guard let section else { return .number(Int64(row)) }
        return .array([.number(Int64(section)), .number(Int64(row))])
    }

    /// "+", "~", ">", "-": what a line of the report begins with.
    package var sign: String {
        switch kind {
        case .insert, .sectionInsert: "+"
        case .update: "~"
        case .move: ">"
        case .delete, .sectionDelete: "-"
        }
    }
}
