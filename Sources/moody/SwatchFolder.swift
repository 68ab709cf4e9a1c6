import Foundation
import Glibc
import MoodyIngest

/// A folder with a file a photo, and `.moody-export`, which lists them with their sizes: what is listed and
/// was not touched is moody's to replace, and the folder is never taken for photos.
final class SwatchFolder {
    private static let marker = ".moody-export"
    private static let markerText = "Written by moody, which may replace these files.\n"

    private let place: BytePath
    private let shown: String
    private let old: WrittenPictures
    private var names: [[UInt8]: Int] = [:]
    private var taken = Set<[UInt8]>()

    /// Makes the folder if it is not there.
    ///
    /// - Throws: ``OutputError``, also for a folder that moody did not make and that is not empty.
    init(_ path: BytePath) throws {
        shown = path.description
        try ProtectedFile.refuseStore(path, shown: shown)
        if (try? FileStatus(at: path)) == nil {
            guard unsafe path.withCString({ unsafe mkdir($0, 0o755) }) == 0 else {
                throw OutputError(name: shown, error: FileError(code: errno))
            }
        }
        do throws(FileError) { try OutputFile.checkFolder(path) } catch {
            throw OutputError(name: shown, error: error)
        }
        place = path
        old = WrittenPictures(in: path, marker: Self.marker)
        let isEmpty = (try? path.entries().isEmpty) ?? false
        if !isEmpty && !old.text.hasPrefix(Self.markerText) {
            throw OutputError("\(shown): exists and does not say that moody wrote it")
        }
        // Before the first file: a folder that a killed run left is known, and not ingested.
        if isEmpty { try writeMarker(listing: [:]) }
    }

    /// - Parameter photo: its path, of whose name the file's is made; a second one of that name gets a
    ///   number.
    func write(_ bytes: [UInt8], named photo: [UInt8], end: String) throws {
        let name = BytePath(photo).name, dot = name.lastIndex(of: UInt8(ascii: ".")) ?? name.count
        let stem = Array(name.prefix(dot == 0 ? name.count : dot).prefix(200))
        var file = stem + Array(".\(end)".utf8), number = 2
        while taken.contains(file) {
            file = stem + Array("-\(number).\(end)".utf8)
            number += 1
        }
        taken.insert(file)
        let path = place.appending(file)
        // What is there and is not as moody left it is somebody's.
        let isThere = (try? FileStatus(at: path, followingLinks: false)) != nil
        if isThere && !old.contains(file, in: place) {
            throw OutputError("\(path): is not as moody wrote it")
        }
        if isThere { _ = unsafe path.withCString { unsafe unlink($0) } }
        let output = try OutputFile(path, overwrite: false)
        output.write(bytes)
        try output.finish()
        names[file] = bytes.count
    }

    /// Lists what was written, and takes away what an earlier run wrote and this one did not.
    ///
    /// - Returns: how many files there are.
    func finish() throws -> Int {
        for name in (try? place.entries()) ?? [] where names[name] == nil && old.contains(name, in: place) {
            _ = unsafe place.appending(name).withCString { unsafe unlink($0) }
        }
        try writeMarker(listing: names)
        return names.count
    }

    private func writeMarker(listing names: [[UInt8]: Int]) throws {
        let path = place.appending(Array(Self.marker.utf8))
        _ = unsafe path.withCString { unsafe unlink($0) }
        let output = try OutputFile(path, overwrite: false)
        output.write(Self.markerText)
        // A name with a new line, or that is not UTF-8, cannot be listed, and is then not ours to replace.
        for (name, size) in names.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
        where !name.contains(10) {
            output.write(Array(name) + Array(" \(size)\n".utf8))
        }
        try output.finish()
    }
}
