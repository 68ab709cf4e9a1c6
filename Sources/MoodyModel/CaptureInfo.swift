public import Foundation
public import ManagedObjects

/// The facts of a photo that a mood keeps besides its colors.
public struct CaptureInfo: Sendable, Equatable {
    /// The instant the photo was taken. Without a known zone: as if taken in Greenwich.
    public var date: Date
    /// Minutes east of Greenwich, nil when unknown.
    public var timeZoneOffset: Int16?
    public var dateSource: DateSource
    /// The photo's own day, yyyymmdd.
    public var day: Int32
    /// Pixels, upright.
    public var width: Int32, height: Int32
    /// Degrees north and east.
    public var latitude: Double?, longitude: Double?
    public var camera: String?
    /// Notes about oddities, one line each.
    public var notes: [String]

    /// - Parameter taken: when, as a clock beside the photographer showed it.
    public init(
        taken: CivilDate, offset: Int?, source: DateSource, width: Int, height: Int, latitude: Double? = nil,
        longitude: Double? = nil, camera: String? = nil, notes: [String] = []
    ) {
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
public struct FileDate: Sendable, Equatable {
    public var taken: CivilDate
    /// The file's name or its time.
    public var source: DateSource

    public init(taken: CivilDate, source: DateSource) { (self.taken, self.source) = (taken, source) }
}

/// Where a photo's date comes from, the most trusted first. The numbers are stored.
public enum DateSource: Int16, AttributeEnumeration {
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

    /// Whether it is a day on which the photo was taken: a file's time is when the file was written.
    public var isDayTaken: Bool { self != .fileTime }
}
