package import Foundation
package import ManagedObjects
package import MoodyModel
package import Palettes
import Texts

/// Everything there is to say of a mood but its pictures: a value, so that it may leave the context's queue.
package struct MoodRecord: Sendable, Equatable {
    package struct Color: Sendable, Equatable {
        package let color: RGB
        /// 0...1
        package let share: Double
        /// The color where it lies outside sRGB.
        package var displayP3: DisplayP3?
        /// The nearest of the user's own list.
        package var near: NearestNames.Match?
    }

    package let objectID: ManagedObjectID
    package let photoPath: PhotoPath
    /// The last part of the path for people.
    package let name: String
    /// The instant, and the zone it was taken in as far as the photo says.
    package let date: Date, timeZoneOffset: Int16?
    package let dateSource: DateSource
    /// yyyymmdd
    package let day: Int32
    /// Largest share first.
    package private(set) var colors: [Color]
    package let mode: PaletteMode
    /// The number of colors that was asked for; 0 for as many as there are.
    package let count: Int16
    package let algorithm: Int16
    /// The parts of the photo that do not count.
    package let leftOut: LeftOutColors
    package let width: Int32, height: Int32
    package let latitude: Double?, longitude: Double?
    /// Where the photo was taken, when it says where.
    package let country: CountryFacts?
    package let camera: String?
    /// XMP's -1...5; nil where nothing says.
    package let rating: Int16?
    package let notes: [String]
    /// The file is not where it was.
    package let isMissing: Bool
    /// Why the file, which has other bytes by now, could not be read; the mood is that of the bytes before.
    package let failure: String?
    /// XXH3-128 of the bytes that the mood was made of, in hexadecimal.
    package let contentHash: String?
    /// Another text for other bytes of the photo, and for the same turned otherwise.
    package let pictureTag: String?

    /// Looks up each color in the user's own list.
    package mutating func name(by names: NearestNames?) {
        for index in colors.indices { colors[index].near = names?.match(colors[index].color) }
    }

    /// The photo's path for people.
    package var path: String { photoPath.shown }

    /// The number by which people name the mood.
    package var id: Int64 { objectID.key }

    package init(_ mood: Mood) {
        let photo = mood.photo
        objectID = mood.objectID
        photoPath = photo.map { PhotoPath($0) } ?? PhotoPath(bytes: [], shown: "")
        let shown = photoPath.shown
        let slash = shown.utf8.lastIndex(of: UInt8(ascii: "/"))
        name = slash.map { String(Substring(shown.utf8[$0...].dropFirst())) } ?? shown
        // Numbers that only a damaged store has are held inside what readers of JSON and pages may expect;
        // `moody store check` names them.
        (date, dateSource) = (mood.date, mood.dateSource)
        timeZoneOffset = mood.timeZoneOffset.map { min(max($0, -1080), 1080) }
        day = min(max(mood.day, 10_101), 99_991_231)
        let stored = mood.colors
        colors = zip(stored.indices, mood.shares).map {
            Color(
                color: stored[$0], share: $1.isNaN ? 0 : min(max($1, 0), 1),
                displayP3: stored.displayP3(at: $0))
        }
        (mode, count, algorithm) = (mood.mode.paletteMode, max(0, mood.k), max(0, mood.algorithm))
        leftOut = stored.leftOut
        (width, height) = (max(1, mood.width), max(1, mood.height))
        (latitude, longitude, camera) = (mood.latitude, mood.longitude, mood.camera)
        rating = photo?.rating.map { min(max($0, -1), 5) }
        country = mood.country.map { CountryFacts($0) }
        notes = mood.notes?.split(separator: "\n").map(String.init) ?? []
        isMissing = photo?.state == .missing
        failure = photo.flatMap { $0.state == .failed ? $0.failure ?? "" : nil }
        let hash = photo?.contentHash.map { [UInt8]($0) }
        contentHash = hash.map { Hexadecimal.text($0) }
        pictureTag = hash.map { hash in
            var tag = hash
            for (index, byte) in [UInt8](mood.pictureHash ?? Data()).enumerated() where !tag.isEmpty {
                tag[index % tag.count] ^= byte
            }
            return Hexadecimal.text(tag)
        }
    }

    /// The local date and time of the photo.
    package var taken: CivilDate { CivilDate(date, offset: Int(timeZoneOffset ?? 0)) }

    /// "2024-06-28"
    package var dayText: String { shownDate.dayText }

    /// False for a photo of which only its file's time is known, which is no day that it was taken on.
    package var isDated: Bool { dateSource.isDayTaken }

    /// See ``ShownDate/text``.
    package var dateText: String { shownDate.text }

    private var shownDate: ShownDate { ShownDate(date: date, offset: timeZoneOffset, day: day) }
}
