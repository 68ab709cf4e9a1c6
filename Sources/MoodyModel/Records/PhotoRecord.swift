package import Foundation
import Palettes
import Texts

/// The result of one photo as a value that travels between machines: one line of `moody extract --format
/// record` and of `moody import`, one row of a table.
///
/// Equal bytes, options, and ``Palette/algorithmVersion`` give equal records on any machine.
package struct PhotoRecord: Sendable {
    /// The path as the sender named the photo: any bytes but NUL.
    package var path: [UInt8]
    /// Bytes, and nanoseconds since 1970.
    package var size: Int64, mtimeNs: Int64
    /// XXH3-128, 16 bytes; nil when the photo could not be read.
    package var contentHash: Data?
    package var result: Result

    package enum Result: Sendable {
        case mood(MoodSource)
        case failed(reason: String, kind: ErrorKind)
    }

    /// Whether it is worth trying a photo again.
    package enum ErrorKind: String, Sendable, CaseIterable {
        /// The photo is damaged: the same bytes fail again.
        case photo
        /// The file is no picture of a kind that this build reads.
        case notPicture
        /// A limit of `--max` stopped the decoder.
        case limit
        /// The bytes could not be read: try again.
        case unavailable
        /// The process that read the photo ended, twice.
        case crashed
    }

    package init(
        path: [UInt8], size: Int64, mtimeNs: Int64, contentHash: Data?, result: Result
    ) {
        (self.path, self.size, self.mtimeNs) = (path, size, mtimeNs)
        (self.contentHash, self.result) = (contentHash, result)
    }
}

extension PhotoRecord {
    /// A JSON object: the columns of docs/DATA.md in a fixed order; equal records give equal bytes.
    ///
    /// Shares have all their digits, so that a store made of records equals one made of the photos.
    package func json(withThumbnail: Bool) -> JSON {
        var fields: [(String, JSON)] = [("v", 1)]
        if let text = String(validating: path, as: UTF8.self) {
            fields.append(("path", .string(text)))
        } else {
            fields.append(("path", .string(String(decoding: path, as: UTF8.self))))
            fields.append(("pathBytes", .string(Data(path).base64EncodedString())))
        }
        fields += [("size", .number(size)), ("mtimeNs", .number(mtimeNs))]
        if let contentHash { fields.append(("contentHash", .string(Hexadecimal.text(contentHash)))) }
        switch result {
        case .mood(let mood): fields += Self.fields(of: mood, withThumbnail: withThumbnail)
        case .failed(let reason, let kind):
            fields += [("error", .string(reason)), ("errorKind", .string(kind.rawValue))]
        }
        return .object(fields)
    }

    private static func fields(of mood: MoodSource, withThumbnail: Bool) -> [(String, JSON)] {
        let facts = mood.facts, request = mood.request
        let taken = CivilDate(facts.date, offset: Int(facts.timeZoneOffset ?? 0))
        var fields: [(String, JSON)] = [
            ("algorithm", .number(Int64(mood.algorithm))), ("count", .number(Int64(request.count))),
            ("mode", .string(request.mode.rawValue)),
        ]
        if !request.leftOut.ignore.isEmpty {
            let kinds = request.leftOut.ignore.map(\.rawValue).sorted()
            fields.append(("ignore", .array(kinds.map { .string($0) })))
        }
        if let background = request.leftOut.background {
            fields.append(("background", .string(background.hex)))
        }
        fields += [
            ("width", .number(Int64(facts.width))), ("height", .number(Int64(facts.height))),
            ("taken", .string(taken.text)),
        ]
        // A leap second belongs to the day before the instant that it is.
        if taken.dayNumber != facts.day { fields.append(("day", .number(Int64(facts.day)))) }
        if let offset = facts.timeZoneOffset { fields.append(("offset", .number(Int64(offset)))) }
        fields.append(("dateSource", .string("\(facts.dateSource)")))
        if let latitude = facts.latitude, let longitude = facts.longitude {
            fields += [("latitude", .real(latitude)), ("longitude", .real(longitude))]
        }
        if let camera = facts.camera { fields.append(("camera", .string(camera))) }
        if let rating = facts.rating { fields.append(("rating", .number(Int64(rating)))) }
        fields.append(("colors", .array(mood.palette.entries.map(Self.color))))
        let notes = facts.notes + mood.palette.notes
        if !notes.isEmpty { fields.append(("notes", .array(notes.map { .string($0) }))) }
        if let hash = mood.pictureHash { fields.append(("pictureHash", .string(Hexadecimal.text(hash)))) }
        if withThumbnail { fields.append(("thumbnail", .string(mood.thumbnail.base64EncodedString()))) }
        return fields
    }

    private static func color(_ entry: Palette.Entry) -> JSON {
        var fields: [(String, JSON)] = [
            ("hex", .string(entry.color.hex)), ("share", .real(entry.share)),
            ("name", .string(entry.color.name)),
        ]
        if let wide = entry.displayP3 {
            let bytes = RGB(red: wide.red, green: wide.green, blue: wide.blue)
            fields.append(("displayP3", .string(bytes.hex)))
        }
        return .object(fields)
    }
}

extension CivilDate {
    /// "2012-09-29T16:11:25.5": up to nine digits of a second, none for a whole one.
    package var text: String {
        let clock = ISOText.clock(hour, minute, second, fraction: nanosecond)
        return "\(ISOText.day(year, month, day))T\(clock)"
    }

    /// Reads what ``text`` writes; nil for anything else and for days that do not exist.
    package init?(text: String) {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int? {
            var value = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return value
        }
        let marks: [(Int, Character)] = [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":")]
        guard bytes.count >= 19, marks.allSatisfy({ bytes[$0.0] == $0.1.asciiValue }),
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19)
        else { return nil }
        var nanosecond = 0
        if bytes.count > 19 {
            let digits = bytes.count - 20
            guard bytes[19] == UInt8(ascii: "."), (1...9).contains(digits),
                let fraction = number(20..<bytes.count)
            else { return nil }
            nanosecond = (digits..<9).reduce(fraction) { value, _ in value * 10 }
        }
        self.init(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second,
            nanosecond: nanosecond)
        if !isValid { return nil }
    }
}
