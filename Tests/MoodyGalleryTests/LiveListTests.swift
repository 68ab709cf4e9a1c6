import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes
import Synchronization
import TestSupport
import Testing

@testable import MoodyGallery

/// The live list against a fresh look at the store, and a page that applies its frames.
@Suite struct LiveListTests {
    private let stack: DataStack

    init() throws {
        stack = DataStack(model: try .moody())
        try stack.addInMemoryStorage()
    }

    private static let list = {
        var list = MoodList()
        list.section = .month
        return list
    }()

    /// What a page knows: applies frames by the law of docs/SERVE.md, from their JSON alone.
    private struct Page: Equatable {
        var generation = 0
        var sections: [String] = []
        /// The rows of each section, as JSON.
        var rows: [[String]] = []

        init(_ live: LiveList) throws {
            let snapshot = live.snapshot
            generation = Int(snapshot.generation)
            sections = snapshot.sections.map(\.name)
            var rest = try live.rows(of: snapshot.rows)[...]
            for section in snapshot.sections {
                rows.append(rest.prefix(section.count).map { Self.text($0) })
                rest = rest.dropFirst(section.count)
            }
        }

        /// In one form, however it was written.
        static func text(_ json: Any) -> String {
            let bytes = (json as? [UInt8]).map { Data($0) }
            let value = bytes.map { try! JSONSerialization.jsonObject(with: $0) } ?? json
            let data = try! JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])
            return String(decoding: data, as: UTF8.self)
        }

        mutating func apply(_ frame: [UInt8]) throws {
            let json = try #require(
                try JSONSerialization.jsonObject(with: Data(frame)) as? [String: Any])
            let next = try #require(json["generation"] as? Int)
            #expect(next == generation + 1)
            generation = next
            let changes = try #require(json["changes"] as? [[String: Any]])
            func all(_ kinds: String...) -> [[String: Any]] {
                changes.filter { kinds.contains($0["change"] as? String ?? "") }
            }
            func position(_ change: [String: Any], _ key: String) -> [Int] { change[key] as? [Int] ?? [] }
            for change in all("delete", "move").sorted(by: {
                position($1, "from").lexicographicallyPrecedes(position($0, "from"))
            }) {
                let from = position(change, "from")
                rows[from[0]].remove(at: from[1])
            }
            for change in all("section delete").sorted(by: { $0["from"] as! Int > $1["from"] as! Int }) {
                let at = change["from"] as! Int
                #expect(rows[at].isEmpty)
                rows.remove(at: at)
                sections.remove(at: at)
            }
            for change in all("section insert").sorted(by: { ($0["to"] as! Int) < $1["to"] as! Int }) {
                rows.insert([], at: change["to"] as! Int)
                sections.insert(change["name"] as! String, at: change["to"] as! Int)
            }
            for change in all("insert", "move").sorted(by: {
                position($0, "to").lexicographicallyPrecedes(position($1, "to"))
            }) {
                let to = position(change, "to")
                rows[to[0]].insert(Self.text(change["row"] as Any), at: to[1])
            }
            for change in all("update") {
                let to = position(change, "to")
                rows[to[0]][to[1]] = Self.text(change["row"] as Any)
            }
            #expect(json["count"] as? Int == rows.reduce(0) { $0 + $1.count })
        }
    }

    /// One transaction of a few random changes.
    private func step(_ random: inout SplitMix64) throws {
        let changes = Int.random(in: 1...4, using: &random)
        let plan = (0..<changes).map { _ in
            (
                kind: Int.random(in: 0..<10, using: &random), number: Int.random(in: 0..<30, using: &random),
                month: Int.random(in: 1...6, using: &random), day: Int.random(in: 1...28, using: &random),
                source: Int.random(in: 0..<4, using: &random), red: Int.random(in: 0...255, using: &random)
            )
        }
        try stack.performAndWait { transaction in
            for change in plan {
                let name = "\(change.number).jpg"
                let photo = try transaction.fetchOne(FetchRequest(\Photo.path == "/photos/\(name)"))
                switch change.kind {
                case 0: photo?.remove(in: transaction)
                case 1: photo?.mood?.mark(forDeletion: Date())
                case 2: photo?.mood?.mark(forDeletion: nil)
                case 3: photo?.markMissing()
                case 4: if let photo { transaction.delete(photo) }
                default:
                    let facts = CaptureInfo(
                        taken: CivilDate(year: 2024, month: change.month, day: change.day), offset: nil,
                        source: change.source == 0 ? .fileTime : .original, width: 300, height: 200)
                    let color = RGB(red: UInt8(change.red), green: 9, blue: 9)
                    var source = PhotoImport(
                        location: FileLocation(
                            folder: Data("/photos".utf8), name: Data(name.utf8), path: "/photos/\(name)"),
                        file: FileStamp(size: 1, mtimeNs: 1, inode: Int64(change.number)),
                        contentHash: Data(repeating: UInt8(change.red), count: 16), seen: Date(),
                        result: .kept(
                            MoodSource(
                                palette: Palette(entries: [Palette.Entry(color: color, share: 1)]),
                                request: PaletteRequest(PaletteOptions()), facts: facts, thumbnail: Data(),
                                preview: nil)))
                    source.restores = true
                    _ = try transaction.importUniqueObject(Photo.self, from: source)
                }
            }
        }
    }

    /// What the store has, looked at anew.
    private func fresh() throws -> (sections: [LiveList.Section], rows: [[UInt8]]) {
        let snapshot = try MoodSnapshot(of: Self.list, in: stack)
        var rows: [[UInt8]] = []
        try MoodList.forEach(of: snapshot.ids, in: stack) { records in
            rows += records.map { LiveRow.json($0, PagePrivacy()) }
        }
        let sections = (snapshot.sections ?? []).map { LiveList.Section(name: $0.name, count: $0.count) }
        return (sections, rows)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `after every commit the live list, and a page that got its frames, are the store's list`(
        seed: UInt64
    ) throws {
        var random = SplitMix64(seed: seed)
        let frames = Mutex<[LiveFrame]>([])
        for _ in 0..<5 { try step(&random) }
        let live = try LiveList(of: Self.list, in: stack, PagePrivacy()) { news in
            if case .frame(let frame) = news {
                frames.withLock { $0.append(frame) }
            } else {
                Issue.record("\(news), seed \(seed)")
            }
        }
        var page = try Page(live)
        for number in 0..<200 {
            try step(&random)
            let (sections, rows) = try fresh(), snapshot = live.snapshot
            let shown = try live.rows(of: snapshot.rows)
            #expect(snapshot.sections == sections, "seed \(seed), step \(number)")
            #expect(shown == rows, "seed \(seed), step \(number)")
            let new = frames.withLock { frames in
                defer { frames = [] }
                return frames
            }
            for frame in new { try page.apply(frame.rows) }
            #expect(try page == Page(live), "seed \(seed), step \(number)")
            if shown != rows { break }
        }
        #expect(live.generation > 100)
    }

    /// A mood that goes while a page is being sent: the page is told so by the next frame.
    @Test func `rows that are asked for late are as they are now, and those of moods that went are empty`()
        throws
    {
        var random = SplitMix64(seed: 21)
        for _ in 0..<20 { try step(&random) }
        let live = try LiveList(of: Self.list, in: stack, PagePrivacy()) { _ in }
        for number in 0..<150 {
            try step(&random)
            let wanted = try fresh().rows, count = Int.random(in: 0...wanted.count, using: &random)
            let first = live.snapshot.rows.prefix(count)
            #expect(try live.rows(of: first) == Array(wanted.prefix(count)), "step \(number)")
        }
        let before = live.snapshot.rows
        try stack.performAndWait { transaction in
            for photo in try transaction.fetchAll(FetchRequest<Photo>()) { transaction.delete(photo) }
        }
        #expect(live.snapshot.rows.isEmpty)
        let rows = try live.rows(of: before).map { row in
            try #require(try JSONSerialization.jsonObject(with: Data(row)) as? [Any])
        }
        #expect(rows.map { $0[0] as? Int64 } == before)
        // As many facts as any row has, and no color.
        #expect(rows.allSatisfy { $0.count == 15 && ($0[5] as? [Any])?.isEmpty == true })
    }

    private static let node = ["/usr/bin/node", "/usr/bin/nodejs", "/usr/local/bin/node"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// A part of the page's script, from one text to another.
    private static func script(from start: String, to end: String) throws -> String {
        let script = String(decoding: GalleryPage.liveScript, as: UTF8.self)
        let first = try #require(script.firstRange(of: start))
        let last = try #require(script[first.lowerBound...].firstRange(of: end))
        return String(script[first.lowerBound..<last.lowerBound])
    }

    private static func run(_ script: String, on exam: String) throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "live-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(exam.utf8).write(to: file)
        let process = Process(), output = Pipe()
        process.executableURL = URL(filePath: try #require(node))
        process.arguments = ["-e", script, file.path]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    private static func lists(_ live: LiveList) throws -> String {
        let snapshot = live.snapshot
        let sections = snapshot.sections.map { JSON.array([.string($0.name), .number(Int64($0.count))]) }
        let rows = try live.rows(of: snapshot.rows).map { String(decoding: $0, as: UTF8.self) }
            .joined(separator: ",")
        return "[[\(rows)],\(JSON.array(sections).text)]"
    }

    /// What the browser runs, without the page around it.
    @Test(.enabled(if: node != nil, "no node here"), arguments: [11, 12] as [UInt64])
    func `the page's own script makes of each frame what the list became`(seed: UInt64) throws {
        let frames = Mutex<[LiveFrame]>([])
        let live = try LiveList(of: Self.list, in: stack, PagePrivacy()) { news in
            if case .frame(let frame) = news { frames.withLock { $0.append(frame) } }
        }
        var random = SplitMix64(seed: seed), states = [try Self.lists(live)]
        while live.generation < 60 {
            let before = live.generation
            try step(&random)
            if live.generation > before { states.append(try Self.lists(live)) }
        }
        let texts = frames.withLock { $0.map { String(decoding: $0.rows, as: UTF8.self) } }
        let exam =
            "{\"states\":[\(states.joined(separator: ","))],"
            + "\"frames\":[\(texts.joined(separator: ","))]}"
        let script = try Self.script(from: "const applyBatch =", to: "// The catalog and its sections")
        let examiner = """
            const {states, frames} = JSON.parse(require('fs').readFileSync(process.argv[1], 'utf8'));
            const [entries, sections] = structuredClone(states[0]);
            frames.forEach((frame, at) => {
              applyBatch(entries, sections, frame);
              const mine = JSON.stringify([entries, sections]), wanted = JSON.stringify(states[at + 1]);
              if (mine !== wanted) console.log(`${at}: ${mine} is not ${wanted}`);
            });
            console.log(`${frames.length} frames`);
            """
        #expect(try Self.run(script + examiner, on: exam) == "60 frames\n")
    }

    @Test func `a viewer is resumed from every generation that the ring has, and from no other`() throws {
        var limits = LiveList.Limits(), random = SplitMix64(seed: 7)
        limits.ringFrames = 4
        let live = try LiveList(of: Self.list, in: stack, PagePrivacy(), limits: limits) { _ in }
        var pages = [try Page(live)]
        while live.generation < 30 {
            let before = live.generation
            try step(&random)
            if live.generation > before { pages.append(try Page(live)) }
        }
        for (generation, page) in pages.enumerated() {
            var registered: UInt64?
            let join = live.join(list: live.name, after: UInt64(generation)) { registered = $0 }
            #expect(registered == live.generation)
            switch join {
            case .resume(let frames, _):
                #expect(generation >= 26)
                var page = page
                for frame in frames { try page.apply(frame.rows) }
                #expect(page == pages.last)
            case .reload: #expect(generation < 26)
            }
        }
        for (name, generation) in [("00000000", UInt64(30)), (live.name, 31), (live.name, .max)] {
            guard case .reload = live.join(list: name, after: generation, register: { _ in }) else {
                Issue.record("resumed from \(name)-\(generation)")
                continue
            }
        }
        guard case .resume(let none, _) = live.join(list: nil, after: 0, register: { _ in }) else {
            Issue.record("one that begins anew is not resumed")
            return
        }
        #expect(none.isEmpty)
    }

    @Test func `a ring keeps frames up to a number of bytes, and the last of them`() {
        func frame(_ generation: UInt64) -> LiveFrame {
            LiveFrame(generation: generation, count: 0, changes: [], rows: [], PagePrivacy())
        }
        var ring = ListRing(frames: 9, bytes: 3 * frame(1).rows.count)
        for generation in 1...5 { ring.add(frame(UInt64(generation))) }
        #expect(ring.frames(after: 2)?.map(\.generation) == [3, 4, 5])
        #expect(ring.frames(after: 1) == nil)
    }

    /// One name in sixteen begins with a zero.
    @Test func `a list's name is eight hexadecimal digits`() throws {
        for _ in 0..<150 {
            let name = try LiveList(of: MoodList(), in: stack, PagePrivacy()) { _ in }.name
            #expect(name.utf8.count == 8 && UInt32(name, radix: 16) != nil, "\(name)")
        }
    }

    @Test func `a frame above the limit becomes a reload, and the ring begins anew`() throws {
        var limits = LiveList.Limits(), random = SplitMix64(seed: 3)
        limits.frameBytes = 10
        let reloads = Mutex(0)
        let live = try LiveList(of: Self.list, in: stack, PagePrivacy(), limits: limits) { news in
            if case .reload = news { reloads.withLock { $0 += 1 } }
        }
        while live.generation < 3 { try step(&random) }
        #expect(reloads.withLock { $0 } == 3)
        guard case .reload = live.join(list: live.name, after: 2, register: { _ in }) else {
            Issue.record("resumed over a frame that was not sent")
            return
        }
        #expect(try fresh().rows == live.rows(of: live.snapshot.rows))
    }

    @Test func `no viewer is resumed over a change that was too large to send`() throws {
        func add(_ numbers: Range<Int>) throws {
            try stack.performAndWait { transaction in
                for number in numbers {
                    let facts = CaptureInfo(
                        taken: CivilDate(year: 2024, month: 1, day: 1), offset: nil, source: .original,
                        width: 3, height: 2)
                    try transaction.importPhoto(
                        "\(number).jpg", in: "/photos", number: number, of: [("#336699", 1)], facts)
                }
            }
        }
        var limits = LiveList.Limits()
        limits.frameBytes = 3_000
        let live = try LiveList(of: Self.list, in: stack, PagePrivacy(), limits: limits) { _ in }
        for number in 0..<3 { try add(number..<number + 1) }
        try add(10..<60)
        for number in 60..<63 { try add(number..<number + 1) }
        #expect(live.generation == 7)
        for generation in 0...7 as ClosedRange<UInt64> {
            let join = live.join(list: live.name, after: generation) { _ in }
            if case .resume(let frames, _) = join {
                #expect(frames.map(\.generation) == Array(generation..<7).map { $0 + 1 })
                #expect(generation >= 4, "\(generation)")
            } else {
                #expect(generation < 4, "\(generation)")
            }
        }
    }

    @Test func `a batch that does not fit is told, not applied in part to a wrong row`() throws {
        var state = LiveList.State(ring: ListRing(frames: 4, bytes: 1000))
        state.sections = [LiveList.Section(name: "a", count: 1)]
        state.rows = [1]
        var random = SplitMix64(seed: 1)
        try step(&random)
        while try MoodSnapshot(of: Self.list, in: stack).ids.isEmpty { try step(&random) }
        let id = try MoodSnapshot(of: Self.list, in: stack).ids[0]
        func change(_ kind: MoodChange.Kind, from: Int?, to: Int?, section: Int = 0) -> MoodChange {
            MoodChange(
                kind: kind, objectID: id, from: from, to: to, fromSection: section, toSection: section,
                sectionName: nil, record: nil, batch: 1)
        }
        for bad in [
            change(.delete, from: 5, to: nil), change(.delete, from: 0, to: nil, section: 3),
            change(.insert, from: nil, to: 3), change(.insert, from: nil, to: nil),
            change(.insert, from: nil, to: 0, section: 1), change(.update, from: 0, to: 1),
            change(.move, from: 0, to: nil), change(.sectionDelete, from: 0, to: nil),
            change(.sectionInsert, from: nil, to: 4), change(.delete, from: -1, to: nil),
        ] {
            var state = state
            // Mood 1 is not the one that the changes are of.
            if id.key == 1 { state.rows = [2] }
            #expect(state.apply([bad]) != nil, "\(bad.kind)")
        }
    }

    @Test func `rows and records keep folders and places to themselves where they are not told`() throws {
        var random = SplitMix64(seed: 4)
        while try MoodList().count(in: stack) == 0 { try step(&random) }
        var records: [MoodRecord] = []
        try MoodList().forEach(in: stack) { records += $0 }
        let row = String(decoding: LiveRow.json(records[0], PagePrivacy()), as: UTF8.self)
        #expect(!row.contains("/photos") && row.contains(records[0].name))
        let json = records[0].json(PagePrivacy()).text
        #expect(!json.contains("/photos") && json.contains(records[0].name))
        #expect(records[0].json(PagePrivacy(showsPaths: true, showsPlaces: true)) == records[0].json)
    }
}
