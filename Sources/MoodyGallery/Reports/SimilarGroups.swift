package import DataStacks
import Foundation
package import ManagedObjects
package import MoodyModel
import Palettes

/// Groups of photos that show the same: by the hashes of their pictures, and by their clocks.
///
/// In the order of ``PhotoRank`` each mood that no group has yet takes all others that are near itself. So a
/// group has no chains: a time lapse is not one group.
package struct SimilarGroups: Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The same photo in other sizes, qualities, and tones.
        case copies
        /// Copies that may be cropped or marked besides.
        case crops
        /// Photos one after the other.
        case series

        /// The most bits in which hashes differ.
        var distance: Int { self == .copies ? 31 : 63 }

        /// Whether one may be the other in another size, 5 % stretched or cropped besides.
        fileprivate func allows(_ first: Shape, _ second: Shape) -> Bool {
            switch self {
            case .copies: first.isNear(second, 1.1)
            case .crops: first.isNear(second, 1.25)
            case .series: true
            }
        }

        /// Whether clocks of two photos go together, in seconds; nil where only the file tells a date.
        fileprivate func allows(_ first: Int64?, _ second: Int64?) -> Bool {
            guard let first, let second else { return self != .series }
            return self == .series
                ? first != second && abs(first - second) <= SimilarGroups.seconds : first == second
        }

        /// "4 copies"
        package func title(_ count: Int) -> String {
            self == .series ? "\(count) in a series" : "\(count) copies"
        }
    }

    package struct Member: Sendable {
        package let id: ManagedObjectID
        /// Bits from the group's best; 0 for itself.
        package let distance: Int
        /// Whether it is like the best in a mirror.
        package let isMirrored: Bool

        /// A line of JSON.
        ///
        /// - Parameter group: the place of its group; nil for none.
        package func json(of mood: JSON, group: Int? = nil, isBest: Bool = false) -> JSON {
            var fields: [(String, JSON)] = [("v", 1)]
            if let group { fields.append(("similar", .number(Int64(group)))) }
            fields.append(("distance", .number(Int64(distance))))
            if isBest { fields.append(("best", true)) }
            if isMirrored { fields.append(("mirrored", true)) }
            return .object(fields + [("mood", mood)])
        }
    }

    /// The best first. Groups are in the order of the list by their best.
    package let groups: [[Member]]
    /// Moods without a hash, of a store of an earlier version.
    package private(set) var unknown = 0
    /// Moods whose pictures are too plain to compare.
    package private(set) var plain = 0

    /// Pixels of a picture as it is looked at.
    fileprivate struct Shape {
        let width: Double, height: Double

        /// Whether the ratios of the sides differ at most so much, give or take half a pixel of each side.
        func isNear(_ other: Shape, _ factor: Double) -> Bool {
            func most(_ shape: Shape) -> Double { (shape.width + 0.5) / max(0.5, shape.height - 0.5) }
            func least(_ shape: Shape) -> Double { max(0.5, shape.width - 0.5) / (shape.height + 0.5) }
            return least(self) <= most(other) * factor && least(other) <= most(self) * factor
        }
    }

    /// The seconds that photos of a series are apart from its best.
    private static let seconds: Int64 = 60

    /// - Throws: ``StoreError``.
    /// - Complexity: all pairs of moods in theory; see ``HashPairs``.
    package init(_ kind: Kind, of list: MoodList, in stack: DataStack) throws {
        let scanned = try Scan(list, in: stack)
        (unknown, plain) = (scanned.unknown, scanned.plain)
        let search = kind == .series ? Self.inTime(scanned) : Self.alike(scanned, kind)
        let ranks = try PhotoRank.ranks(of: search.candidates.map { scanned.moods[$0].id }, in: stack)
        let order = search.candidates.compactMap { index in
            ranks[scanned.moods[index].id].map { (index: index, rank: $0) }
        }.sorted { $0.rank < $1.rank }
        let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1.index, $0) })
        var taken: Set<Int> = []
        var found: [ManagedObjectID: [Member]] = [:]
        for (best, _) in order where !taken.contains(best) {
            var others = search.neighbors(best).filter { !taken.contains($0.key) && places[$0.key] != nil }
            if kind != .series, scanned.moods[best].clock == nil {
                // Of what was taken at two times nothing is a copy of both: of the nearest.
                let timed = others.filter { scanned.moods[$0.key].clock != nil }
                let nearest = timed.min {
                    ($0.value.distance, places[$0.key] ?? 0) < ($1.value.distance, places[$1.key] ?? 0)
                }
                let clock = nearest.flatMap { scanned.moods[$0.key].clock }
                others = others.filter { kind.allows(clock, scanned.moods[$0.key].clock) }
            }
            if others.isEmpty { continue }
            taken.insert(best)
            taken.formUnion(others.keys)
            let members = others.sorted { (places[$0.key] ?? 0) < (places[$1.key] ?? 0) }.map {
                Member(
                    id: scanned.moods[$0.key].id, distance: $0.value.distance,
                    isMirrored: $0.value.isMirrored)
            }
            let first = Member(id: scanned.moods[best].id, distance: 0, isMirrored: false)
            found[first.id] = [first] + members
        }
        groups = found.isEmpty ? [] : try list.ids(in: stack).compactMap { found[$0] }
    }

    /// The numbers of the copies among the rows of a page, the best of each group first.
    ///
    /// - Throws: ``StoreError``.
    package static func copies(
        among rows: [MoodRow], of list: MoodList, in stack: DataStack
    ) throws -> [[Int64]] {
        let shown = Set(rows.map(\.id))
        return try SimilarGroups(.copies, of: list, in: stack).groups
            .map { $0.map(\.id.key).filter(shown.contains) }.filter { $0.count > 1 }
    }

    /// The moods that are like one, the nearest first, whatever groups they are in.
    ///
    /// - Throws: ``StoreError``.
    /// - Complexity: one comparison with each mood of the store.
    package static func members(
        like id: ManagedObjectID, _ kind: Kind, in stack: DataStack
    ) throws -> [Member] {
        let scanned = try Scan(MoodList(), in: stack)
        guard let own = scanned.moods.first(where: { $0.id == id }) else { return [] }
        let mirrored = own.hash.mirrored
        return scanned.moods.compactMap { mood -> Member? in
            guard mood.id != id, kind.allows(own.clock, mood.clock), kind.allows(own.shape, mood.shape) else {
                return nil
            }
            let straight = own.hash.distance(to: mood.hash)
            let turned = kind == .series ? .max : mirrored.distance(to: mood.hash)
            let distance = min(straight, turned)
            if distance > kind.distance { return nil }
            return Member(id: mood.id, distance: distance, isMirrored: turned < straight)
        }.sorted { ($0.distance, $0.id.key) < ($1.distance, $1.id.key) }
    }

    private struct Neighbor {
        let distance: Int
        let isMirrored: Bool
    }

    /// Moods by their places in the scan.
    private struct Search {
        /// The moods that have neighbors, and maybe others.
        let candidates: [Int]
        let neighbors: (Int) -> [Int: Neighbor]
    }

    /// Those whose clocks and shapes do not tell them apart.
    private static func alike(_ scanned: Scan, _ kind: Kind) -> Search {
        var members: [PictureHash: [Int]] = [:]
        for (index, mood) in scanned.moods.enumerated() { members[mood.hash, default: []].append(index) }
        let hashes = Array(members.keys)
        let most = max(1_000_000, 8 * hashes.count)
        guard let pairs = HashPairs(of: hashes, within: kind.distance).all(most: most) else {
            return Search(candidates: Array(scanned.moods.indices)) { neighbors(of: $0, in: scanned, kind) }
        }
        var near: [PictureHash: [(hash: PictureHash, neighbor: Neighbor)]] = [:]
        for pair in pairs {
            let neighbor = Neighbor(distance: Int(pair.distance), isMirrored: pair.isMirrored)
            let (first, second) = (hashes[Int(pair.first)], hashes[Int(pair.second)])
            near[first, default: []].append((second, neighbor))
            near[second, default: []].append((first, neighbor))
        }
        let candidates = scanned.moods.indices.filter { index in
            let hash = scanned.moods[index].hash
            return near[hash] != nil || (members[hash]?.count ?? 0) > 1
        }
        return Search(candidates: candidates) { index in
            let mood = scanned.moods[index]
            var found: [Int: Neighbor] = [:]
            let all = [(hash: mood.hash, neighbor: Neighbor(distance: 0, isMirrored: false))]
            for (hash, neighbor) in all + (near[mood.hash] ?? []) {
                for other in members[hash] ?? [] where other != index {
                    let mate = scanned.moods[other]
                    if !kind.allows(mood.clock, mate.clock) || !kind.allows(mood.shape, mate.shape) {
                        continue
                    }
                    if found[other].map({ $0.distance <= neighbor.distance }) ?? false { continue }
                    found[other] = neighbor
                }
            }
            return found
        }
    }

    /// Those that are like one, by a look at all. Of photos of a few scenes it is asked of few.
    private static func neighbors(of index: Int, in scanned: Scan, _ kind: Kind) -> [Int: Neighbor] {
        let own = scanned.moods[index], mirrored = own.hash.mirrored
        var found: [Int: Neighbor] = [:]
        for (other, mood) in scanned.moods.enumerated() where other != index {
            let straight = own.hash.distance(to: mood.hash), turned = mirrored.distance(to: mood.hash)
            guard min(straight, turned) <= kind.distance, kind.allows(own.clock, mood.clock),
                kind.allows(own.shape, mood.shape)
            else { continue }
            found[other] = Neighbor(distance: min(straight, turned), isMirrored: turned < straight)
        }
        return found
    }

    /// Those whose clocks are not far apart.
    private static func inTime(_ scanned: Scan) -> Search {
        let timed = scanned.moods.indices.compactMap { index in
            scanned.moods[index].clock.map { (index: index, clock: $0) }
        }.sorted { ($0.clock, $0.index) < ($1.clock, $1.index) }
        let places = Dictionary(uniqueKeysWithValues: timed.enumerated().map { ($1.index, $0) })
        // Where the moods of each clock begin and end: those of one clock are no series, however many.
        var runs: [Int64: Range<Int>] = [:]
        for (place, mood) in timed.enumerated() {
            runs[mood.clock] = (runs[mood.clock]?.lowerBound ?? place)..<place + 1
        }
        /// - Parameter body: returns whether to go on.
        func forEachNeighbor(_ index: Int, _ body: (Int, Int) -> Bool) {
            guard let place = places[index], let run = runs[timed[place].clock] else { return }
            let own = timed[place], hash = scanned.moods[index].hash
            func look(_ other: (index: Int, clock: Int64)) -> Bool {
                if abs(other.clock - own.clock) > seconds { return false }
                let distance = hash.distance(to: scanned.moods[other.index].hash)
                return distance > Kind.series.distance || body(other.index, distance)
            }
            _ = timed[run.upperBound...].allSatisfy(look)
            _ = timed[..<run.lowerBound].reversed().allSatisfy(look)
        }
        func hasNeighbor(_ index: Int) -> Bool {
            var isFound = false
            forEachNeighbor(index) { _, _ in
                isFound = true
                return false
            }
            return isFound
        }
        return Search(candidates: timed.map(\.index).filter(hasNeighbor)) { index in
            var found: [Int: Neighbor] = [:]
            forEachNeighbor(index) { other, distance in
                found[other] = Neighbor(distance: distance, isMirrored: false)
                return true
            }
            return found
        }
    }

    /// What is compared of the moods of a list.
    private struct Scan {
        struct Mood {
            let id: ManagedObjectID
            let hash: PictureHash
            /// Seconds as the photo's own clock showed them; nil where only the file tells a date.
            let clock: Int64?
            let shape: Shape
        }

        var moods: [Mood] = []
        var unknown = 0, plain = 0

        init(_ list: MoodList, in stack: DataStack) throws {
            var request = list.request
            request.sortDescriptors = []
            request.fetchLimit = nil
            let wanted = request
            self = try stack.read { view in
                var scan = Scan()
                try view.scan(
                    wanted, \.row, \.pictureHash, \.date, \.timeZoneOffset, \.dateSource, \.width, \.height,
                    inAnyOrder: true
                ) { row in
                    if row.isNull(1) {
                        scan.unknown += 1
                    } else if let hash = PictureHash(bytes: row.bytes(1)), let id = row.id(0) {
                        let clock = Self.clock(row.double(2), offset: row.int(3), source: row.int(4))
                        let shape = Shape(width: Double(row.int(5)), height: Double(row.int(6)))
                        scan.moods.append(Mood(id: id, hash: hash, clock: clock, shape: shape))
                    } else {
                        scan.plain += 1
                    }
                }
                return scan
            }
        }

        private init() {}

        /// - Parameter seconds: since 2001.
        private static func clock(_ seconds: Double, offset: Int64, source: Int64) -> Int64? {
            let own: [DateSource] = [.original, .digitized, .xmp, .iptc, .sidecar]
            guard own.contains(where: { Int64($0.rawValue) == source }), abs(seconds) < 1e12 else {
                return nil
            }
            return Int64(seconds.rounded(.down)) + min(max(offset, -1080), 1080) * 60
        }
    }
}

/// Which of two photos of the same is the better one to keep: first what is there, has more pixels, is nearer
/// to what the camera recorded, knows place and clock, has more bytes; then the older file.
private struct PhotoRank: Comparable {
    private let isMissing: Bool
    private let pixels: Int64
    /// 0 for raw files, 1 for kinds that keep more than JPEG, 2 for others.
    private let kind: Int
    private let knowsAll: Bool
    private let size: Int64
    private let modified: Int64
    private let path: [UInt8]

    private init?(_ mood: Mood) {
        guard let photo = mood.photo else { return nil }
        isMissing = photo.state == .missing
        pixels = Int64(max(0, mood.width)) * Int64(max(0, mood.height))
        let name = [UInt8](photo.name)
        let dot = name.lastIndex(of: UInt8(ascii: ".")) ?? 0
        kind = Self.kind(ofEnding: String(decoding: name[dot...].dropFirst(), as: UTF8.self).lowercased())
        knowsAll = mood.latitude != nil && mood.dateSource.isDayTaken && mood.dateSource != .fileName
        (size, modified) = (photo.size, photo.mtimeNs)
        path = [UInt8](photo.folder) + [UInt8(ascii: "/")] + name
    }

    private static func kind(ofEnding ending: String) -> Int {
        if ["heic", "heif", "hif", "avif", "jxl", "png", "tif", "tiff"].contains(ending) { return 1 }
        return raw.contains(ending) ? 0 : 2
    }

    private static let raw: Set<String> = [
        "3fr", "arw", "cr2", "cr3", "crw", "dcr", "dng", "erf", "iiq", "kdc", "mef", "mos",
        "mrw", "nef", "nrw", "orf", "pef", "raf", "raw", "rw2", "rwl", "sr2", "srf", "srw", "x3f",
    ]

    static func < (a: PhotoRank, b: PhotoRank) -> Bool {
        if a.isMissing != b.isMissing { return b.isMissing }
        if a.pixels != b.pixels { return a.pixels > b.pixels }
        if a.kind != b.kind { return a.kind < b.kind }
        if a.knowsAll != b.knowsAll { return a.knowsAll }
        if a.size != b.size { return a.size > b.size }
        if a.modified != b.modified { return a.modified < b.modified }
        return a.path.lexicographicallyPrecedes(b.path)
    }

    static func ranks(of ids: [ManagedObjectID], in stack: DataStack) throws -> [ManagedObjectID: PhotoRank] {
        var ranks: [ManagedObjectID: PhotoRank] = [:]
        for some in ids.parts(of: 256) {
            let found = try retryingWhatOthersCause {
                try stack.read { view in
                    try view.objects(Mood.self, with: some, prefetching: [\Mood.photo]).compactMap {
                        mood in
                        PhotoRank(mood).map { (mood.objectID, $0) }
                    }
                }
            }
            for (id, rank) in found { ranks[id] = rank }
        }
        return ranks
    }
}
