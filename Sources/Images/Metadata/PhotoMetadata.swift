/// The metadata of a photo: when, where, and with what it was taken.
public struct PhotoMetadata: Sendable, Equatable {
    /// When, from the best source the file has: see ``CaptureDate/Source``.
    public var captured: CaptureDate?
    /// Where, in degrees, WGS 84: latitude -90...90, north positive; longitude -180...180, east positive.
    /// Both or none.
    public var latitude: Double?, longitude: Double?
    /// Maker and model, the maker left out where the model begins with it.
    public var camera: String?
    /// What a person or the camera thinks of the photo, as XMP has it: 0 for unrated, 1...5, -1 for rejected.
    public var rating: Int?
    /// EXIF orientation, 1...8, as stored; ``Picture/image`` is upright already.
    public var orientation: Int {
        get { statedOrientation ?? 1 }
        set { statedOrientation = newValue }
    }
    /// The orientation as stored; nil if the file has none.
    package internal(set) var statedOrientation: Int?

    /// The colors are Adobe RGB's, says the interoperability index, which cameras write in place of a
    /// profile.
    var isAdobeRGB = false

    /// Nothing known, upright.
    public init() {}
}

extension PhotoMetadata {
    /// Takes a date that is from a better source than what there is.
    mutating func consider(_ date: CaptureDate?) {
        guard let date else { return }
        if let captured, captured.source.rawValue <= date.source.rawValue { return }
        captured = date
    }

    /// Takes what is missing from another source.
    mutating func fill(from other: PhotoMetadata) {
        consider(other.captured)
        camera = camera ?? other.camera
        rating = rating ?? other.rating
        if latitude == nil { (latitude, longitude) = (other.latitude, other.longitude) }
    }
}

/// A moment as a camera writes it: clock readings, and the clock's zone if it says so.
public struct CaptureDate: Sendable, Equatable {
    /// Where a date was found, best first.
    public enum Source: Int16, Sendable, CaseIterable {
        /// An XMP file beside the photo.
        case sidecar
        /// EXIF's DateTimeOriginal, then DateTimeDigitized.
        case original, digitized
        case xmp, iptc, gps
        /// EXIF's or TIFF's DateTime: the file's last change, of many programs the only date.
        case modified
    }

    /// A year of the proleptic Gregorian calendar, 1826...2200: between the first photograph and a clock that
    /// is wrong.
    public var year: Int
    /// 1...12, 1...31, 0...23, 0...59, 0...59 (a leap second counts as 59).
    public var month: Int, day: Int, hour: Int, minute: Int, second: Int
    /// 0..<1,000,000,000.
    public var nanosecond: Int
    /// Minutes east of UTC, -14 h...14 h; nil when the file does not say.
    public var offsetMinutes: Int?
    /// Where it was found.
    public var source: Source
}
