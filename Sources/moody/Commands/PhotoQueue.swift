import Images
import MoodyIngest
import Synchronization

/// The photos of a command in turn: files, and in place of an archive its members. Any thread may take one.
final class PhotoQueue<File: Sendable>: Sendable {
    enum Item: Sendable {
        case file(File)
        /// - of: nil for the archive that ``init(tar:limit:)`` got.
        case member(ArchiveMember, of: File?)
        /// The rest of an archive cannot be read.
        case broken(any Error, of: File?)
    }

    private struct State {
        var files: ArraySlice<File> = []
        /// An archive that is open.
        var tar: Int32?
        var reader: ArchiveReader?
        var archive: File?
        var knowsTakeouts = false
    }

    private let state: Mutex<State>
    private let limit: Int
    private let archive: @Sendable (File) -> BytePath?
    private let takeouts = TakeoutIndex()

    /// A note of files of Takeout that came behind their photos.
    var note: String? {
        let count = takeouts.late
        if count == 0 { return nil }
        return count == 1
            ? "1 JSON file of Google Takeout came behind its photo, and does not count"
            : "\(count) JSON files of Google Takeout came behind their photos, and do not count"
    }

    /// - Parameter archive: the path of a file that is an archive to be read; nil for any other file.
    init(_ files: [File], limit: Int, archive: @escaping @Sendable (File) -> BytePath?) {
        state = Mutex(State(files: files[...]))
        self.limit = limit
        self.archive = archive
    }

    /// - Parameter tar: an archive that is open.
    init(tar: Int32, limit: Int) {
        state = Mutex(State(tar: tar))
        self.limit = limit
        archive = { _ in nil }
    }

    func next() -> Item? {
        state.withLock { state in
            if !state.knowsTakeouts { findTakeouts(&state) }
            while true {
                if let reader = state.reader {
                    do throws(ArchiveError) {
                        if let member = try reader.next() { return .member(member, of: state.archive) }
                        state.reader = nil
                    } catch {
                        state.reader = nil
                        return .broken(error, of: state.archive)
                    }
                }
                if let tar = state.tar {
                    state.tar = nil
                    do { state.reader = try ArchiveReader(tar, limit: limit, takeouts: takeouts) } catch {
                        return .broken(error, of: nil)
                    }
                    continue
                }
                guard let file = state.files.popFirst() else { return nil }
                guard let path = archive(file) else { return .file(file) }
                state.archive = file
                do { state.reader = try ArchiveReader(at: path, limit: limit, takeouts: takeouts) } catch {
                    return .broken(error, of: file)
                }
            }
        }
    }

    /// Reads what Takeout says in all zips first: it may stand in another part of them than its photo.
    private func findTakeouts(_ state: inout State) {
        state.knowsTakeouts = true
        for path in state.files.compactMap(archive) where path.isZip {
            // What cannot be read is told when it is read for its photos.
            try? ArchiveReader(at: path, limit: limit, takeouts: takeouts).findTakeouts()
        }
    }
}
