package import DataStacks
import Foundation
import ManagedObjects
package import MoodyModel
import Palettes

/// Brings a store up to date with records that other machines made of photos.
///
/// The law: whatever the order, the partition and the repetition of the records of some photos, a new store
/// has the moods that one ``Ingest`` of these photos would have made, with the same numbers.
package struct RecordImport {
    /// How an import went, counted in paths.
    package struct Report: Sendable, Equatable {
        package var new = 0, changed = 0, unchanged = 0, failed = 0, others = 0
        /// Photos whose moods were deleted on purpose.
        package var leftOut = 0
        /// Records of older files, or of another version of the algorithm, than the store has.
        package var older = 0, otherAlgorithm = 0
        /// Records that gave way to another one of the same path.
        package var duplicates = 0
        /// Lines that are no records.
        package var wrongLines = 0
        package var wasStopped = false

        package init() {}

        package var photos: Int { new + changed + unchanged + failed + leftOut + older + otherAlgorithm }
    }

    /// Records ask for something else than the store, or than each other.
    package struct Mismatch: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter file, line: where a line is no record; `line` counts from 1.
    package typealias OnWrongLine = (_ file: String, _ line: Int, _ reason: String) -> Void

    private var sorter: RecordSorter
    private var report = Report()
    /// Replaced at the start of paths: the longest that fits wins.
    private let roots: [(prefix: [UInt8], folder: [UInt8])]
    private let onWrongLine: OnWrongLine
    private let isStopped: () -> Bool
    private var request: PaletteRequest?
    /// The request of the first record, which all others must match.
    private var requestText: String?
    package static let batchSize = 256
    /// From so many records on a store that has fewer photos gets its indexes at the end.
    private let many: Int

    /// - Parameters:
    ///   - folder: of the store.
    ///   - roots: replacements for the start of paths, as in `s3://bucket/photos` to `/mnt/photos`.
    package init(
        besideStoreIn folder: BytePath, roots: [(prefix: [UInt8], folder: [UInt8])], runBytes: Int = 64 << 20,
        many: Int = 10_000, isStopped: @escaping () -> Bool, onWrongLine: @escaping OnWrongLine
    ) {
        sorter = RecordSorter(folder: folder, runBytes: runBytes)
        self.roots = roots.sorted { $0.prefix.count > $1.prefix.count }
        (self.many, self.isStopped, self.onWrongLine) = (many, isStopped, onWrongLine)
    }

    /// Takes in the lines of a file or pipe.
    ///
    /// - Throws: ``FileError`` when the lines, or a run beside the store, cannot be read or written;
    ///   ``Mismatch``.
    package mutating func read(_ file: Int32, named name: String) throws {
        var lines = LineReader(file: file), number = 0
        while let line = try lines.next() {
            if isStopped() {
                report.wasStopped = true
                return
            }
            number += 1
            if line.allSatisfy({ $0 == 32 || $0 == 13 || $0 == 9 }) && !line.isEmpty { continue }
            var key: RecordKey?
            do throws(RecordError) {
                // The end line of a stream.
                guard let read = try PhotoRecord.key(ofLine: line) else { continue }
                key = read
            } catch {
                report.wrongLines += 1
                onWrongLine(name, number, "\(error)")
            }
            guard var key else { continue }
            try check(key, line, "\(name):\(number)")
            key.path = located(key.path)
            try sorter.append(line, key)
        }
    }

    /// Palettes of different options do not belong into one store: seen before anything is written.
    private mutating func check(_ key: RecordKey, _ line: Data, _ location: String) throws {
        guard let text = key.request else { return }
        if let requestText {
            if text == requestText { return }
            throw Mismatch(
                description: "\(location): a palette of \(text), others of \(requestText): one store per kind"
            )
        }
        guard let record = try? PhotoRecord(line: line), case .mood(let mood) = record.result else { return }
        (request, requestText) = (mood.request, text)
    }

    private func located(_ path: [UInt8]) -> [UInt8] {
        for (prefix, folder) in roots where path.starts(with: prefix) {
            let rest = path.dropFirst(prefix.count)
            // A whole part of the path: /photos is no start of /photos2.
            guard rest.isEmpty || rest.first == slash || prefix.last == slash else { continue }
            return BytePath(folder).appending(Array(rest.drop { $0 == slash })).bytes
        }
        return path
    }

    /// Writes what was read, in transactions of ``batchSize`` photos; what is committed stays when a later
    /// one fails, and the next import of the same records ends with the same store.
    ///
    /// - Parameter open: the store for palettes of these options; nil when all records are errors. Called
    ///   once.
    /// - Throws: ``Mismatch``, ``StoreError``, ``FileError``.
    package mutating func write(
        to open: (PaletteRequest?) throws -> DataStack, onProgress: (Int) -> Void = { _ in }
    ) throws -> Report {
        var batch: [PhotoRecord] = [], done = 0
        let report = Box(report), stack = try open(request)
        let asked = request ?? PaletteRequest(PaletteOptions())
        let stored = try PhotoCatalog(in: stack, asking: asked)
        if !asked.leftOut.isEmpty { try LeftOutMark.set(in: stack) }
        func flush() throws {
            let some = batch
            batch = []
            if some.isEmpty { return }
            try Self.write(some, to: stack, stored, asking: asked, report)
            done += some.count
            onProgress(done)
        }
        let isStopped = isStopped, onWrongLine = onWrongLine
        func writeAll() throws {
            try sorter.forEach { key, line in
                if isStopped() {
                    report.value.wasStopped = true
                    return
                }
                var record: PhotoRecord
                do throws(RecordError) { record = try PhotoRecord(line: line) } catch {
                    report.value.wrongLines += 1
                    return onWrongLine(BytePath(key.path).description, 0, "\(error)")
                }
                record.path = key.path
                batch.append(record)
                if batch.count >= Self.batchSize { try flush() }
            }
            try flush()
        }
        if sorter.count >= many && sorter.count > stored.photos.count {
            try stack.coordinator.withoutFetchIndexes(writeAll)
        } else {
            try writeAll()
        }
        if done > 0 {
            try retryingWhatOthersCause { try stack.performAndWait { try Country.recount(in: $0) } }
            try retryingWhatOthersCause { try ColorPages.fill(in: stack) }
        }
        report.value.duplicates = sorter.duplicates
        return report.value
    }

    private final class Box {
        var value: Report
        init(_ value: Report) { self.value = value }
    }

    private enum Verdict: Sendable {
        case new, changed, unchanged, failed, other, leftOut, older, otherAlgorithm
    }

    private static func write(
        _ records: [PhotoRecord], to stack: DataStack, _ stored: PhotoCatalog, asking asked: PaletteRequest,
        _ report: Box
    ) throws {
        let seen = Date()
        var stored = stored
        var plans = records.map { plan($0, stored) }
        // Another process wrote the same rows: what is done with each record is decided anew. Of a store that
        // is held nothing can be read either.
        func planAnew(_ error: StackError) throws {
            if case .store(.inUse) = error { return }
            stored = try PhotoCatalog(in: stack, asking: asked)
            plans = records.map { plan($0, stored) }
        }
        try retryingWhatOthersCause(onRetry: planAnew) {
            let plans = plans
            try stack.performAndWait { transaction in
                for (record, (verdict, isKnown)) in zip(records, plans) {
                    guard [.new, .changed, .failed, .other].contains(verdict) else { continue }
                    var source = PhotoImport(record, seen: seen)
                    // A photo that something else was written over fails: its mood is still in the list.
                    if verdict == .failed, case .failed(let reason, _) = record.result {
                        source.result = .failed(reason)
                    }
                    _ =
                        try isKnown
                        ? transaction.importUniqueObject(Photo.self, from: source)
                        : transaction.importNewObject(Photo.self, from: source)
                }
            }
        }
        for (verdict, _) in plans {
            switch verdict {
            case .new: report.value.new += 1
            case .changed: report.value.changed += 1
            case .unchanged: report.value.unchanged += 1
            case .failed: report.value.failed += 1
            case .other: report.value.others += 1
            case .leftOut: report.value.leftOut += 1
            case .older: report.value.older += 1
            case .otherAlgorithm: report.value.otherAlgorithm += 1
            }
        }
    }

    private static func plan(_ record: PhotoRecord, _ stored: PhotoCatalog) -> (Verdict, isKnown: Bool) {
        let path = BytePath(record.path)
        let folder = stored.range(of: path.folderOfRecord)
        let known = stored.index(of: path.name, in: folder, next: -1).map { stored.photos[$0] }
        switch record.result {
        case .failed(_, let kind):
            guard let known else { return (kind == .notPicture ? .other : .failed, false) }
            if known.state == .removed { return (.leftOut, true) }
            if known.seen.mtimeNs > record.mtimeNs { return (.older, true) }
            // The mood of the same bytes is here: the other machine had other limits, or less luck.
            let hash = record.contentHash.flatMap { ContentHash($0) }
            let isOfMood = hash.map { $0 == known.paletteHash } ?? (known.seen.mtimeNs == record.mtimeNs)
            if known.hasMood, known.state == .kept, isOfMood { return (.unchanged, true) }
            return (known.hasMood || kind != .notPicture ? .failed : .other, true)
        case .mood(let mood):
            guard let known else { return (.new, false) }
            if known.state == .removed { return (.leftOut, true) }
            let hash = record.contentHash.flatMap { ContentHash($0) }
            if known.hasMood, known.paletteHash == hash {
                if !PaletteVersion.isCurrent(mood.algorithm, named: known.name),
                    !known.isAsAsked || known.state == .kept
                {
                    return (.otherAlgorithm, true)
                }
                if known.isAsAsked && known.state == .kept { return (.unchanged, true) }
            }
            if known.seen.mtimeNs > record.mtimeNs { return (.older, true) }
            return (known.hasMood ? .changed : .new, true)
        }
    }

}

extension BytePath {
    /// The folder as a store has it: empty where the path is a name alone, as of a member of a tar stream.
    fileprivate var folderOfRecord: BytePath { bytes.contains(slash) ? folder : BytePath([]) }
}

extension PhotoImport {
    fileprivate init(_ record: PhotoRecord, seen: Date) {
        let path = BytePath(record.path)
        var file = FileStamp(size: record.size, mtimeNs: record.mtimeNs, inode: 0)
        // A file that is here, too, is known to the next ingest without being opened.
        if let here = try? FileStatus(at: path).file, here.size == file.size, here.mtimeNs == file.mtimeNs {
            file = here
        }
        self.init(
            location: FileLocation(folder: path.folderOfRecord.data, name: Data(path.name)), file: file,
            contentHash: record.contentHash, seen: seen, result: .notPicture)
        switch record.result {
        case .mood(var mood):
            // Of an earlier version's record.
            mood.pictureHash = mood.pictureHash ?? pictureHash(ofThumbnail: mood.thumbnail)
            result = .kept(mood)
        case .failed(_, .notPicture): result = .notPicture
        case .failed(let reason, _): result = .failed(reason)
        }
    }
}
