import Foundation
import Glibc
import Images
import MoodyModel

/// A member of a tar stream.
package struct TarMember: Sendable {
    package let path: [UInt8]
    /// As the header says; ``bytes`` may be fewer of a file that is no photo.
    package let size: Int64
    /// Nanoseconds since 1970, as exact as the header is.
    package let mtimeNs: Int64
    /// The photo's bytes, as ``readPhoto(_:)-(BytePath)`` takes them; ``FileError/hardLink`` and
    /// ``FileError/sparse`` of files whose bytes do not stand in the stream as they are.
    package let bytes: Result<[UInt8], FileError>
}

/// Why a tar stream could not be read to its end.
package enum TarError: Error, Equatable, CustomStringConvertible {
    case cut
    case notTar(offset: Int64)
    case compressed
    case unreadable(FileError)

    package var description: String {
        switch self {
        case .cut: "the stream ends in the middle of a member"
        case .notTar(let offset): "no tar header at byte \(offset)"
        case .compressed: "a compressed stream: decompress it first, as in zcat FILE |"
        case .unreadable(let error): "\(error)"
        }
    }
}

/// Reads the regular files of a tar stream one after the other: ustar, pax and GNU's long names.
///
/// Symbolic links, folders and devices are passed over. Blocks of zeros do not end the stream, so that
/// archives may be concatenated; the end is where the stream ends between two members.
///
/// - Source: POSIX.1-2017, pax, "ustar Interchange Format" and "pax Extended Header"; GNU tar manual, "Basic
///   Tar Format", for types L, K, S and numbers in base 256.
package struct TarReader: ~Copyable {
    private let file: Int32
    private var offset: Int64 = 0
    private var buffer: [UInt8] = []
    private var start = 0
    /// The fields of a global pax header, for all members that follow.
    private var common: [String: [UInt8]] = [:]

    private static let block = 512
    /// Names and times of one member: more is an attack.
    private static let mostExtensionBytes: Int64 = 1 << 20

    package init(file: Int32) { self.file = file }

    /// - Returns: the next regular file; nil at the end.
    package mutating func next() throws(TarError) -> TarMember? {
        var own: [String: [UInt8]] = [:], longName: [UInt8]?
        while true {
            guard let header = try header() else {
                if own.isEmpty && longName == nil { return nil }
                throw .cut
            }
            switch header.type {
            case UInt8(ascii: "x"): own.merge(try records(header.size)) { $1 }
            case UInt8(ascii: "g"): common.merge(try records(header.size)) { $1 }
            case UInt8(ascii: "L"):
                longName = Array(try extensionBytes(header.size).prefix { $0 != 0 })
            case 0, UInt8(ascii: "0"), UInt8(ascii: "7"), UInt8(ascii: "1"), UInt8(ascii: "S"):
                // An empty value takes back what stands in front of it.
                let extended = common.merging(own) { $1 }.filter { !$0.value.isEmpty }
                let isLink = header.type == UInt8(ascii: "1")
                let isSparse =
                    header.type == UInt8(ascii: "S") || own.keys.contains { $0.hasPrefix("GNU.sparse.") }
                let path = extended["GNU.sparse.name"] ?? extended["path"] ?? longName ?? header.path
                let time = extended["mtime"].flatMap { Self.nanoseconds($0) } ?? header.mtimeNs
                // A second name of a file has no data, whatever its size says.
                let size = isLink ? 0 : extended["size"].flatMap { Self.decimal($0) } ?? header.size
                (own, longName) = ([:], nil)
                if header.type == UInt8(ascii: "S") { try skipSparseMap(header) }
                // Old archives have folders as empty files whose names end with a slash.
                let isFile = path.last != slash && !path.isEmpty && !path.contains(0)
                if !isFile || isSparse { try skip(try padded(size)) }
                if !isFile { continue }
                let bytes: Result<[UInt8], FileError> =
                    isLink ? .failure(.hardLink) : isSparse ? .failure(.sparse) : try content(size)
                return TarMember(path: path, size: size, mtimeNs: time, bytes: bytes)
            case UInt8(ascii: "2")...UInt8(ascii: "6"):
                // Symbolic links, devices, folders and pipes have no data either.
                (own, longName) = ([:], nil)
            default:
                try skip(try padded(header.size))
                if header.type != UInt8(ascii: "K") { (own, longName) = ([:], nil) }
            }
        }
    }

    // MARK: Headers

    private struct Header {
        let path: [UInt8], size: Int64, mtimeNs: Int64, type: UInt8
        let hasSparseMap: Bool
    }

    /// The next header that is no block of zeros; nil at the end of the stream.
    private mutating func header() throws(TarError) -> Header? {
        while true {
            let start = offset
            let bytes = try read(Self.block)
            if bytes.isEmpty { return nil }
            if start == 0,
                bytes.starts(with: [0x1F, 0x8B]) || bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
                    || bytes.starts(with: Array("BZh".utf8)) || bytes.starts(with: [0xFD, 0x37, 0x7A])
            {
                throw .compressed
            }
            if bytes.count < Self.block { throw start == 0 ? .notTar(offset: 0) : .cut }
            if bytes.allSatisfy({ $0 == 0 }) { continue }
            // The sum of all bytes, its own field taken for blanks; some programs took them for signed.
            let sum = bytes.enumerated().reduce(0) { $0 + ((148..<156).contains($1.0) ? 32 : Int($1.1)) }
            let signed = bytes.enumerated().reduce(0) {
                $0 + ((148..<156).contains($1.0) ? 32 : Int(Int8(bitPattern: $1.1)))
            }
            guard let stored = Self.number(bytes[148..<156]), stored == sum || stored == signed,
                let size = Self.number(bytes[124..<136]), size >= 0
            else { throw .notTar(offset: start) }
            var path = Array(bytes[0..<100].prefix { $0 != 0 })
            let isPOSIX = bytes[257..<263].elementsEqual(Array("ustar".utf8) + [0])
            let prefix = bytes[345..<500].prefix { $0 != 0 }
            if isPOSIX && !prefix.isEmpty { path = Array(prefix) + [slash] + path }
            let seconds = Self.number(bytes[136..<148]) ?? 0
            return Header(
                path: path, size: size, mtimeNs: Self.nanoseconds(seconds: seconds), type: bytes[156],
                hasSparseMap: bytes[482] != 0)
        }
    }

    /// GNU's map of a sparse file goes on in blocks of its own.
    private mutating func skipSparseMap(_ header: Header) throws(TarError) {
        var goesOn = header.hasSparseMap
        while goesOn {
            let bytes = try read(Self.block)
            if bytes.count < Self.block { throw .cut }
            goesOn = bytes[504] != 0
        }
    }

    /// Octal digits, or base 256 when the first bit is set; nil for anything else or too large.
    private static func number(_ field: ArraySlice<UInt8>) -> Int64? {
        guard let first = field.first else { return nil }
        if first & 0x80 != 0 {
            var value: Int64 = first & 0x40 != 0 ? -1 : 0
            for (index, byte) in field.enumerated() {
                let byte = index == 0 ? (value < 0 ? byte | 0x80 : byte & 0x7F) : byte
                if index == 0 {
                    value = value < 0 ? Int64(Int8(bitPattern: byte)) : Int64(byte)
                    continue
                }
                let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 256)
                if isTooLarge { return nil }
                value = shifted + Int64(byte)
            }
            return value
        }
        var value: Int64 = 0
        let digits = field.drop { $0 == 32 }.prefix { $0 != 0 && $0 != 32 }
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte), value >> 59 == 0 else { return nil }
            value = value * 8 + Int64(byte - UInt8(ascii: "0"))
        }
        return value
    }

    private static func nanoseconds(seconds: Int64) -> Int64 {
        let (value, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isTooLarge ? (seconds < 0 ? .min : .max) : value
    }

    // MARK: pax

    /// "27 mtime=1326463447.5\n" and so on.
    private mutating func records(_ size: Int64) throws(TarError) -> [String: [UInt8]] {
        let start = offset
        var rest = try extensionBytes(size)[...], found: [String: [UInt8]] = [:]
        while let digits = rest.firstIndex(of: 32) {
            guard let length = Self.decimal(Array(rest[..<digits])), length > digits - rest.startIndex + 1,
                length <= rest.count
            else { throw .notTar(offset: start) }
            let end = rest.startIndex + Int(length)
            let record = rest[(digits + 1)..<end]
            guard record.last == UInt8(ascii: "\n"), let equals = record.firstIndex(of: UInt8(ascii: "="))
            else { throw .notTar(offset: start) }
            found[String(decoding: record[..<equals], as: UTF8.self)] = Array(
                record[(equals + 1)..<(end - 1)])
            rest = rest[end...]
        }
        return found
    }

    private mutating func extensionBytes(_ size: Int64) throws(TarError) -> [UInt8] {
        if size > Self.mostExtensionBytes { throw .notTar(offset: offset) }
        let wanted = Int(try padded(size)), bytes = try read(wanted)
        if bytes.count < wanted { throw .cut }
        return Array(bytes.prefix(Int(size)))
    }

    private static func decimal(_ text: [UInt8]) -> Int64? {
        guard !text.isEmpty, text.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int64(String(decoding: text, as: UTF8.self))
    }

    /// "1326463447.123456789", also below 0.
    private static func nanoseconds(_ text: [UInt8]) -> Int64? {
        let isNegative = text.first == UInt8(ascii: "-")
        let parts = text.drop { $0 == UInt8(ascii: "-") }.split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let seconds = decimal(Array(first)) else { return nil }
        var fraction: Int64 = 0
        if parts.count > 1 {
            let digits = Array(parts[1].prefix(9))
            guard let value = decimal(digits) else { return nil }
            fraction = (digits.count..<9).reduce(value) { value, _ in value * 10 }
        }
        let (value, isTooLarge) = nanoseconds(seconds: seconds).addingReportingOverflow(fraction)
        return isTooLarge ? nil : isNegative ? -value : value
    }

    // MARK: Bytes

    /// - Throws: ``TarError/notTar(offset:)`` for a size that no stream has.
    private func padded(_ size: Int64) throws(TarError) -> Int64 {
        if size > Int64.max - 1024 { throw .notTar(offset: offset) }
        return (size + 511) & ~511
    }

    /// The bytes of a photo, and no more of what is none than tells it; the stream stands behind the member
    /// then.
    private mutating func content(_ size: Int64) throws(TarError) -> Result<[UInt8], FileError> {
        _ = try padded(size)
        var bytes: [UInt8] = [], result: Result<[UInt8], FileError>?
        let reading = PhotoReading(size: Int(size))
        while result == nil {
            let wanted = reading.count(after: bytes)
            if let wanted {
                let more = try read(wanted - bytes.count)
                if more.count < wanted - bytes.count { throw .cut }
                bytes += more
            } else {
                result = reading.result(bytes)
            }
        }
        try skip(try padded(size) - Int64(bytes.count))
        return result ?? .success(bytes)
    }

    /// As many bytes as there are, up to `count`.
    private mutating func read(_ count: Int) throws(TarError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(count, 1 << 25))
        while bytes.count < count {
            if start == buffer.count, try !fill() { break }
            let some = min(count - bytes.count, buffer.count - start)
            bytes += buffer[start..<start + some]
            start += some
            offset += Int64(some)
        }
        return bytes
    }

    private mutating func skip(_ count: Int64) throws(TarError) {
        var left = count
        while left > 0 {
            if start == buffer.count, try !fill() { throw .cut }
            let some = min(left, Int64(buffer.count - start))
            start += Int(some)
            offset += some
            left -= some
        }
    }

    /// - Returns: false at the end.
    private mutating func fill() throws(TarError) -> Bool {
        let size = 1 << 16
        let file = file
        var code: Int32 = 0
        buffer = unsafe [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
            // SAFETY: reads at most `size` bytes into memory of that size.
            while true {
                let got = unsafe Glibc.read(file, bytes.baseAddress, size)
                if got < 0 && errno == EINTR { continue }
                if got < 0 { code = errno }
                count = max(got, 0)
                return
            }
        }
        start = 0
        if code != 0 { throw .unreadable(FileError(code: code)) }
        return !buffer.isEmpty
    }
}
