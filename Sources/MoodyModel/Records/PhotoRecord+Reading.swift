package import Foundation
import Palettes

/// Why a line is no record.
package struct RecordError: Error, CustomStringConvertible {
    package let description: String

    init(_ text: String) { description = text }
}

extension PhotoRecord {
    /// Reads a line that ``json(withThumbnail:)`` wrote, on this machine or another one. Unknown keys are
    /// passed over.
    ///
    /// - Throws: ``RecordError`` for anything that is no record, and for numbers that no photo has.
    package init(line: some DataProtocol) throws(RecordError) {
        let read: Line
        do { read = try JSONDecoder().decode(Line.self, from: Data(line)) } catch let error as DecodingError {
            throw RecordError(error.sentence)
        } catch { throw RecordError("\(error)") }
        guard read.v == 1 else { throw RecordError("a record of version \(read.v), not 1") }
        if read.end != nil { throw RecordError("the end line of a stream, not a record") }
        path = try read.location()
        guard let size = read.size, size >= 0, let mtimeNs = read.mtimeNs else {
            throw RecordError("no size or no mtimeNs")
        }
        (self.size, self.mtimeNs) = (size, mtimeNs)
        contentHash = try read.hash()
        if let reason = read.error {
            if reason.utf8.contains(0) { throw RecordError("a NUL character in error") }
            let kind = read.errorKind.flatMap { ErrorKind(rawValue: $0) } ?? .photo
            result = .failed(reason: reason, kind: kind)
            return
        }
        guard contentHash != nil else { throw RecordError("no contentHash") }
        guard let algorithm = read.algorithm, algorithm > 0 else { throw RecordError("no algorithm") }
        var mood = try read.mood()
        mood.algorithm = algorithm
        result = .mood(mood)
    }

    /// Reads the key of a line alone: a fraction of the work of ``init(line:)``.
    ///
    /// - Throws: ``RecordError``. A line whose key can be read may still be no record.
    package static func key(ofLine line: some DataProtocol) throws(RecordError) -> RecordKey? {
        let read: KeyLine
        do { read = try JSONDecoder().decode(KeyLine.self, from: Data(line)) } catch {
            throw RecordError((error as? DecodingError)?.sentence ?? "\(error)")
        }
        if read.end != nil { return nil }
        guard read.v == 1 else { throw RecordError("a record of version \(read.v), not 1") }
        guard let text = read.path else { throw RecordError("no path") }
        let path = try location(text, read.pathBytes)
        return RecordKey(
            path: path, mtimeNs: read.mtimeNs ?? 0, algorithm: read.algorithm ?? 0,
            hash: read.contentHash ?? "", isMood: read.error == nil, request: read.request)
    }

    fileprivate static func location(_ text: String, _ base64: String?) throws(RecordError) -> [UInt8] {
        var bytes = Array(text.utf8)
        if let base64 {
            guard let data = Data(base64Encoded: base64) else { throw RecordError("pathBytes is no base64") }
            bytes = Array(data)
        }
        if bytes.isEmpty || bytes.contains(0) { throw RecordError("an empty path, or one with NUL") }
        return bytes
    }
}

/// The rank that decides which of two records of a photo counts.
package struct RecordKey: Sendable {
    package var path: [UInt8]
    package let mtimeNs: Int64, algorithm: Int16, hash: String
    /// False for an error.
    package let isMood: Bool
    /// The options of the palette as a text that is equal for equal options; nil for an error.
    package let request: String?

    package init(
        path: [UInt8], mtimeNs: Int64, algorithm: Int16, hash: String, isMood: Bool, request: String? = nil
    ) {
        (self.path, self.mtimeNs, self.algorithm) = (path, mtimeNs, algorithm)
        (self.hash, self.isMood, self.request) = (hash, isMood, request)
    }

    /// Whether this record counts, and not the other of the same path: the later file, then a mood before an
    /// error, then the later algorithm, then the greater hash.
    package func wins(over other: RecordKey) -> Bool {
        if mtimeNs != other.mtimeNs { return mtimeNs > other.mtimeNs }
        if isMood != other.isMood { return isMood }
        if algorithm != other.algorithm { return algorithm > other.algorithm }
        return hash > other.hash
    }
}

private struct KeyLine: Decodable {
    let v: Int
    let end: Bool?
    let path: String?, pathBytes: String?
    let mtimeNs: Int64?
    let algorithm: Int16?
    let contentHash: String?
    let count: Int16?
    let mode: String?, ignore: [String]?, background: String?
    let error: String?

    /// "5 colors, representative, ignore border,white"
    var request: String? {
        guard error == nil, let count, let mode else { return nil }
        let size = count == 0 ? "auto colors" : "\(count) \(count == 1 ? "color" : "colors")"
        // A table has an empty list where a line has none.
        let kinds = ignore.map { $0.isEmpty ? [] : ["ignore \($0.sorted().joined(separator: ","))"] } ?? []
        return ([size, mode] + kinds + (background.map { ["background \($0)"] } ?? [])).joined(
            separator: ", ")
    }
}

private struct Line: Decodable {
    struct Color: Decodable {
        let hex: String
        let share: Double
        let displayP3: String?
    }

    let v: Int
    let end: Bool?
    let path: String?, pathBytes: String?
    let size: Int64?, mtimeNs: Int64?
    let contentHash: String?
    let algorithm: Int16?, count: Int16?
    let mode: String?
    let ignore: [String]?
    let background: String?
    let width: Int32?, height: Int32?
    let taken: String?
    let day: Int32?
    let offset: Int16?
    let dateSource: String?
    let latitude: Double?, longitude: Double?
    let camera: String?
    let rating: Int16?
    let pictureHash: String?
    let colors: [Color]?
    let notes: [String]?
    let thumbnail: String?
    let error: String?, errorKind: String?

    func location() throws(RecordError) -> [UInt8] {
        guard let path else { throw RecordError("no path") }
        return try PhotoRecord.location(path, pathBytes)
    }

    func hash() throws(RecordError) -> Data? {
        guard let contentHash else { return nil }
        guard let hash = Self.bytes(contentHash), hash.count == 16 else {
            throw RecordError("contentHash is not 32 hexadecimal digits")
        }
        return hash
    }

    private func hashOfPicture() throws(RecordError) -> Data? {
        guard let pictureHash else { return nil }
        guard let hash = Self.bytes(pictureHash), hash.isEmpty || hash.count == 32 else {
            throw RecordError("pictureHash is not 64 hexadecimal digits")
        }
        return hash
    }

    /// Nil for what are no pairs of hexadecimal digits.
    private static func bytes(_ text: String) -> Data? {
        let digits = Array(text.utf8)
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count - 1, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(byte)
        }
        // A sign is none of a byte's digits.
        return digits.count % 2 == 0 && digits.allSatisfy({ $0 != 0x2B && $0 != 0x2D }) ? Data(bytes) : nil
    }

    func mood() throws(RecordError) -> MoodSource {
        guard let count, (0...Int16(PaletteSize.limit)).contains(count),
            let mode = mode.flatMap({ PaletteMode(rawValue: $0) })
        else { throw RecordError("no count or no mode") }
        guard let width, let height, width > 0, height > 0 else { throw RecordError("no width or height") }
        guard let taken = taken.flatMap({ CivilDate(text: $0) }) else {
            throw RecordError("taken is no date such as 2012-09-29T16:11:25")
        }
        let sources: [DateSource] = [
            .sidecar, .original, .digitized, .xmp, .iptc, .gps, .modified, .fileName, .fileTime,
        ]
        guard let source = sources.first(where: { "\($0)" == dateSource }) else {
            throw RecordError("dateSource is none of \(sources.map { "\($0)" }.joined(separator: ", "))")
        }
        if let offset, !(-1080...1080).contains(offset) { throw RecordError("offset is out of range") }
        if let latitude, !(-90...90).contains(latitude) { throw RecordError("latitude is out of range") }
        if let longitude, !(-180...180).contains(longitude) { throw RecordError("longitude is out of range") }
        if let rating, !(-1...5).contains(rating) { throw RecordError("rating is out of range") }
        guard let colors else { throw RecordError("no colors") }
        var entries: [Palette.Entry] = []
        for color in colors { entries.append(try entry(color)) }
        let sum = entries.reduce(0) { $0 + $1.share }
        if !entries.isEmpty, abs(sum - 1) > 0.001 { throw RecordError("shares add up to \(sum), not to 1") }
        var facts = CaptureInfo(
            taken: taken, offset: offset.map(Int.init), source: source, width: Int(width),
            height: Int(height),
            latitude: latitude, longitude: latitude == nil ? nil : longitude, camera: camera,
            rating: rating, notes: notes ?? [])
        // No text of a store has one.
        if camera?.utf8.contains(0) ?? false { throw RecordError("a NUL character in camera") }
        if notes?.contains(where: { $0.utf8.contains(0) }) ?? false {
            throw RecordError("a NUL character in notes")
        }
        if let day {
            guard (10_101...99_991_231).contains(day) else { throw RecordError("day is out of range") }
            facts.day = day
        }
        var jpeg = Data()
        if let thumbnail {
            guard let data = Data(base64Encoded: thumbnail) else {
                throw RecordError("thumbnail is no base64")
            }
            jpeg = data
        }
        return MoodSource(
            palette: Palette(entries: entries),
            request: PaletteRequest(mode: mode, count: count, leftOut: try leftOut()), facts: facts,
            thumbnail: jpeg, preview: nil, pictureHash: try hashOfPicture())
    }

    private func entry(_ color: Color) throws(RecordError) -> Palette.Entry {
        guard let rgb = RGB(hex: color.hex) else { throw RecordError("\(color.hex) is no color") }
        guard (0...1).contains(color.share) else { throw RecordError("a share of \(color.share)") }
        var wide: DisplayP3?
        if let text = color.displayP3 {
            guard let bytes = RGB(hex: text) else { throw RecordError("\(text) is no color") }
            wide = DisplayP3(red: bytes.red, green: bytes.green, blue: bytes.blue)
        }
        return Palette.Entry(color: rgb, share: color.share, displayP3: wide)
    }

    private func leftOut() throws(RecordError) -> LeftOutColors {
        var kinds: Set<PaletteIgnore> = []
        for text in ignore ?? [] {
            guard let kind = PaletteIgnore(rawValue: text) else {
                throw RecordError("ignore \(text) is not known")
            }
            kinds.insert(kind)
        }
        guard let background else { return LeftOutColors(ignore: kinds) }
        guard let color = RGB(hex: background) else { throw RecordError("\(background) is no color") }
        return LeftOutColors(ignore: kinds, background: color)
    }
}

extension DecodingError {
    /// The reason in one line, without the coder's own words for its types.
    fileprivate var sentence: String {
        func key(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }
        return switch self {
        case .keyNotFound(let missing, _): "no \(missing.stringValue)"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(key(context.codingPath).isEmpty ? "the line" : key(context.codingPath)) is of another type"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\(key(context.codingPath)) is out of range"
        default: "no JSON object"
        }
    }
}
