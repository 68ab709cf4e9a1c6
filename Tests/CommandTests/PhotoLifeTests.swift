import Foundation
import Glibc
import TestSupport
import Testing

/// Random lives of photos in two folders, against a plain model of what must be in the store.
///
/// `$MOODY_SEEDS` is the number of seeds, `$MOODY_SEED` one seed alone. A seed that fails is run again with
/// fewer and fewer operations, and the shortest list that still fails is printed.
@Suite struct PhotoLifeTests {
    @Test func `whatever happens to photos, each mood stays its photo's`() throws {
        let environment = ProcessInfo.processInfo.environment
        let one = environment["MOODY_SEED"].flatMap { UInt64($0) }
        let count = environment["MOODY_SEEDS"].flatMap { UInt64($0) } ?? 6
        for seed in one.map({ $0...$0 }) ?? 1...count {
            var random = SplitMix64(seed: seed)
            var operations = PhotoOperation.list(of: 30, &random)
            guard var failure = try PhotoLife().failure(of: operations) else { continue }
            print("seed \(seed): \(failure); looking for the fewest operations that fail")
            var index = 0
            while index < operations.count {
                var fewer = operations
                fewer.remove(at: index)
                if let other = try PhotoLife().failure(of: fewer) {
                    (operations, failure) = (fewer, other)
                } else {
                    index += 1
                }
            }
            Issue.record(
                "seed \(seed): \(failure)\n\(operations.map { "  \($0)" }.joined(separator: "\n"))")
        }
    }
}

/// What is done to the files, or asked of the store. Paths are indexes into ``PhotoLife/paths``.
enum PhotoOperation {
    case write(Int, color: Int)
    case truncate(Int), empty(Int), junk(Int), remove(Int)
    case copy(Int, Int), rename(Int, Int), swap(Int, Int), link(Int, Int)
    /// The folder is away, or an empty one is left where it was.
    case unmount(root: Int, leavesFolder: Bool)
    case mount(root: Int)
    case ingest(roots: [Int], options: [String])
    case watchOnce
    case delete(Int)

    /// Random operations; after about every second one the store is brought up to date, since a defect often
    /// needs a run between two changes of the same file.
    static func list(of count: Int, _ random: inout SplitMix64) -> [PhotoOperation] {
        (0..<count).flatMap { _ in
            let operation = PhotoOperation.random(&random)
            return Bool.random(using: &random)
                ? [operation, .ingest(roots: [0, 1], options: [])] : [operation]
        }
    }

    static func random(_ random: inout SplitMix64) -> PhotoOperation {
        // Few files, so that the same ones are changed again and again.
        func path() -> Int {
            let count = Int.random(in: 0..<4, using: &random) == 0 ? PhotoLife.paths.count : 3
            return .random(in: 0..<count, using: &random)
        }
        func root() -> Int { .random(in: 0...1, using: &random) }
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<6: return .write(path(), color: .random(in: 0..<PhotoLife.colors.count, using: &random))
        case 6..<10: return .truncate(path())
        case 10: return .empty(path())
        case 11: return .junk(path())
        case 12..<14: return .remove(path())
        case 14..<16: return .copy(path(), path())
        case 16..<20: return .rename(path(), path())
        case 20: return .swap(path(), path())
        case 21: return .link(path(), path())
        case 22: return .unmount(root: root(), leavesFolder: .random(using: &random))
        case 23..<25: return .mount(root: root())
        case 25: return .watchOnce
        case 26..<29: return .delete(path())
        default:
            let options = ["--prune", "--retry", "--verify", "--restore", "--recompute"].filter { _ in
                Int.random(in: 0..<8, using: &random) == 0
            }
            let roots = [[0], [1], [0, 1], [1, 0], [0, 1], [0, 1]].randomElement(using: &random) ?? [0]
            return .ingest(roots: roots, options: options)
        }
    }
}

private final class PhotoLife {
    static let roots = ["A", "B"]
    static let paths = ["A", "B"].flatMap { root in
        ["a.png", "b.png", "e", "sub/a.png", "sub-2/c.png"].map { "\(root)/\($0)" }
    }
    static let colors = ["ff0000", "00ff00", "0000ff", "808080"]

    /// The bytes of a file, as far as they matter.
    enum Content: Equatable {
        case picture(Int)
        /// Of the picture that it once was, if any: no two of them need be equal.
        case broken
        case text
    }

    /// What the system says of a file: `number` is the inode.
    struct Stamp: Equatable {
        var number: Int
        var time: Int
    }

    struct File: Equatable {
        var content: Content
        var stamp: Stamp
    }

    enum State: Int { case kept, failed, notPicture, missing, removed }

    /// What the store must have at a path.
    struct Row: Equatable {
        var mood: Int64?
        var color: Int?
        var state: State
        var stamp: Stamp
    }

    private let bench: Workbench
    private var files: [String: File] = [:]
    private var away: [Int: Bool] = [:]
    private var rows: [String: Row] = [:]
    /// Folders that a run looked through.
    private var remembered = Set<Int>()
    private var clock = 1_600_000_000, numbers = 0
    private var hasStore = false

    init() throws {
        bench = try Workbench()
        try bench.putSquares(
            Self.colors.enumerated().map { (name: "colors/\($0.offset).png", hex: $0.element) })
        _ = try bench.shell("mkdir -p A/sub A/sub-2 B/sub B/sub-2 away")
    }

    /// - Returns: what went wrong first, and after which operation; nil for nothing.
    func failure(of operations: [PhotoOperation]) throws -> String? {
        for (number, operation) in operations.enumerated() {
            if let failure = try perform(operation) {
                return "operation \(number + 1), \(operation): \(failure)"
            }
        }
        return nil
    }

    // MARK: The disk

    private func root(of path: String) -> Int { path.hasPrefix("A") ? 0 : 1 }
    private func isMounted(_ root: Int) -> Bool { away[root] == nil }
    private func path(_ index: Int) -> String { Self.paths[index] }

    /// A file at a path that can be seen now.
    private func file(_ index: Int) -> File? { isMounted(root(of: path(index))) ? files[path(index)] : nil }

    private func put(_ content: Content, _ bytes: Data, at path: String) throws {
        numbers += 1
        clock += 1
        // Beside its place first: the new file has a number that no stored one has.
        try bytes.write(to: bench.folder.appending(path: path + ".part"))
        _ = unsafe rename(bench.path(path + ".part"), bench.path(path))
        files[path] = File(content: content, stamp: Stamp(number: numbers, time: clock))
        try setTime(path)
    }

    private func setTime(_ path: String) throws {
        let time = timespec(tv_sec: clock, tv_nsec: 0)
        try #require(unsafe utimensat(AT_FDCWD, bench.path(path), [time, time], 0) == 0)
    }

    private func data(_ path: String) throws -> Data {
        try Data(contentsOf: bench.folder.appending(path: path))
    }

    /// Changes a file where it is: its other names change too.
    private func change(_ index: Int, _ content: Content, _ bytes: (Data) -> Data) throws {
        guard let old = file(index) else { return }
        let path = path(index)
        clock += 1
        let handle = try FileHandle(forWritingTo: bench.folder.appending(path: path))
        let new = bytes(try data(path))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: new)
        try handle.close()
        try setTime(path)
        for (name, file) in files where file.stamp.number == old.stamp.number {
            files[name] = File(content: content, stamp: Stamp(number: file.stamp.number, time: clock))
        }
    }

    private func perform(_ operation: PhotoOperation) throws -> String? {
        switch operation {
        case .write(let index, let color):
            guard isMounted(root(of: path(index))) else { return nil }
            try put(.picture(color), data("colors/\(color).png"), at: path(index))
        case .truncate(let index):
            guard case .picture? = file(index)?.content else { return nil }
            // Less than the first picture data: files that were damaged so have the same bytes.
            try change(index, .broken) { $0.prefix(40) }
        case .empty(let index):
            // Nothing is no picture of any kind.
            try change(index, .text) { _ in Data() }
        case .junk(let index): try change(index, .text) { _ in Data("hello".utf8) }
        case .remove(let index):
            guard file(index) != nil else { return nil }
            try bench.remove(path(index))
            files[path(index)] = nil
        case .copy(let from, let to):
            guard let old = file(from), from != to, isMounted(root(of: path(to))) else { return nil }
            try put(old.content, data(path(from)), at: path(to))
        case .rename(let from, let to):
            guard let old = file(from), from != to, isMounted(root(of: path(to))) else { return nil }
            // rename(2) does nothing with two names of one file.
            if files[path(to)]?.stamp.number == old.stamp.number { return nil }
            _ = unsafe Glibc.rename(bench.path(path(from)), bench.path(path(to)))
            (files[path(from)], files[path(to)]) = (nil, old)
        case .swap(let a, let b):
            guard let first = file(a), let second = file(b), first.stamp.number != second.stamp.number else {
                return nil
            }
            for (from, to) in [(path(a), "swap"), (path(b), path(a)), ("swap", path(b))] {
                _ = unsafe Glibc.rename(bench.path(from), bench.path(to))
            }
            (files[path(a)], files[path(b)]) = (second, first)
        case .link(let from, let to):
            guard let old = file(from), isMounted(root(of: path(to))), files[path(to)] == nil else {
                return nil
            }
            _ = unsafe Glibc.link(bench.path(path(from)), bench.path(path(to)))
            files[path(to)] = old
        case .unmount(let root, let leavesFolder):
            if !isMounted(root) { return nil }
            away[root] = leavesFolder
            try bench.move(Self.roots[root], to: "away/" + Self.roots[root])
            if leavesFolder { _ = try bench.shell("mkdir " + Self.roots[root]) }
        case .mount(let root):
            guard let leavesFolder = away.removeValue(forKey: root) else { return nil }
            if leavesFolder { try bench.remove(Self.roots[root]) }
            try bench.move("away/" + Self.roots[root], to: Self.roots[root])
        case .ingest(let roots, let options):
            return try ingest(roots, Set(options), ["ingest"] + options + roots.map { Self.roots[$0] })
        case .watchOnce:
            if !isMounted(0) && !isMounted(1) { return nil }
            return try ingest([0, 1], [], ["watch", "--once", "A", "B"])
        case .delete(let index): return try delete(path(index))
        }
        return nil
    }

    // MARK: The store

    private func delete(_ path: String) throws -> String? {
        if !hasStore { return nil }
        let run = try bench.moody("delete", path)
        let expected: Int32 = rows[path]?.mood == nil ? 1 : 0
        if run.status != expected { return "status \(run.status): \(run.err)" }
        if expected == 0 {
            rows[path]?.mood = nil
            rows[path]?.state = .removed
        }
        return try difference(newMoods: [])
    }

    /// Whether a photo's file is gone: never on a disk that is away or empty, unless it was missing before.
    private func isGone(_ path: String, _ row: Row) -> Bool {
        let root = root(of: path)
        if isMounted(root) { return files[path] == nil }
        return row.state == .missing
    }

    /// The order in which a run looks at files: folder by folder, names by their bytes.
    private func order(_ path: String) -> [[UInt8]] { path.split(separator: "/").map { Array($0.utf8) } }

    private func precedes(_ a: String, _ b: String) -> Bool {
        order(a).lexicographicallyPrecedes(order(b)) { $0.lexicographicallyPrecedes($1) }
    }

    /// The order in which the store's photos stand: folders by their bytes, then names.
    private func isStoredBefore(_ a: String, _ b: String) -> Bool {
        func parts(_ path: String) -> [[UInt8]] {
            let name = path.split(separator: "/").last.map { Array($0.utf8) } ?? []
            return [Array(path.utf8.dropLast(name.count + 1)), name]
        }
        return parts(a).lexicographicallyPrecedes(parts(b)) { $0.lexicographicallyPrecedes($1) }
    }

    private func ingest(_ named: [Int], _ options: Set<String>, _ arguments: [String]) throws -> String? {
        let isThere = named.contains { isMounted($0) || away[$0] == true }
        let run = try bench.run(arguments)
        if !hasStore && !isThere { return run.status == 1 ? nil : "status \(run.status) without a folder" }
        hasStore = true
        var fails = named.contains { root in
            if isMounted(root) { return false }
            return away[root] == false
                || rows.contains { self.root(of: $0.key) == root && $0.value.state == .kept }
        }
        let seen = named.filter { isMounted($0) }
        remembered.formUnion(seen)
        let before = rows,
            found = seen.flatMap { root in
                files.keys.filter { self.root(of: $0) == root }.sorted(by: precedes)
            }
        var claimed = Set<String>(), fresh = Set<String>()
        let missesNow = Set(
            before.filter {
                seen.contains(root(of: $0.key)) && files[$0.key] == nil && $0.value.state != .removed
                    && $0.value.state != .missing
            }.keys)
        func claim(_ color: Int, _ path: String, _ file: File) -> String? {
            let all = before.filter { other, row in
                other != path && row.color == color && !claimed.contains(other) && isGone(other, row)
                    && (row.mood != nil || (row.state == .removed && !options.contains("--restore")))
            }
            func rank(_ path: String) -> [Int] {
                guard let row = before[path] else { return [] }
                return [
                    row.state == .removed ? 1 : 0, row.stamp.number == file.stamp.number ? 0 : 1,
                    missesNow.contains(path) ? 0 : row.state == .missing ? 1 : 2,
                ]
            }
            let best = all.keys.min { a, b in
                rank(a) == rank(b) ? isStoredBefore(a, b) : rank(a).lexicographicallyPrecedes(rank(b))
            }
            if let best { claimed.insert(best) }
            return best
        }
        let opensAll = options.contains("--verify") || options.contains("--recompute")
        for path in found {
            guard let file = files[path] else { continue }
            let row = before[path]
            if let row {
                let isSame = row.stamp == file.stamp
                switch row.state {
                case .removed where isSame && !options.contains("--restore"): continue
                case .kept where isSame && !opensAll: continue
                case .failed where isSame && !opensAll && !options.contains("--retry"): continue
                case .notPicture where isSame && !opensAll && !options.contains("--retry"): continue
                default: break
                }
            }
            let restores = row?.state == .removed && options.contains("--restore")
            guard case .picture(let color) = file.content else {
                if row?.state == .removed && !restores {
                    rows[path]?.stamp = file.stamp
                    continue
                }
                let isOther = file.content == .text && !path.hasSuffix(".png") && row?.mood == nil
                rows[path] = Row(
                    mood: row?.mood, color: row?.mood == nil ? nil : row?.color,
                    state: isOther ? .notPicture : .failed, stamp: file.stamp)
                if !isOther { fails = true }
                continue
            }
            if let row, row.color == color, row.state != .removed || !restores,
                row.mood != nil || row.state == .removed
            {
                rows[path]?.stamp = file.stamp
                if row.state != .removed { rows[path]?.state = .kept }
                continue
            }
            let isOwnDeleted = row?.state == .removed && row?.color == color
            if !isOwnDeleted, let old = claim(color, path, file), var moved = before[old] {
                if rows[old]?.mood == moved.mood { rows[old] = nil }
                moved.stamp = file.stamp
                if moved.state != .removed { moved.state = .kept }
                rows[path] = moved
                continue
            }
            let mood = row?.mood
            if mood == nil { fresh.insert(path) }
            rows[path] = Row(mood: mood, color: color, state: .kept, stamp: file.stamp)
        }
        for (path, row) in before
        where seen.contains(root(of: path)) && files[path] == nil && row.state != .removed
            && !claimed.contains(path)
        {
            if row.mood == nil || options.contains("--prune") {
                rows[path] = nil
            } else {
                rows[path]?.state = .missing
            }
        }
        if run.status != (fails ? 1 : 0) { return "status \(run.status), not \(fails ? 1 : 0): \(run.err)" }
        return try difference(newMoods: fresh)
    }

    private struct Listed: Decodable {
        struct Color: Decodable { let hex: String }
        let id: Int64, path: String, colors: [Color]
        let missing: Bool?, failure: String?
    }

    /// Compares the store with the model; numbers of new moods are taken over.
    private func difference(newMoods: Set<String>) throws -> String? {
        let known = Set(rows.values.compactMap(\.mood))
        let list = try bench.moody("list", "--json", "--sort", "path")
        let start = try bench.realPath.count + 1
        let moods = try list.lines.map { try JSONDecoder().decode(Listed.self, from: Data($0.utf8)) }
        var found: [String: String] = [:]
        for mood in moods {
            let path = String(mood.path.dropFirst(start))
            let state = mood.missing == true ? "missing" : mood.failure == nil ? "kept" : "failed"
            if newMoods.contains(path), !known.contains(mood.id) { rows[path]?.mood = mood.id }
            found[path] = "\(mood.id) \(mood.colors.map(\.hex).joined(separator: " ")) \(state)"
        }
        var expected: [String: String] = [:]
        for (path, row) in rows {
            guard let mood = row.mood, let color = row.color else { continue }
            expected[path] = "\(mood) #\(Self.colors[color]) \(row.state)"
        }
        for path in newMoods where rows[path]?.mood == nil {
            return "\(path) has no mood of its own: \(found)"
        }
        for path in Set(found.keys).union(expected.keys).sorted() where found[path] != expected[path] {
            return "\(path): \(found[path] ?? "nothing"), not \(expected[path] ?? "nothing")"
        }
        let removed = try bench.shell(
            """
            sqlite3 Moody.moody "SELECT CAST(ZFOLDER AS TEXT) || '/' || CAST(ZNAME AS TEXT) FROM ZPHOTO
            WHERE ZSTATE = 4"
            """
        ).lines.map { String($0.dropFirst(start)) }
        let deleted = rows.filter { $0.value.state == .removed }.keys
        if Set(removed) != Set(deleted) { return "deleted: \(removed.sorted()), not \(deleted.sorted())" }
        return nil
    }
}
