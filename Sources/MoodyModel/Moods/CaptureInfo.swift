package import Foundation
import ManagedObjects

/// The facts of a photo that a mood keeps besides its colors.
package struct CaptureInfo: Sendable, Equatable {
    /// The instant the photo was taken. Without a known zone: as if taken in Greenwich.
    package var date: Date
    /// Minutes east of Greenwich, nil when unknown.
    package var timeZoneOffset: Int16?
    package var dateSource: DateSource
    /// The photo's own day, yyyymmdd.
    package var day: Int32
    /// Pixels, upright.
    package var width: Int32, height: Int32
    /// Degrees north and east.
    package var latitude: Double?, longitude: Double?
    package var camera: String?
    /// XMP's -1...5; nil when nothing says.
    package var rating: Int16?
    /// Notes about oddities, one line each.
    package var notes: [String]

    /// - Parameter taken: when, as a clock beside the photographer showed it.
    package init(
        taken: CivilDate, offset: Int?, source: DateSource, width: Int, height: Int, latitude: Double? = nil,
        longitude: Double? = nil, camera: String? = nil, rating: Int16? = nil, notes: [String] = []
    ) {
        self.rating = rating
        date = taken.instant(offset: offset ?? 0)
        timeZoneOffset = offset.map { Int16(clamping: $0) }
        dateSource = source
        day = taken.dayNumber
        (self.width, self.height) = (Int32(clamping: width), Int32(clamping: height))
        (self.latitude, self.longitude) = (latitude, longitude)
        (self.camera, self.notes) = (camera, notes)
    }
}

/// The date of a photo that says none of its own.
package struct FileDate: Sendable, Equatable {
    package var taken: CivilDate
    /// The file's name or its time.
    package var source: DateSource

    package init(taken: CivilDate, source: DateSource) { (self.taken, self.source) = (taken, source) }
}

/// Where a photo's date comes from. The numbers are stored.
package enum DateSource: Int16, AttributeEnumeration {
    /// EXIF's DateTimeOriginal: when the picture was taken.
    case original = 0
    /// EXIF's DateTimeDigitized.
    case digitized = 1
    /// The satellites' clock.
    case gps = 2
    /// XMP.
    case xmp = 3
    /// The file's name.
    case fileName = 4
    /// The file's last change.
    case fileTime = 5
    /// IPTC.
    case iptc = 6
    /// EXIF's or TIFF's DateTime.
    case modified = 7
    /// An XMP file beside the photo.
    case sidecar = 8

    /// Whether it is a day on which the photo was taken: a file's time is when the file was written.
    package var isDayTaken: Bool { self != .fileTime }
}
