package import DataStacks
import Foundation
import ManagedObjects
package import MoodyModel
import Synchronization
import Texts

/// A list of moods with each row encoded, kept up to date with its store: what a page begins with, and the
/// frames that bring the page up to date.
///
/// Applies the same changes by the same law as the page does. Any thread may ask.
package final class LiveList: Sendable {
    package struct Section: Sendable, Equatable {
        package let name: String
        package var count: Int
    }

    /// The list at one generation.
    package struct Snapshot: Sendable {
        /// Tells this list from that of an earlier run of the server.
        package let list: String
        package let generation: UInt64
        /// A list without sections has a single one without a name.
        package let sections: [Section]
        package let rows: [LiveRow]

        /// `{"v":1,"list":"7f3a9c21","generation":42,"count":1234,"sections":[["2026-11",12]]}`
        package var head: JSON {
            .object([
                ("v", 1), ("list", .string(list)), ("generation", .number(Int64(clamping: generation))),
                ("count", .number(Int64(rows.count))),
                (
                    "sections",
                    .array(sections.map { .array([.string($0.name), .number(Int64($0.count))]) })
                ),
            ])
        }
    }

    /// How a viewer begins.
    package enum Join: Sendable {
        /// It has the list at this generation, and these frames are missing.
        case resume([LiveFrame], from: UInt64)
        /// It must fetch the list.
        case reload(reason: String)
    }

    /// News of a list, sent on the queue of the stack's reader.
    package enum News: Sendable {
        case frame(LiveFrame)
        /// The change is too large to be sent as a frame.
        case reload(generation: UInt64, reason: String)
        /// The list does not agree with its report any more and must be replaced.
        case broken(reason: String)
    }

    struct State: Sendable {
        var generation: UInt64 = 0
        var sections: [Section] = []
        var rows: [LiveRow] = []
        var ring: ListRing
    }

    /// Limits of what is kept and sent.
    package struct Limits: Sendable {
        package var ringFrames = 256, ringBytes = 4 << 20, frameBytes = 512 << 10
        package init() {}
    }

    /// Eight hexadecimal digits, of this run alone.
    package let name: String
    package let privacy: PagePrivacy
    private let limits: Limits
    private let keepsRows: Bool
    private let state: Mutex<State>
    private let report = Mutex<ChangeReport?>(nil)

    /// Reads the list and follows it from there.
    ///
    /// - Parameters:
    ///   - keepsRows: whether the snapshot's rows have their facts, or their numbers alone.
    ///   - tell: called on the queue of the stack's reader, in the order of the commits.
    /// - Throws: ``FetchError``, ``StoreError``.
    package init(
        of list: MoodList, in stack: DataStack, _ privacy: PagePrivacy, limits: Limits = Limits(),
        keepsRows: Bool = true, tell: @escaping @Sendable (News) -> Void
    ) throws {
        name = Self.freshName()
        (self.privacy, self.limits, self.keepsRows) = (privacy, limits, keepsRows)
        state = Mutex(State(ring: ListRing(frames: limits.ringFrames, bytes: limits.ringBytes)))
        let (report, _) = try ChangeReport.begin(of: list, in: stack) { [self] snapshot, context in
            var rows: [LiveRow] = keepsRows ? [] : snapshot.ids.map { LiveRow(id: $0.key, json: []) }
            rows.reserveCapacity(snapshot.ids.count)
            for start in stride(from: 0, to: keepsRows ? snapshot.ids.count : 0, by: 256) {
                let ids = Array(snapshot.ids[start..<min(start + 256, snapshot.ids.count)])
                var read: [Int64: LiveRow] = [:]
                for mood in try context.objects(
                    Mood.self, with: ids, prefetching: [\Mood.photo, \Mood.country])
                {
                    let row = LiveRow(MoodRecord(mood), privacy)
                    read[row.id] = row
                }
                // Another process may have deleted one since; the report will say so.
                rows += ids.map { read[$0.key] ?? LiveRow(id: $0.key, json: Array("[\($0.key)]".utf8)) }
            }
            let sections =
                snapshot.sections?.map { Section(name: $0.name, count: $0.count) }
                ?? [Section(name: "", count: rows.count)]
            let all = rows
            state.withLock { ($0.rows, $0.sections) = (all, sections) }
        } handler: { [weak self] changes in
            self?.hear(changes, tell)
        }
        self.report.withLock { $0 = report }
    }

    private static func freshName() -> String { Hexadecimal.text(UInt32.random(in: 0 ... .max)) }

    /// Ends the report.
    package func stop() { report.withLock { $0?.stop() } }

    package var snapshot: Snapshot {
        state.withLock {
            Snapshot(list: name, generation: $0.generation, sections: $0.sections, rows: $0.rows)
        }
    }

    package var generation: UInt64 { state.withLock { $0.generation } }
    package var count: Int { state.withLock { $0.rows.count } }

    /// Says how a viewer that knows the list as of `generation` begins; `register` is called inside the same
    /// lock with the generation that the list is at, so that no frame lies between.
    ///
    /// - Parameter list: the name of the list that the viewer knows; nil for one that begins anew.
    package func join(list: String?, after generation: UInt64, register: (UInt64) -> Void) -> Join {
        state.withLock { state in
            register(state.generation)
            guard let list else { return .resume([], from: state.generation) }
            if list != name { return .reload(reason: "the server began anew") }
            if generation == state.generation { return .resume([], from: generation) }
            if generation > state.generation { return .reload(reason: "no such generation") }
            if let frames = state.ring.frames(after: generation) { return .resume(frames, from: generation) }
            return .reload(reason: "away for too long")
        }
    }

    private func hear(_ changes: [MoodChange], _ tell: (News) -> Void) {
        guard let generation = changes.first?.batch else { return }
        let rows = changes.map { change -> LiveRow? in
            switch change.kind {
            case .insert, .update, .move: change.record.map { LiveRow($0, privacy) }
            case .delete, .sectionInsert, .sectionDelete: nil
            }
        }
        let news = state.withLock { state -> News in
            guard generation == state.generation + 1 else { return .broken(reason: "a batch is missing") }
            let kept = keepsRows ? rows : rows.map { $0.map { LiveRow(id: $0.id, json: []) } }
            if let problem = state.apply(changes, kept) { return .broken(reason: problem) }
            state.generation = generation
            let frame = LiveFrame(
                generation: generation, count: state.rows.count, changes: changes, rows: rows, privacy)
            guard frame.rows.count <= limits.frameBytes else {
                state.ring.clear()
                return .reload(generation: generation, reason: "much changed at once")
            }
            state.ring.add(frame)
            return .frame(frame)
        }
        tell(news)
    }
}

extension LiveList.State {
    /// Applies one batch by the law of ``FetchedResultsChange``: rows that leave by their old positions, from
    /// the last to the first; sections that leave, likewise; sections that come, from the first to the last;
    /// rows that come by their new positions, likewise; then updates.
    ///
    /// - Returns: why that is not possible; nil when it is done. Nothing is undone.
    mutating func apply(_ changes: [MoodChange], _ newRows: [LiveRow?]) -> String? {
        struct Position: Comparable {
            let section: Int, row: Int
            static func < (a: Position, b: Position) -> Bool { (a.section, a.row) < (b.section, b.row) }
        }
        func old(_ change: MoodChange) -> Position? {
            change.from.map { Position(section: change.fromSection ?? 0, row: $0) }
        }
        func new(_ change: MoodChange) -> Position? {
            change.to.map { Position(section: change.toSection ?? 0, row: $0) }
        }
        var leaving: [(Position, Int64)] = [], coming: [(Position, LiveRow)] = [], updates = coming
        var goneSections: [Int] = [], newSections: [(Int, String)] = []
        for (change, row) in zip(changes, newRows) {
            let id = change.objectID?.key ?? 0
            switch change.kind {
            case .delete:
                guard let position = old(change) else { return "a delete without a place" }
                leaving.append((position, id))
            case .move:
                guard let from = old(change), let to = new(change), let row else { return "half a move" }
                leaving.append((from, id))
                coming.append((to, row))
            case .insert:
                guard let to = new(change), let row else { return "half an insert" }
                coming.append((to, row))
            case .update:
                guard let to = new(change), let row else { return "half an update" }
                updates.append((to, row))
            case .sectionDelete: goneSections.append(change.from ?? -1)
            case .sectionInsert: newSections.append((change.to ?? -1, change.sectionName ?? ""))
            }
        }
        var starts = self.starts
        for (position, id) in leaving.sorted(by: { $0.0 > $1.0 }) {
            guard sections.indices.contains(position.section), position.row >= 0,
                rows.indices.contains(starts[position.section] + position.row),
                rows[starts[position.section] + position.row].id == id
            else { return "row \(position.section), \(position.row) is not mood \(id)" }
            rows.remove(at: starts[position.section] + position.row)
            sections[position.section].count -= 1
        }
        for section in goneSections.sorted(by: >) {
            guard sections.indices.contains(section), sections[section].count == 0 else {
                return "section \(section) is not empty"
            }
            sections.remove(at: section)
        }
        for (index, name) in newSections.sorted(by: { $0.0 < $1.0 }) {
            guard (0...sections.count).contains(index) else { return "no place for section \(index)" }
            sections.insert(LiveList.Section(name: name, count: 0), at: index)
        }
        var section = 0, start = 0
        for (position, row) in coming.sorted(by: { $0.0 < $1.0 }) {
            while section < position.section, section < sections.count {
                start += sections[section].count
                section += 1
            }
            guard sections.indices.contains(position.section), position.row >= 0,
                position.row <= sections[position.section].count
            else { return "no place for row \(position.section), \(position.row)" }
            rows.insert(row, at: start + position.row)
            sections[section].count += 1
        }
        starts = self.starts
        for (position, row) in updates {
            guard sections.indices.contains(position.section), position.row >= 0,
                position.row < sections[position.section].count,
                rows[starts[position.section] + position.row].id == row.id
            else { return "row \(position.section), \(position.row) is not mood \(row.id)" }
            rows[starts[position.section] + position.row] = row
        }
        return nil
    }

    /// Where each section begins among the rows.
    private var starts: [Int] {
        var next = 0
        return sections.map { section in
            defer { next += section.count }
            return next
        }
    }
}
