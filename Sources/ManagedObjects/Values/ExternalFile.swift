import Foundation
import Glibc

/// Keeps the files of large values: a store that lies beside them.
protocol ExternalFileOwner: AnyObject, Sendable {
    /// The folder of the files, by which two owners of the same files are told to be one.
    var folderPath: String { get }
    func read(_ name: String) throws -> Data
    /// No value names the file any more in this process, but maybe a row.
    func release(_ name: String)
    /// A save is about to make rows name these files.
    ///
    /// - Throws: ``StoreError/file(_:errno:)`` for one that is not there, or whose name is not on the disk.
    func willName(_ names: [String]) throws
}

/// A large value in a file of its own beside its store.
///
/// The file stays for as long as a value in this process names it: what undo keeps, what a merge policy may
/// write again, what an older reader has not read yet. What no row and no value names is removed.
public final class ExternalFile: Sendable {
    /// A UUID, or in a store that somebody tampered with any text.
    let name: String
    private let owner: (any ExternalFileOwner)?

    /// - Parameter owner: counts the file's users; nil for a name that is no file's.
    init(_ name: String, _ owner: (any ExternalFileOwner)?) { (self.name, self.owner) = (name, owner) }

    deinit { owner?.release(name) }

    /// The folder the file lies in; nil for a name that is no file's.
    var folderPath: String? { owner?.folderPath }

    /// Reads the value.
    ///
    /// - Throws: ``StoreError/file(_:errno:)``.
    func read() throws -> Data {
        guard let owner else { throw StoreError.file(name, errno: EINVAL) }
        return try owner.read(name)
    }

    /// Tells the owners of files that rows are about to name them.
    ///
    /// - Throws: ``StoreError/file(_:errno:)``.
    static func willName(_ files: [ExternalFile]) throws {
        // By owner, not by folder: stores that share one have counts of their own.
        for (_, files) in Dictionary(grouping: files, by: { $0.owner.map { ObjectIdentifier($0) } }) {
            guard let owner = files[0].owner else { throw StoreError.file(files[0].name, errno: EINVAL) }
            try owner.willName(files.map(\.name))
        }
    }

    /// Whether both name one file.
    func isSame(as other: ExternalFile) -> Bool { name == other.name && folderPath == other.folderPath }
}

extension StoredValue {
    /// The value itself, read from its file where it has one.
    ///
    /// - Throws: ``StoreError/file(_:errno:)``.
    func resolved() throws -> StoredValue {
        if case .external(let file) = self { .blob(try file.read()) } else { self }
    }

    /// Whether both hold the same bytes, in a file or not. Reads a file only where one of the two has none.
    func hasSameBytes(as other: StoredValue) -> Bool {
        switch (self, other) {
        case (.external(let file), .blob(let data)), (.blob(let data), .external(let file)):
            (try? file.read()) == data
        default: isIdentical(to: other)
        }
    }
}
