import DataStacks
import Foundation
import ManagedObjects
import Palettes

extension Mood {
    /// What the mood of another file with the same bytes is made of. Without the larger picture.
    ///
    /// - Parameter date: that file's, for a photo that says none of its own.
    public func source(dated date: FileDate) -> MoodSource {
        let entries = zip(colors.indices, shares).map { place, share in
            Palette.Entry(color: colors[place], share: share, displayP3: colors.displayP3(at: place))
        }
        var facts = PhotoFacts(
            taken: date.taken, offset: nil, source: date.source, width: Int(width), height: Int(height),
            latitude: latitude, longitude: longitude, camera: camera,
            notes: notes?.split(separator: "\n").map(String.init) ?? [])
        if dateSource != .fileName && dateSource != .fileTime {
            (facts.date, facts.timeZoneOffset, facts.dateSource) = (self.date, timeZoneOffset, dateSource)
            facts.day = day
        }
        return MoodSource(
            palette: Palette(entries: entries), request: request, facts: facts,
            thumbnail: thumbnail?.jpeg ?? Data(), preview: nil)
    }
}
