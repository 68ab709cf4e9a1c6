import Foundation
import Glibc
import MoodyIngest

/// A folder with a file a photo, and `.moody-export`, which lists them with their sizes: what is listed and
/// was not touched is moody's to replace, and the folder is never taken for photos.
final class SwatchFolder {
    private static let marker = ".moody-export"
    private static let markerText = "Written by moody, which may replace these files.\n"

    private let target: BytePath
    private let shown: String
    private let old: WrittenPictures
    private var names: [[UInt8]: Int] = [:]
    private var taken = Set<[UInt8]>()
    /// The number that the next file of a name gets.
    private var numbers: [[UInt8]: Int] = [:]

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
        target = path
        old = WrittenPictures(in: path, marker: Self.marker)
        let isEmpty = (try? path.entries().isEmpty) ?? false
        if !isEmpty && !old.text.hasPrefix(Self.markerText) {
            throw OutputError("\(shown): exists and does not say that moody wrote it")
        }
        // Before the first file: a folder that a killed run left is known, and not ingested.
        if isEmpty { try writeMarker(listing: [:]) }
    }

    /// 200 bytes at most: a name has 255, with its number and end. No character is halved.
    private static func shortened(_ name: ArraySlice<UInt8>) -> [UInt8] {
        var stem = Array(name.prefix(200))
        guard let next = name.dropFirst(200).first, next & 0xC0 == 0x80 else { return stem }
        if let start = stem.suffix(3).lastIndex(where: { $0 & 0xC0 == 0xC0 }) {
            stem.removeSubrange(start...)
        }
        return stem
    }

    /// - Parameter photo: its path, of whose name the file's is made; a second one of that name gets a
    ///   number.
    func write(_ bytes: [UInt8], named photo: [UInt8], end: String) throws {
        let name = BytePath(photo).name, dot = name.lastIndex(of: UInt8(ascii: ".")) ?? name.count
        let stem = Self.shortened(name.prefix(dot == 0 ? name.count : dot))
        var file = stem + Array(".\(end)".utf8), number = numbers[stem] ?? 2
        while taken.contains(file) {
            file = stem + Array("-\(number).\(end)".utf8)
            number += 1
        }
        numbers[stem] = number
        taken.insert(file)
        let path = target.appending(file)
        // A file that moody did not write, or that changed since, is the user's.
        let isThere = (try? FileStatus(at: path, followingLinks: false)) != nil
        if isThere && !old.contains(file, in: target) {
            throw OutputError("\(path): is not as moody wrote it")
        }
        // Both sizes are listed before the file is replaced: a run that is stopped has not locked it.
        try append(WrittenPictures.line(file, size: bytes.count))
        let output = try OutputFile(path, overwrite: isThere)
        output.write(bytes)
        try output.finish()
        names[file] = bytes.count
    }

    /// Lists what was written, and takes away what an earlier run wrote and this one did not. A run that
    /// wrote nothing takes nothing away: nothing is no result.
    ///
    /// - Returns: how many files there are.
    func finish() throws -> Int {
        if names.isEmpty { return 0 }
        for name in (try? target.entries()) ?? [] where names[name] == nil && old.contains(name, in: target) {
            _ = unsafe target.appending(name).withCString { unsafe unlink($0) }
        }
        try writeMarker(listing: names)
        return names.count
    }

    private func writeMarker(listing names: [[UInt8]: Int]) throws {
        let output = try OutputFile(target.appending(Array(Self.marker.utf8)), overwrite: true)
        output.write(Self.markerText)
        for (name, size) in names.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
            output.write(WrittenPictures.line(name, size: size))
        }
        try output.finish()
    }

    private func append(_ line: [UInt8]) throws {
        let path = target.appending(Array(Self.marker.utf8))
        let file = unsafe path.withCString { unsafe open($0, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC) }
        defer { close(file) }
        do throws(FileError) {
            guard file >= 0 else { throw FileError(code: errno) }
            try writeAll(line, to: file)
        } catch { throw OutputError(name: shown, error: error) }
    }
}
