import Foundation
package import Images
import MoodyModel
import Texts

/// What the XMP file beside a photo says of it, and Takeout's: programs that do not write photos put dates,
/// places, and orientations there.
package struct Sidecar: Sendable {
    /// Of the file, as people see it.
    package let name: String
    /// Empty where the file cannot be read.
    package private(set) var metadata = PhotoMetadata()
    /// What counts where neither that nor the photo says anything.
    private var otherwise = PhotoMetadata()
    /// Why nothing is taken from the file.
    package private(set) var problem: String?
    /// Whether that is since nobody can read it.
    private(set) var isUnreadable = false

    /// Whether moody wrote the file, and nothing else is in it.
    private var saysNothing = false

    /// The sidecar of a photo: `a.jpg.xmp`, else `a.xmp` unless that says that it is of another kind of
    /// file; and the file of Takeout whose title fits.
    package init?(of photo: BytePath) {
        if Self.isNamedSo(photo.name) { return nil }
        let own = Self(xmpOf: photo)
        guard own?.isUnreadable != true, let other = Self(takeoutOf: photo) else {
            guard let own else { return nil }
            self = own
            return
        }
        self = own ?? other
        otherwise = other.otherwise
    }

    private init?(xmpOf photo: BytePath) {
        let stems = Self.xmpStems(of: photo)
        if let own = Self.file(of: stems[0]), let sidecar = Self(own), !sidecar.saysNothing {
            self = sidecar
        } else if stems.count > 1, let shared = Self.file(of: stems[1]) {
            self.init(shared, of: Self.ending(of: photo))
        } else {
            return nil
        }
    }

    private init?(takeoutOf photo: BytePath) {
        for (path, title) in Self.takeouts(for: photo) {
            guard (try? FileStatus(at: path))?.kind == .regular else { continue }
            do throws(FileError) {
                let bytes = try readHead(path, count: Takeout.largest + 1)
                guard let takeout = Takeout(bytes), takeout.fits(title) else { continue }
                self.init(takeout, named: path.name)
                return
            } catch {
                self.init(unreadable: path, error)
                return
            }
        }
        return nil
    }

    private init(unreadable path: BytePath, _ error: FileError) {
        name = BytePath(path.name).description
        problem = "\(error)"
        isUnreadable = true
    }

    init(_ takeout: Takeout, named name: [UInt8]) {
        self.name = BytePath(name).description
        otherwise = takeout.metadata
    }

    /// - Parameter ending: the photo's, where the file may be of another one; nil for the photo's own.
    private init?(_ path: BytePath, of ending: String? = nil) {
        name = BytePath(path.name).description
        do {
            let bytes = try readHead(path, count: SidecarText.largest + 1)
            if bytes.count > SidecarText.largest {
                problem = "larger than 16 MB"
                return
            }
            let packet = try XMPDocument(bytes)
            saysNothing = SidecarText.saysNothing(SidecarText.foreign(of: bytes))
            if let ending, !packet.isOf(ending) { return nil }
            metadata.fill(fromSidecar: { packet[$0] })
        } catch {
            problem = "\(error)"
            isUnreadable = error is FileError
        }
    }

    /// Whether a sidecar of a stem tells of a photo, as far as it says of which.
    static func tells(_ sidecar: BytePath, of photo: BytePath) -> Bool {
        let bytes = (try? readHead(sidecar, count: SidecarText.largest)) ?? []
        return (try? XMPDocument(bytes))?.isOf(ending(of: photo)) ?? true
    }

    /// What stands behind the last dot of a name that has a stem.
    private static func ending(of photo: BytePath) -> String {
        String(decoding: photo.name.reversed().prefix { $0 != UInt8(ascii: ".") }.reversed(), as: UTF8.self)
    }

    /// The hash of what a sidecar says, whatever moody's own words are in it.
    static func hash(of bytes: [UInt8]) -> ContentHash? {
        ContentHash(contentHash(SidecarText.foreign(of: bytes)))
    }

    /// The hash of a sidecar that says nothing.
    static let hashOfNothing = ContentHash(contentHash(SidecarText.empty))

    /// What is to be said of it, and of a photo that says something else.
    package func notes(_ photo: PhotoMetadata) -> [String] {
        if let problem { return ["\(name): \(problem)"] }
        guard let own = photo.captured, let date = metadata.captured, !own.isWithinASecond(of: date),
            !own.isTold(by: date)
        else { return [] }
        return ["\(name) says \(date.clock), the photo \(own.clock)"]
    }

    /// What it says in place of what the photo says.
    package func apply(to photo: inout PhotoMetadata) {
        if let date = metadata.captured, photo.captured?.isTold(by: date) != true { photo.captured = date }
        if metadata.latitude != nil {
            photo.latitude = metadata.latitude
            photo.longitude = metadata.longitude
        }
        if metadata.rating != nil { photo.rating = metadata.rating }
        if photo.captured == nil { photo.captured = otherwise.captured }
        if photo.latitude == nil {
            photo.latitude = otherwise.latitude
            photo.longitude = otherwise.longitude
        }
    }
}

extension CaptureDate {
    /// As a clock beside the photographer showed it.
    fileprivate var clock: String {
        ISOText.day(year, month, day) + "T" + ISOText.clock(hour, minute, second)
    }

    /// Whether another date says no more than this one: the same moment without the zone and the parts of a
    /// second, the day without the clock, or the year alone.
    fileprivate func isTold(by other: CaptureDate) -> Bool {
        if isWithinASecond(of: other) {
            return other.offsetMinutes == nil || other.offsetMinutes == offsetMinutes
        }
        guard year == other.year, other.hour == 0, other.minute == 0, other.second == 0 else { return false }
        return month == other.month && day == other.day || other.month == 1 && other.day == 1
    }

    fileprivate func isWithinASecond(of other: CaptureDate) -> Bool {
        let dates = [self, other].map {
            CivilDate(
                year: $0.year, month: $0.month, day: $0.day, hour: $0.hour, minute: $0.minute,
                second: $0.second, nanosecond: 0
            ).instant()
        }
        return abs(dates[0].timeIntervalSince(dates[1])) <= 1
    }
}
