import Foundation
import Glibc
import MoodyModel

/// Sorts the lines of records by path, in the order in which an ingest looks at files, in bounded memory:
/// an external merge sort.
///
/// Lines are gathered up to ``runBytes``, sorted, and written to a file that has no name any more: it goes
/// with the process, however that ends. Of several records of one path one counts: see
/// ``RecordKey/wins(over:)``.
///
/// - Complexity: O(*n* log *n*); two writes and two reads of each line above ``runBytes``.
struct RecordSorter {
    private struct Entry {
        var order: [UInt8]
        var key: RecordKey
        var line: Data
    }

    private let folder: BytePath
    private let runBytes: Int
    private var entries: [Entry] = []
    private var bytes = 0
    private var runs: [RunFile] = []
    /// The lines that were appended.
    private(set) var count = 0
    /// Records that gave way to another one of the same path.
    private(set) var duplicates = 0

    /// - Parameter folder: where runs are written: beside the store, whose disk has room for the lines.
    init(folder: BytePath, runBytes: Int = 64 << 20) { (self.folder, self.runBytes) = (folder, runBytes) }

    /// - Throws: ``FileError`` when a run cannot be written.
    mutating func append(_ line: Data, _ key: RecordKey) throws(FileError) {
        entries.append(Entry(order: Self.order(key.path), key: key, line: line))
        count += 1
        bytes += line.count + 200
        if bytes >= runBytes { try writeRun() }
    }

    /// Compared as bytes this is the order of folders and names, part by part: a slash comes before all else.
    private static func order(_ path: [UInt8]) -> [UInt8] { path.map { $0 == slash ? 0 : $0 } }

    /// Hands over the lines that count, in order.
    ///
    /// - Throws: ``FileError``, and what `body` throws.
    mutating func forEach(_ body: (RecordKey, Data) throws -> Void) throws {
        sort()
        if runs.isEmpty {
            for entry in entries { try body(entry.key, entry.line) }
            return
        }
        try writeRun()
        var heads: [(entry: Entry, run: Int)] = []
        for run in runs.indices { if let entry = try next(run) { heads.append((entry, run)) } }
        var best: Entry?
        while !heads.isEmpty {
            // Some hundred runs at most: a search through all heads costs less than what a line is used for.
            var first = 0
            for index in heads.indices.dropFirst()
            where heads[index].entry.order.lexicographicallyPrecedes(heads[first].entry.order) {
                first = index
            }
            let (entry, run) = heads[first]
            if let after = try next(run) { heads[first].entry = after } else { heads.remove(at: first) }
            if let known = best, known.order == entry.order {
                duplicates += 1
                if entry.key.wins(over: known.key) { best = entry }
            } else {
                if let best { try body(best.key, best.line) }
                best = entry
            }
        }
        if let best { try body(best.key, best.line) }
    }

    /// Sorts what is in memory, and keeps one record per path.
    private mutating func sort() {
        entries.sort { a, b in
            if a.order == b.order { return a.key.wins(over: b.key) }
            return a.order.lexicographicallyPrecedes(b.order)
        }
        var kept: [Entry] = []
        for entry in entries {
            if kept.last?.order == entry.order { duplicates += 1 } else { kept.append(entry) }
        }
        entries = kept
    }

    private mutating func writeRun() throws(FileError) {
        if entries.isEmpty { return }
        sort()
        let run = try RunFile(in: folder)
        for entry in entries {
            try run.write(entry.key.data)
            try run.write(entry.line)
        }
        try run.rewind()
        runs.append(run)
        (entries, bytes) = ([], 0)
    }

    private func next(_ run: Int) throws(FileError) -> Entry? {
        guard let head = try runs[run].read(), let line = try runs[run].read() else { return nil }
        let key = RecordKey(data: head)
        return Entry(order: Self.order(key.path), key: key, line: line)
    }
}

extension RecordKey {
    /// For a run: the two numbers, whether it is a mood, the hash behind its length, and the path, which may
    /// have another root than the line says.
    fileprivate var data: Data {
        var bytes: [UInt8] = []
        for shift in stride(from: 0, to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: mtimeNs >> Int64(shift)))
        }
        bytes += [UInt8(truncatingIfNeeded: algorithm), UInt8(truncatingIfNeeded: algorithm >> 8)]
        bytes += [isMood ? 1 : 0, UInt8(truncatingIfNeeded: min(hash.utf8.count, 255))]
        return Data(bytes + hash.utf8.prefix(255) + path)
    }

    /// - Parameter data: what ``data`` gave.
    fileprivate init(data: Data) {
        let bytes = [UInt8](data), hashEnd = 12 + Int(bytes[11])
        self.init(
            path: Array(bytes[hashEnd...]),
            mtimeNs: bytes[0..<8].reversed().reduce(0) { $0 << 8 | Int64($1) },
            algorithm: Int16(bitPattern: UInt16(bytes[8]) | UInt16(bytes[9]) << 8),
            hash: String(decoding: bytes[12..<hashEnd], as: UTF8.self), isMood: bytes[10] == 1)
    }
}

/// A file of byte strings, each behind its length, that is written once and read once from its start.
private final class RunFile {
    private let file: Int32
    private var buffer: [UInt8] = []
    private var start = 0
    private static let size = 1 << 16

    /// - Throws: ``FileError``.
    init(in folder: BytePath) throws(FileError) {
        let path = folder.appending(Array(".moody-import-\(getpid())-\(UUID().uuidString)".utf8))
        file = unsafe path.withCString { unsafe open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        if file < 0 { throw FileError(code: errno) }
        _ = unsafe path.withCString { unsafe unlink($0) }
    }

    deinit { close(file) }

    func write(_ data: Data) throws(FileError) {
        for shift in stride(from: 0, to: 64, by: 8) {
            buffer.append(UInt8(truncatingIfNeeded: UInt64(data.count) >> UInt64(shift)))
        }
        buffer += data
        if buffer.count >= Self.size { try flush() }
    }

    private func flush() throws(FileError) {
        var done = 0
        while done < buffer.count {
            let file = file, from = done
            let written = unsafe buffer.withUnsafeBytes { bytes in
                // SAFETY: the buffer has at least as many bytes behind `from`.
                unsafe Glibc.write(
                    file, bytes.baseAddress.map { unsafe $0 + from }, bytes.count - from)
            }
            if written < 0 && errno == EINTR { continue }
            if written < 0 { throw FileError(code: errno) }
            done += written
        }
        buffer.removeAll(keepingCapacity: true)
    }

    func rewind() throws(FileError) {
        try flush()
        if lseek(file, 0, SEEK_SET) != 0 { throw FileError(code: errno) }
        (buffer, start) = ([], 0)
    }

    /// - Returns: the next string; nil at the end.
    func read() throws(FileError) -> Data? {
        guard let head = try bytes(8) else { return nil }
        let count = head.reversed().reduce(0) { $0 << 8 | Int($1) }
        guard let found = try bytes(count) else { throw FileError(code: EIO) }
        return Data(found)
    }

    private func bytes(_ count: Int) throws(FileError) -> [UInt8]? {
        while buffer.count - start < count {
            buffer.removeFirst(start)
            start = 0
            let more = try MoodyIngest.read(file, count: max(Self.size, count - buffer.count))
            if more.isEmpty { return nil }
            buffer += more
        }
        defer { start += count }
        return Array(buffer[start..<start + count])
    }
}
