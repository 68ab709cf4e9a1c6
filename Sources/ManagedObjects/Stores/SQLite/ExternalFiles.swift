import Foundation
import Glibc

/// The folder beside a store for values too large for a row: `.Moody_SUPPORT/_EXTERNAL_DATA`.
///
/// A column with external storage begins with a byte that says where the value is: 1, the rest is the value;
/// 2, the rest is the name of a file, which is a UUID, and a NUL.
///
/// - Source: public descriptions of Core Data's stores; no Apple-written sample was found to check against.
struct ExternalFiles: Sendable {
    /// Values of this many bytes and more go to files.
    static let threshold = 100 * 1024
    let supportFolder: URL
    var folder: URL { supportFolder.appending(path: "_EXTERNAL_DATA") }

    init(storeAt url: URL) {
        let name = url.deletingPathExtension().lastPathComponent
        supportFolder = url.deletingLastPathComponent().appending(path: ".\(name)_SUPPORT")
    }

    /// The column for a value that stays in the row.
    static func inline(_ data: Data) -> Data { Data([1]) + data }

    /// The value in a column, when it stays in the row, and the file's name, when it does not.
    static func parse(_ column: Data) -> (inline: Data?, name: String?) {
        switch column.first {
        case 2: (nil, String(decoding: column.dropFirst().prefix { $0 != 0 }, as: UTF8.self))
        case nil: (Data(), nil)
        default: (Data(column.dropFirst()), nil)
        }
    }

    /// Writes `data` to a file and syncs it, or keeps it for the row when it is small.
    ///
    /// - Throws: ``StoreError/file(_:errno:)``.
    func stage(_ data: Data) throws -> Data {
        if data.count < Self.threshold { return Self.inline(data) }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch { throw StoreError.file(folder.path, errno: errno == 0 ? EACCES : errno) }
        let name = UUID().uuidString
        try write(data, to: name)
        return Data([2]) + Data(name.utf8) + [0]
    }

    private func write(_ data: Data, to name: String) throws {
        let path = folder.appending(path: name).path
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw StoreError.file(name, errno: errno) }
        defer { close(file) }
        var code = writeAll(data.bytes, to: file)
        if code == 0, fdatasync(file) != 0 { code = errno }
        if code == 0 { return }
        _ = unsafe unlink(path)
        throw StoreError.file(name, errno: code)
    }

    func read(_ name: String) throws -> Data {
        do { return try Data(contentsOf: folder.appending(path: name)) } catch {
            throw StoreError.file(name, errno: ENOENT)
        }
    }

    func size(_ name: String) -> Int? {
        var status = stat()
        guard unsafe lstat(folder.appending(path: name).path, &status) == 0 else { return nil }
        return Int(status.st_size)
    }

    func remove(_ names: some Sequence<String>) {
        for name in names { _ = unsafe unlink(folder.appending(path: name).path) }
    }

    /// The files there are. Names of another shape are not ours and are left alone.
    func names() -> Set<String> {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return Set(all.filter { UUID(uuidString: $0) != nil })
    }

    /// Whether another store beside this one, as `a.sqlite` beside `a.moody`, shares the folder.
    func isShared(with url: URL) -> Bool {
        let stem = url.deletingPathExtension().lastPathComponent
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path))
        return (names ?? []).contains { name in
            // Never a -shm, whose locks no look by SQLite spares: see `isSQLite`.
            if ["-shm", "-wal", "-journal"].contains(where: name.hasSuffix) { return false }
            let other = url.deletingLastPathComponent().appending(path: name)
            return name != url.lastPathComponent && other.deletingPathExtension().lastPathComponent == stem
                && isSQLite(other)
        }
    }
}
