import Foundation
package import Images
import MoodyModel
import Texts

/// What the XMP file beside a photo says of it: programs that do not write photos put dates, places, and
/// orientations there.
package struct Sidecar: Sendable {
    /// Of the file, as people see it.
    package let name: String
    /// Empty where the file cannot be read.
    package private(set) var metadata = PhotoMetadata()
    /// Why the file cannot be read.
    package private(set) var problem: String?

    /// Bytes.
    private static let largest = 16 << 20

    /// Whether a file has the name of a sidecar: `.xmp` in any case.
    package static func isNamedSo(_ name: [UInt8]) -> Bool {
        name.count > 4 && name.suffix(4).elementsEqual(".xmp".utf8) { $0 | 0x20 == $1 }
    }

    /// The sidecar of a photo: `a.jpg.xmp`, else `a.xmp` unless that says that it is of another kind of
    /// file.
    package init?(of photo: BytePath) {
        let name = photo.name
        if Self.isNamedSo(name) { return nil }
        if let own = Self.file(named: name, in: photo.folder) {
            self.init(own)
            return
        }
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0,
            let shared = Self.file(named: Array(name[..<dot]), in: photo.folder)
        else { return nil }
        self.init(shared, of: String(decoding: name[(dot + 1)...], as: UTF8.self))
    }

    /// The files that sidecars among these paths may tell of, whether the sidecars are there or not.
    static func photos(beside paths: [BytePath]) -> Set<BytePath> {
        var photos: Set<BytePath> = []
        let sidecars = paths.filter { isNamedSo($0.name) }
        for (folder, sidecars) in Dictionary(grouping: sidecars, by: \.folder) {
            let stems = Set(sidecars.map { Array($0.name.dropLast(4)) })
            for name in (try? folder.entries()) ?? [] where !isNamedSo(name) {
                let dot = name.lastIndex(of: UInt8(ascii: ".")) ?? name.count
                if stems.contains(name) || stems.contains(Array(name[..<dot])) {
                    photos.insert(folder.appending(name))
                }
            }
        }
        return photos
    }

    /// The files that may be the sidecar of a photo: its own, and that of its stem.
    static func files(for photo: BytePath) -> [BytePath] {
        let name = photo.name
        let dot = name.lastIndex(of: UInt8(ascii: ".")) ?? 0
        return [name, Array(name[..<dot])].compactMap { $0.isEmpty ? nil : file(named: $0, in: photo.folder) }
    }

    /// The names that a sidecar of a photo may have.
    static func names(for photo: BytePath) -> [[UInt8]] {
        let dot = photo.name.lastIndex(of: UInt8(ascii: ".")) ?? 0
        return [photo.name, Array(photo.name[..<dot])].filter { !$0.isEmpty }.flatMap { stem in
            endings.map { stem + Array($0.utf8) }
        }
    }

    /// Whether a file of this name may be the sidecar of a photo.
    static func mayTell(_ sidecar: [UInt8], of photo: [UInt8]) -> Bool {
        let stem = sidecar.dropLast(4)
        return photo.elementsEqual(stem)
            || photo.lastIndex(of: UInt8(ascii: ".")).map { photo[..<$0].elementsEqual(stem) } ?? false
    }

    private static let endings = [".xmp", ".XMP", ".Xmp"]

    private static func file(named stem: [UInt8], in folder: BytePath) -> BytePath? {
        for ending in endings {
            let path = folder.appending(stem + Array(ending.utf8))
            if (try? FileStatus(at: path))?.kind == .regular { return path }
        }
        return nil
    }

    /// - Parameter ending: the photo's, where the file may be of another one; nil for the photo's own.
    private init?(_ path: BytePath, of ending: String? = nil) {
        name = BytePath(path.name).description
        do {
            let bytes = try readHead(path, count: Self.largest + 1)
            if bytes.count > Self.largest {
                problem = "larger than 16 MB"
                return
            }
            let packet = try XMPDocument(bytes)
            if let ending, let other = packet["photoshop:SidecarForExtension"],
                other.lowercased() != ending.lowercased()
            {
                return nil
            }
            metadata.fill(fromSidecar: { packet[$0] })
        } catch { problem = "\(error)" }
    }

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
