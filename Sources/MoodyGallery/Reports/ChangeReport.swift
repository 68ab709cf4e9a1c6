public import DataStacks
public import ManagedObjects
import MoodyModel
import Synchronization

/// One change of the list of moods.
public struct MoodChange: Sendable {
    public enum Kind: String, Sendable {
        case insert, update, move, delete
    }

    public let kind: Kind
    public let objectID: ManagedObjectID
    /// Where the row was and where it is now, from 0; nil where it was not or is not.
    public let from: Int?, to: Int?
    /// As the mood is now, or was before it went.
    public let record: MoodRecord?
    /// Which commit of the run it belongs to, from 1. Places are of the lists before and after that commit.
    public let batch: UInt64
}

/// Hears what commits do to the list of moods and hands it on, at once and in order.
///
/// It listens to a fetched results controller on the stack's reader, which fetched its list before the first
/// of these commits and sees commits only. Nobody else tells it anything.
public final class ChangeReport: Sendable {
    private let observation: Mutex<ListObservation?>

    /// - Parameter handler: called on the reader's queue, before the commit's call returns.
    /// - Throws: ``StoreError``.
    public init(
        of list: MoodList = MoodList(), in stack: DataStack,
        handler: @escaping @Sendable ([MoodChange]) -> Void
    )
        throws
    {
        let request = list.request
        observation = Mutex(
            try stack.reader.performAndWait { context in
                try context.observe(request, as: { MoodRecord($0) }) { changes in
                    handler(changes.changes.compactMap { MoodChange($0, batch: changes.generation) })
                }
            })
    }

    /// Ends the report.
    public func stop() { observation.withLock { $0 = nil } }
}

extension MoodChange {
    init?(_ change: ListChanges<MoodRecord>.Change, batch: UInt64) {
        self.batch = batch
        switch change {
        case .reload: return nil
        case .insert(let record, let id, let place):
            (kind, objectID, from, to, self.record) = (.insert, id, nil, place.row, record)
        case .delete(let record, let id, let place):
            (kind, objectID, from, to, self.record) = (.delete, id, place.row, nil, record)
        case .update(let record, let id, let old, let new):
            (kind, objectID, from, to, self.record) = (.update, id, old.row, new.row, record)
        case .move(let record, let id, let old, let new):
            (kind, objectID, from, to, self.record) = (.move, id, old.row, new.row, record)
        }
    }

    /// One JSON object in one line.
    public var json: JSON {
        var fields: [(String, JSON)] = [
            ("v", 1), ("change", .string(kind.rawValue)), ("batch", .number(Int64(batch))),
            ("id", .number(objectID.key)),
        ]
        if let from { fields.append(("from", .number(Int64(from)))) }
        if let to { fields.append(("to", .number(Int64(to)))) }
        if let record { fields.append(("mood", record.json)) }
        return .object(fields)
    }

    /// "+", "~", ">", "-": what a line of the report begins with.
    public var sign: String {
        switch kind {
        case .insert: "+"
        case .update: "~"
        case .move: ">"
        case .delete: "-"
        }
    }
}
