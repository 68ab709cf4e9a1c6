package import DataStacks
import Foundation
import ManagedObjects
package import MoodyModel
import Synchronization
import Texts

/// A list of moods, kept up to date with its store: what a page begins with, and the frames that bring the
/// page up to date.
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
        /// The numbers of the moods.
        package let rows: [Int64]

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
        var rows: [Int64] = []
        /// Of rows that somebody has asked for, or that changed: as a page has them.
        var encoded: [Int64: [UInt8]] = [:]
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
    private let stack: DataStack
    private let keepsRows: Bool
    private let state: Mutex<State>
    private let report = Mutex<ChangeReport?>(nil)

    /// Reads the list and follows it from there.
    ///
    /// - Parameters:
    ///   - keepsRows: whether ``rows(of:)`` is asked again and again.
    ///   - tell: called on the queue of the stack's reader, in the order of the commits.
    /// - Throws: ``FetchError``, ``StoreError``.
    package init(
        of list: MoodList, in stack: DataStack, _ privacy: PagePrivacy, limits: Limits = Limits(),
        keepsRows: Bool = true, tell: @escaping @Sendable (News) -> Void
    ) throws {
        name = Self.freshName()
        (self.privacy, self.limits, self.stack, self.keepsRows) = (privacy, limits, stack, keepsRows)
        state = Mutex(State(ring: ListRing(frames: limits.ringFrames, bytes: limits.ringBytes)))
        let (report, _) = try ChangeReport.begin(of: list, in: stack) { [self] snapshot, _ in
            let rows = snapshot.ids.map(\.key)
            let sections =
                snapshot.sections?.map { Section(name: $0.name, count: $0.count) }
                ?? [Section(name: "", count: rows.count)]
            state.withLock { ($0.rows, $0.sections) = (rows, sections) }
        } handler: { [weak self] changes in
            self?.hear(changes, tell)
        }
        self.report.withLock { $0 = report }
    }

    /// Some rows of a snapshot, as JSON arrays: as they were then, or as a later frame will say.
    ///
    /// Each is read and encoded when it is first asked for. A mood that has gone has a row without facts: the
    /// frame that says so is on its way.
    ///
    /// - Throws: ``StoreError``.
    package func rows(of moods: some Collection<Int64>) throws -> [[UInt8]] {
        var (generation, rows) = state.withLock { state in
            (state.generation, moods.map { state.encoded[$0] })
        }
        let missing = zip(moods, rows).filter { $1 == nil }.map(\.0)
        if !missing.isEmpty {
            var read: [Int64: [UInt8]] = [:]
            let ids = try missing.map { try stack.coordinator.objectID("Mood", key: $0) }
            try MoodList.forEach(of: ids, in: stack) { records in
                for record in records { read[record.id] = LiveRow.json(record, privacy) }
            }
            // What was committed meanwhile may be newer than what was read.
            if keepsRows {
                state.withLock { state in
                    if state.generation == generation { state.encoded.merge(read) { known, _ in known } }
                }
            }
            rows = zip(moods, rows).map { $1 ?? read[$0] }
        }
        return zip(moods, rows).map { $1 ?? LiveRow.empty($0) }
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
        let rows = changes.map { change in
            change.kind == .delete ? nil : change.record.map { LiveRow.json($0, privacy) }
        }
        let news = state.withLock { state -> News in
            guard generation == state.generation + 1 else { return .broken(reason: "a batch is missing") }
            if let problem = state.apply(changes) { return .broken(reason: problem) }
            if keepsRows {
                for (change, row) in zip(changes, rows) {
                    if let id = change.objectID?.key { state.encoded[id] = row }
                }
            }
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
    private struct Place: Comparable {
        let section: Int, row: Int, id: Int64

        static func < (a: Place, b: Place) -> Bool { (a.section, a.row) < (b.section, b.row) }
    }

    /// Applies one batch by the law of ``FetchedResultsChange``: rows and sections that leave have their old
    /// positions, rows and sections that come, and rows that were updated, have their new ones.
    ///
    /// - Returns: why that is not possible; nil when it is done. Nothing is undone.
    mutating func apply(_ changes: [MoodChange]) -> String? {
        var leaving: [Place] = [], coming: [Place] = [], updates: [Place] = []
        var goneSections: [Int] = [], newSections: [(index: Int, name: String)] = []
        for change in changes {
            let id = change.objectID?.key ?? 0
            let old = change.from.map { Place(section: change.fromSection ?? 0, row: $0, id: id) }
            let new = change.to.map { Place(section: change.toSection ?? 0, row: $0, id: id) }
            switch (change.kind, old, new) {
            case (.delete, let old?, _): leaving.append(old)
            case (.insert, _, let new?): coming.append(new)
            case (.update, _, let new?): updates.append(new)
            case (.move, let old?, let new?):
                leaving.append(old)
                coming.append(new)
            case (.sectionDelete, let old?, _): goneSections.append(old.row)
            case (.sectionInsert, _, let new?): newSections.append((new.row, change.sectionName ?? ""))
            default: return "\(change.kind.rawValue) without a place"
            }
        }
        return leave(leaving) ?? change(goneSections, newSections) ?? come(coming)
            ?? (places(of: updates, areThere: true) == nil ? "an updated row is not there" : nil)
    }

    private mutating func leave(_ leaving: [Place]) -> String? {
        guard let places = places(of: leaving, areThere: true) else { return "a row that goes is not there" }
        var kept: [Int64] = [], end = 0
        kept.reserveCapacity(rows.count)
        for place in places {
            guard place >= end else { return "a row goes twice" }
            kept += rows[end..<place]
            end = place + 1
        }
        rows = kept + rows[end...]
        for place in leaving { sections[place.section].count -= 1 }
        return nil
    }

    private mutating func change(_ gone: [Int], _ new: [(index: Int, name: String)]) -> String? {
        for section in gone.sorted(by: >) {
            guard sections.indices.contains(section), sections[section].count == 0 else {
                return "section \(section) is not empty"
            }
            sections.remove(at: section)
        }
        for (index, name) in new.sorted(by: { $0.index < $1.index }) {
            guard (0...sections.count).contains(index) else { return "no place for section \(index)" }
            sections.insert(LiveList.Section(name: name, count: 0), at: index)
        }
        return nil
    }

    private mutating func come(_ coming: [Place]) -> String? {
        for place in coming {
            guard sections.indices.contains(place.section) else { return "no section \(place.section)" }
            sections[place.section].count += 1
        }
        guard let places = places(of: coming, areThere: false) else { return "no place for a row" }
        var all: [Int64] = [], taken = 0
        all.reserveCapacity(rows.count + coming.count)
        for (place, row) in zip(places, coming.sorted()) {
            let between = place - all.count
            guard between >= 0, taken + between <= rows.count else { return "no place for a row" }
            all += rows[taken..<taken + between]
            all.append(row.id)
            taken += between
        }
        rows = all + rows[taken...]
        return nil
    }

    /// Where rows are among all, in their order; nil when one has no place.
    ///
    /// - Parameter areThere: whether the rows must be there.
    private func places(of wanted: [Place], areThere: Bool) -> [Int]? {
        var start = 0
        let starts = sections.map { section in
            defer { start += section.count }
            return start
        }
        var places: [Int] = []
        for place in wanted.sorted() {
            guard sections.indices.contains(place.section),
                (0..<sections[place.section].count).contains(place.row)
            else { return nil }
            let index = starts[place.section] + place.row
            if areThere && !(rows.indices.contains(index) && rows[index] == place.id) { return nil }
            places.append(index)
        }
        return places
    }
}
