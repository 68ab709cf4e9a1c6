import Foundation
import Images
import MoodyModel
import Texts

/// What Google Takeout says of a photo, in a JSON file beside it.
struct Takeout: Sendable {
    /// The name that the photo had.
    let title: String
    /// When it was taken, in Greenwich's time, and where.
    private(set) var metadata = PhotoMetadata()

    /// Bytes of the largest file that is read: some have 1 KB, with many people in the photo 10.
    static let largest = 1 << 20
    private static let longestName = 46
    private static let suffix = ".supplemental-metadata"

    private struct Document: Decodable {
        struct Time: Decodable { let timestamp: String }
        struct Place: Decodable { let latitude: Double, longitude: Double }
        let title: String
        let photoTakenTime: Time?
        let geoData: Place?
    }

    /// Returns nil for what is no such file.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.largest,
            let document = try? JSONDecoder().decode(Document.self, from: Data(bytes))
        else { return nil }
        title = document.title
        // Years of four digits: what lies beyond is no date of a photo.
        if let seconds = document.photoTakenTime.flatMap({ Int64($0.timestamp) }),
            (-62_135_596_800..<253_402_300_800).contains(seconds)
        {
            let date = CivilDate(Date(timeIntervalSince1970: Double(seconds)))
            let text =
                ISOText.day(date.year, date.month, date.day) + "T"
                + ISOText.clock(date.hour, date.minute, date.second) + "Z"
            metadata.fill(fromSidecar: { $0 == "exif:DateTimeOriginal" ? text : nil })
        }
        if let place = document.geoData, (-90...90).contains(place.latitude),
            (-180...180).contains(place.longitude), place.latitude != 0 || place.longitude != 0
        {
            (metadata.latitude, metadata.longitude) = (place.latitude, place.longitude)
        }
    }

    /// The names that the file of a photo may have, without `.json`, and the title in it; best first.
    ///
    /// Takeout cuts names, and puts the number of a second photo of a name, `a(1).jpg`, behind all but the
    /// ending. What was edited in Google Photos has the words of the photo that it was.
    static func names(for photo: [UInt8]) -> [(name: [UInt8], title: String)] {
        guard let photo = String(validating: photo, as: UTF8.self) else { return [] }
        let dot = photo.lastIndex(of: ".") ?? photo.endIndex
        let ending = photo[dot...]
        var stem = photo[..<dot]
        var number = Substring()
        if stem.last == ")", let open = stem.lastIndex(of: "("), open > stem.startIndex {
            let digits = stem[open...].dropFirst().dropLast().utf8
            if !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) {
                (stem, number) = (stem[..<open], stem[open...])
            }
        }
        var stems = [stem]
        if stem.hasSuffix("-edited") { stems.append(stem.dropLast(7)) }
        var titles = stems.map { ($0 + ending, number) }
        // A name may have had such a number before.
        if !number.isEmpty { titles.append((photo[...], "")) }
        return titles.flatMap { title, number in
            [title + suffix, title].map { name in
                (Array((cut(name) + number).utf8), String(title))
            }
        }
    }

    private static func cut(_ name: Substring) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.prefix(longestName)))
    }

    /// Whether it tells of a photo that had this name before Takeout cut it and took letters out of it.
    func fits(_ name: String) -> Bool {
        let (own, other) = (Self.plain(title), Self.plain(name))
        if own == other || own == Self.stem(other) { return true }
        let stem = Self.stem(other)
        return stem.count >= Self.longestName - 6 && Self.stem(own).hasPrefix(stem)
    }

    private static func plain(_ name: String) -> String {
        String(name.lowercased().map { $0.isLetter || $0.isNumber || $0 == "." ? $0 : "_" })
    }

    private static func stem(_ name: String) -> String {
        String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)])
    }
}
