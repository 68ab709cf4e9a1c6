import Glibc
package import Images
import MoodyModel

/// A file in an archive.
package struct ArchiveMember: Sendable {
    /// Its name, as the archive has it.
    package let path: [UInt8]
    /// Bytes.
    package let size: Int64
    /// Nanoseconds since 1970.
    package let mtimeNs: Int64
    /// As ``readPhoto(_:)-(BytePath)`` takes them of a file.
    package let bytes: Result<[UInt8], MemberError>
    /// What Takeout says of it.
    package var sidecar: Sidecar?
}

/// Why a file in an archive cannot be read.
package enum MemberError: Error, Equatable, CustomStringConvertible {
    /// Its bytes stand elsewhere, maybe in another archive.
    case hardLink
    case encrypted
    case tooLarge
    /// In libarchive's words.
    case damaged(String)

    package var description: String {
        switch self {
        case .hardLink: "a hard link without the photo's bytes: make the archive with --hard-dereference"
        case .encrypted: "encrypted"
        case .tooLarge: "\(FileError.tooLarge)"
        case .damaged(let words): "damaged in its archive: \(words)"
        }
    }
}

/// Reads the files of an archive in turn: of photos all, of others no more than tells that they are none.
package final class ArchiveReader {
    private let stream: ArchiveStream
    /// The file to close in the end.
    private let file: Int32?
    private let filter: FileFilter?
    private let takeouts: TakeoutIndex

    /// - Parameters:
    ///   - file: a tar or zip archive, from its start. Stays open.
    ///   - limit: bytes that it may unpack to.
    package init(_ file: Int32, limit: Int, takeouts: TakeoutIndex = TakeoutIndex()) throws(ArchiveError) {
        self.takeouts = takeouts
        stream = try ArchiveStream(file, limit: limit)
        self.file = nil
        filter = nil
    }

    /// Reads the files that would be found in the unpacked folder.
    ///
    /// - Throws: ``FileError``, `ArchiveError`.
    package init(at path: BytePath, limit: Int, takeouts: TakeoutIndex) throws {
        self.takeouts = takeouts
        let file = try openRegular(path).file
        self.file = file
        filter = FileFilter()
        do { stream = try ArchiveStream(file, limit: limit) } catch {
            close(file)
            throw error
        }
    }

    deinit { if let file { close(file) } }

    /// Reads what Takeout says of photos, and nothing else. Of a zip the rest is passed over by its list.
    package func findTakeouts() throws(ArchiveError) {
        while let entry = try stream.next() {
            if Sidecar.isNamedTakeout(entry.name), admits(entry.name) { _ = try member(entry) }
        }
    }

    private func admits(_ name: [UInt8]) -> Bool {
        guard let filter else { return true }
        let dots = [Array(".".utf8), Array("..".utf8)]
        return filter.admitsAll(name.split(separator: slash).map { Array($0) }.filter { !dots.contains($0) })
    }

    /// Returns the next file; nil at the end.
    package func next() throws(ArchiveError) -> ArchiveMember? {
        while let entry = try stream.next() {
            if admits(entry.name) { return try member(entry) }
        }
        return nil
    }

    private func member(_ entry: ArchiveEntry) throws(ArchiveError) -> ArchiveMember {
        var bytes: Result<[UInt8], MemberError> = .success([])
        var size = entry.size ?? 0
        if entry.isHardLink || entry.isEncrypted {
            bytes = .failure(entry.isHardLink ? .hardLink : .encrypted)
        } else {
            let content = try content(entry.size)
            bytes = content.result
            if entry.size == nil { size = try content.count + rest() }
        }
        let path = entry.name.isEmpty ? Array("a member without a name".utf8) : entry.name
        let place = BytePath(path)
        if Sidecar.isNamedTakeout(path) {
            if case .success(let bytes) = bytes { takeouts.add(bytes, at: place) }
            return ArchiveMember(path: path, size: size, mtimeNs: entry.mtimeNs, bytes: bytes)
        }
        return ArchiveMember(
            path: path, size: size, mtimeNs: entry.mtimeNs, bytes: bytes, sidecar: takeouts.sidecar(of: place)
        )
    }

    /// - Parameter size: refuses what claims to be too large; nothing else depends on it.
    private func content(
        _ size: Int64?
    ) throws(ArchiveError) -> (result: Result<[UInt8], MemberError>, count: Int64) {
        let reading = PhotoReading(size: Int(max(size ?? 0, Int64(PhotoReading.mostBytes))))
        var bytes: [UInt8] = []
        while let wanted = reading.count(after: bytes) {
            while bytes.count < wanted {
                switch try stream.more(wanted - bytes.count) {
                case .damaged(let words): return (.failure(.damaged(words)), Int64(bytes.count))
                case .bytes([]):
                    let whole = PhotoReading(size: bytes.count)
                    return (whole.result(bytes).mapError { _ in .tooLarge }, Int64(bytes.count))
                case .bytes(let more): bytes += more
                }
            }
        }
        if bytes.count == PhotoReading.mostBytes { return (.failure(.tooLarge), Int64(bytes.count)) }
        return (reading.result(bytes).mapError { _ in .tooLarge }, Int64(bytes.count))
    }

    /// Counts the bytes of this file that are left.
    private func rest() throws(ArchiveError) -> Int64 {
        var count: Int64 = 0
        while case .bytes(let more) = try stream.more(), !more.isEmpty { count += Int64(more.count) }
        return count
    }
}

extension MemberError {
    /// Whether a member that has no bytes is no photo either, as far as its name says.
    package static func isOfOtherFile(named name: [UInt8]) -> Bool { !isNamedAsPicture(name) }
}

extension BytePath {
    /// Whether a file has the first bytes of an archive, or of what may be a compressed one.
    package var isArchive: Bool {
        guard let head = try? readHead(self, count: 512) else { return false }
        let magics: [[UInt8]] = [
            [0x1F, 0x8B, 8],
            [0x28, 0xB5, 0x2F, 0xFD],
            [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0],
        ]
        if isZip || magics.contains(where: head.starts) { return true }
        // The header of a tar has the sum of its bytes, in octal digits.
        guard head.count == 512 else { return false }
        let text = head[148..<156].drop { $0 == 32 }.prefix { (48...55).contains($0) }
        let sum = head.enumerated().reduce(0) { $0 + ((148..<156).contains($1.0) ? 32 : Int($1.1)) }
        return Int(String(decoding: text, as: UTF8.self), radix: 8) == sum
    }

    /// Whether a file has the first bytes of a zip.
    package var isZip: Bool {
        let head = (try? readHead(self, count: 4)) ?? []
        return [[3, 4], [5, 6]].contains { head == Array("PK".utf8) + $0 }
    }
}
