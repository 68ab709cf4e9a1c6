import Foundation
import Glibc

/// A path as the file system has it: bytes, in no encoding in particular.
package struct BytePath: Hashable, Sendable {
    package var bytes: [UInt8]

    package init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }
    package init(_ text: String) { bytes = Array(text.utf8) }

    /// The path of something in this folder.
    package func appending(_ name: [UInt8]) -> BytePath {
        bytes.isEmpty ? BytePath(name) : BytePath(bytes.last == slash ? bytes + name : bytes + [slash] + name)
    }

    /// The last part.
    package var name: [UInt8] {
        let trimmed = bytes.count > 1 && bytes.last == slash ? bytes.dropLast() : bytes[...]
        return Array(trimmed.split(separator: slash).last ?? [])
    }

    /// All but the last part; "." when there is one part only.
    package var folder: BytePath {
        guard let cut = bytes.lastIndex(of: slash) else { return BytePath(".") }
        return BytePath(cut == 0 ? bytes[...0] : bytes[..<cut])
    }

    /// Whether the path is in `folder` or somewhere below. Both absolute.
    package func isBelow(_ folder: BytePath) -> Bool {
        bytes.starts(with: folder.bytes)
            && (folder.bytes.last == slash || bytes.count == folder.bytes.count
                || bytes[folder.bytes.count] == slash)
    }

    /// Without links, dots and double slashes, from the root; the path of a folder that is there.
    ///
    /// - Throws: ``FileError``.
    package func resolved() throws(FileError) -> BytePath {
        let found: BytePath? = unsafe withCString { path in
            guard let real = unsafe realpath(path, nil) else { return nil }
            defer { unsafe free(real) }
            return unsafe BytePath(
                UnsafeBufferPointer(start: real, count: strlen(real)).map { UInt8(bitPattern: $0) })
        }
        guard let found else { throw FileError(code: errno) }
        return found
    }

    /// Like ``resolved()``, also of a path whose last parts are not there: the longest part that is there
    /// without links, and the rest without dots and double slashes.
    ///
    /// - Throws: ``FileError``, as for a folder that may not be entered.
    package func resolvedAsFarAsItGoes() throws(FileError) -> BytePath {
        var rest: [[UInt8]] = [], path = self
        while true {
            do throws(FileError) {
                let found = try path.resolved()
                return rest.reversed().reduce(found) { path, part in
                    switch part {
                    case Array(".".utf8): path
                    case Array("..".utf8): path.folder
                    default: path.appending(part)
                    }
                }
            } catch {
                if error.code != ENOENT && error.code != ENOTDIR { throw error }
                while path.bytes.count > 1 && path.bytes.last == slash { path.bytes.removeLast() }
                guard path.bytes != [slash], path.bytes != Array(".".utf8) else { throw error }
                rest.append(path.name)
                path = path.folder
            }
        }
    }

    /// The path as the system's calls take it: the bytes and a NUL. Not to be kept beyond `body`.
    package func withCString<Value>(_ body: (UnsafePointer<CChar>) throws -> Value) rethrows -> Value {
        // On the stack: a look at folders asks for each file.
        try unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { room in
            for index in bytes.indices {
                unsafe room.initializeElement(at: index, to: CChar(bitPattern: bytes[index]))
            }
            unsafe room.initializeElement(at: bytes.count, to: 0)
            // SAFETY: the room is not empty, so there is a base address; it ends with a NUL.
            return try unsafe body(UnsafePointer(room.baseAddress.unsafelyUnwrapped))
        }
    }

    var data: Data { Data(bytes) }
}

let slash = UInt8(ascii: "/")
