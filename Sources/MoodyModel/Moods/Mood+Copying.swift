import DataStacks
import Foundation
import ManagedObjects
import Palettes

extension PhotoRecord {
    /// The record of a photo with a mood, as the store has it; nil for a photo without one.
    ///
    /// - Parameter withThumbnail: whether the small picture is read as well.
    package init?(_ photo: Photo, withThumbnail: Bool) {
        guard let mood = photo.mood else { return nil }
        let slash = UInt8(ascii: "/"), folder = [UInt8](photo.folder)
        let source = mood.source(withThumbnail: withThumbnail)
        // The file has other bytes by now, which cannot be read: what the mood is of is no file any more.
        let isOfFile = photo.state != .failed
        self.init(
            path: folder + (folder.isEmpty || folder.last == slash ? [] : [slash]) + [UInt8](photo.name),
            size: isOfFile ? photo.size : 0, mtimeNs: isOfFile ? photo.mtimeNs : 0,
            contentHash: photo.contentHash, result: .mood(source))
    }
}

extension Mood {
    /// The mood as it was made, with its own date and without the larger picture.
    fileprivate func source(withThumbnail: Bool) -> MoodSource {
        let entries = zip(colors.indices, shares).map { index, share in
            Palette.Entry(color: colors[index], share: share, displayP3: colors.displayP3(at: index))
        }
        let taken = CivilDate(date, offset: Int(timeZoneOffset ?? 0))
        var facts = CaptureInfo(
            taken: taken, offset: timeZoneOffset.map(Int.init), source: dateSource, width: Int(width),
            height: Int(height), latitude: latitude, longitude: longitude, camera: camera,
            rating: photo?.rating, notes: notes?.split(separator: "\n").map(String.init) ?? [])
        (facts.date, facts.day) = (date, day)
        var source = MoodSource(
            palette: Palette(entries: entries), request: request, facts: facts,
            thumbnail: withThumbnail ? thumbnail?.jpeg ?? Data() : Data(), preview: nil,
            pictureHash: pictureHash)
        source.algorithm = algorithm
        return source
    }

    /// Returns the contents for the mood of another file with the same bytes, without the preview.
    ///
    /// - Parameter date: that file's, for a photo that says none of its own.
    package func source(dated date: FileDate) -> MoodSource {
        let entries = zip(colors.indices, shares).map { index, share in
            Palette.Entry(color: colors[index], share: share, displayP3: colors.displayP3(at: index))
        }
        var facts = CaptureInfo(
            taken: date.taken, offset: nil, source: date.source, width: Int(width), height: Int(height),
            latitude: latitude, longitude: longitude, camera: camera,
            rating: photo?.rating, notes: notes?.split(separator: "\n").map(String.init) ?? [])
        if dateSource != .fileName && dateSource != .fileTime {
            (facts.date, facts.timeZoneOffset, facts.dateSource) = (self.date, timeZoneOffset, dateSource)
            facts.day = day
        }
        return MoodSource(
            palette: Palette(entries: entries), request: request, facts: facts,
            thumbnail: thumbnail?.jpeg ?? Data(), preview: nil, pictureHash: pictureHash)
    }
}
