import Foundation
import Glibc
import Synchronization

/// Knows which files of a store's large values are in use, and removes those that are not.
///
/// Owns the counts. A file is *staged* from its writing until a save that names it, *named* while a row has
/// it, and *dropped* when a save took it from its row. A dropped file goes when no value of this process
/// names it and no read that began before is under way. While another process has the store open, or another
/// store shares the folder, it stays: they may name it, or name it again. The former is swept at a later
/// opening.
final class ExternalFileTable: ExternalFileOwner {
    let files: ExternalFiles
    var folderPath: String { files.folder.path }

    private struct State {
        /// How many values name each file.
        var users: [String: Int] = [:]
        var staged: Set<String> = []
        /// By name: the generation it was dropped in.
        var dropped: [String: Int] = [:]
        /// Goes up with each drop.
        var generation = 0
        /// Reads under way, by the generation they began in.
        var reads: [Int: Int] = [:]
        /// Nil for a store that is only read, and after it was closed.
        var lock: StoreLock?
        /// Of a store that is only read, where somebody has had it open to write.
        var mark: StoreLock?
        var siblings: [URL] = []
        var siblingsKnownAt: Int64?
    }

    private let state = Mutex(State())

    init(_ files: ExternalFiles, lock: StoreLock?) {
        self.files = files
        state.withLock { $0.lock = lock }
    }

    // MARK: Values

    /// The value that a column holds: its bytes, or a file.
    func value(_ column: StoredValue) -> StoredValue {
        guard case .blob(let data) = column, let mark = data.first else { return column }
        if mark != 2 { return .blob(Data(data.dropFirst())) }
        let name = String(decoding: data.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
        return .external(file(name))
    }

    private func file(_ name: String) -> ExternalFile {
        guard ExternalFiles.isName(name) else { return ExternalFile(name, nil) }
        state.withLock { $0.users[name, default: 0] += 1 }
        return ExternalFile(name, self)
    }

    /// Writes a large value to a file, and gives small ones back.
    ///
    /// - Throws: ``StoreError/file(_:errno:)``.
    func stage(_ data: Data) throws -> StoredValue {
        guard let name = try files.write(data) else { return .blob(data) }
        state.withLock { state in
            state.users[name, default: 0] += 1
            state.staged.insert(name)
        }
        return .external(ExternalFile(name, self))
    }

    func read(_ name: String) throws -> Data { try files.read(name) }

    func release(_ name: String) {
        let isUnnamed = state.withLock { state in
            let count = state.users[name, default: 1] - 1
            state.users[name] = count > 0 ? count : nil
            return count <= 0 && state.staged.remove(name) != nil
        }
        isUnnamed ? files.remove([name]) : purge()
    }

    // MARK: Saves and reads

    /// From now on the files belong to rows, whatever becomes of the save.
    func willName(_ names: [String]) throws {
        for name in names where try files.size(name) == nil { throw StoreError.file(name, errno: ENOENT) }
        try files.sync()
        state.withLock { state in
            state.staged.subtract(names)
            for name in names { state.dropped[name] = nil }
        }
    }

    /// A save took these files from their rows.
    func didDrop(_ names: Set<String>) {
        if names.isEmpty { return }
        state.withLock { state in
            state.generation += 1
            for name in names { state.dropped[name] = state.generation }
        }
        purge()
    }

    /// Runs a read of rows: what they name stays until it ends.
    func reading<Value>(_ body: () throws -> Value) rethrows -> Value {
        let generation = state.withLock { state in
            if state.lock == nil, state.mark == nil { state.mark = StoreLock(reading: files) }
            state.reads[state.generation, default: 0] += 1
            return state.generation
        }
        defer {
            state.withLock { state in
                let count = state.reads[generation, default: 1] - 1
                state.reads[generation] = count > 0 ? count : nil
            }
        }
        return try body()
    }

    /// Removes dropped files that nothing names any more.
    ///
    /// - Parameter isClosing: values in memory do not count: no save can write them any more.
    private func purge(isClosing: Bool = false) {
        let unused: [String] = state.withLock { state in
            guard !state.dropped.isEmpty, let lock = state.lock else { return [] }
            if !lock.isAlone {
                state.dropped = [:]
                return []
            }
            let oldest = state.reads.keys.min() ?? .max
            let unused = state.dropped.filter { name, generation in
                isClosing || state.users[name] == nil && generation <= oldest
            }.map(\.key)
            for name in unused { state.dropped[name] = nil }
            return unused.isEmpty || isShared(&state) ? [] : unused
        }
        files.remove(unused)
    }

    /// The names beside the store are read again when there are others.
    private func isShared(_ state: inout State) -> Bool {
        let time = files.timeOfNames
        if state.siblingsKnownAt != time || time == nil {
            (state.siblings, state.siblingsKnownAt) = (files.siblings, time)
        }
        return state.siblings.contains(where: isSQLite)
    }

    /// The store is closed. What another process may still read stays, for the sweep of a later opening.
    func close() {
        purge(isClosing: true)
        state.withLock { state in
            state.lock = nil
            state.mark = nil
        }
    }
}
