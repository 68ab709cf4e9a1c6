package import DataStacks
package import Foundation
package import ManagedObjects
package import Palettes

/// The colors of one photo, and what the photo says of itself.
package final class Mood: ManagedObject {
    /// The instant the photo was taken.
    @Attribute(.indexed) package private(set) var date: Date
    /// Minutes east of Greenwich where the photo was taken; nil when it does not say.
    @Attribute package private(set) var timeZoneOffset: Int16?
    @Attribute package private(set) var dateSource: DateSource
    /// The photo's own day, yyyymmdd, whatever the zone of the machine.
    @Attribute package private(set) var day: Int32
    /// Largest share first. Empty for a picture without an opaque pixel.
    @Attribute(transformer: ColorsTransformer.self) package private(set) var colors: MoodColors
    /// 0...1, one a color; together 1.
    @Attribute(transformer: SharesTransformer.self) package private(set) var shares: [Double]
    @Attribute package private(set) var mode: MoodMode
    /// The number of colors asked for; 0 for as many as the picture has.
    @Attribute package private(set) var k: Int16
    /// The version of the algorithm that found the colors.
    @Attribute package private(set) var algorithm: Int16
    /// Notes about oddities, one line each.
    @Attribute package private(set) var notes: String?
    /// Pixels of the photo, upright.
    @Attribute package private(set) var width: Int32
    @Attribute package private(set) var height: Int32
    /// Degrees north and east.
    @Attribute package private(set) var latitude: Double?
    @Attribute package private(set) var longitude: Double?
    @Attribute package private(set) var camera: String?
    /// A larger JPEG, for those who asked for one; a file beside the store when it is large.
    @Attribute(.externalStorage) package private(set) var preview: Data?
    /// A ``PictureHash``, 32 bytes; empty for a picture that is too plain to have one, nil while it is not
    /// known.
    @Attribute package private(set) var pictureHash: Data?
    @Attribute package private(set) var markedForDeletionDate: Date?
    @Relationship(inverse: \Photo.mood, isOptional: false) package private(set) var photo: Photo?
    @Relationship(inverse: \Country.moods) package private(set) var country: Country?
    @Relationship(inverse: "mood", deleteRule: .cascade) package private(set) var swatches: Set<Swatch>
    @Relationship(inverse: "mood", deleteRule: .cascade) package private(set) var thumbnail: Thumbnail?

    /// The order of lists, down to those that were taken on one day: very many may only have their file's.
    package override class var fetchIndexes: [FetchIndexDescription] {
        [FetchIndexDescription("byDayAndDate", [.init("day"), .init("date")])]
    }

    /// Makes the mood of a photo.
    ///
    /// - Parameters:
    ///   - palette: its colors.
    ///   - request: what was asked of the palette.
    ///   - thumbnail: a JPEG of some 17 KB.
    /// - Throws: ``StoreError``, when the photo's country cannot be looked for.
    @discardableResult
    package static func insert(
        into transaction: Transaction, palette: Palette, request: PaletteRequest, facts: CaptureInfo,
        thumbnail: Data, preview: ExternalData? = nil
    ) throws -> Mood {
        let mood = transaction.create(Mood.self)
        try mood.set(palette, request, facts, thumbnail: thumbnail, preview: preview, in: transaction)
        return mood
    }

    /// Everything there is to say of a photo, said anew: for one whose file changed.
    func set(
        _ palette: Palette, _ request: PaletteRequest, _ facts: CaptureInfo, thumbnail: Data,
        preview: ExternalData?, in transaction: Transaction
    ) throws {
        colors = MoodColors(palette, leavingOut: request.leftOut)
        shares = palette.entries.map(\.share)
        mode = MoodMode(request.mode)
        k = request.count
        algorithm = Palette.algorithmVersion
        (date, timeZoneOffset, dateSource, day) = (
            facts.date, facts.timeZoneOffset, facts.dateSource, facts.day
        )
        (width, height) = (facts.width, facts.height)
        (latitude, longitude, camera) = (facts.latitude, facts.longitude, facts.camera)
        let lines = facts.notes + palette.notes
        notes = lines.isEmpty ? nil : lines.joined(separator: "\n")
        // The old one is not looked at: its file may be lost.
        if let preview { setStaged(preview, for: \.preview) } else { self.preview = nil }
        let old = self.thumbnail ?? transaction.create(Thumbnail.self)
        old.set(jpeg: thumbnail)
        if self.thumbnail !== old { self.thumbnail = old }
        indexColors(in: transaction)
        try findCountry(in: transaction)
    }

    /// Records the version of the algorithm of a palette that another machine found.
    func setAlgorithm(_ version: Int16) { if algorithm != version { algorithm = version } }

    package func setPictureHash(_ hash: Data?) { if pictureHash != hash { pictureHash = hash } }

    /// Where the photo was taken, by its degrees.
    func findCountry(in transaction: Transaction) throws {
        var found: Country?
        if let latitude, let longitude,
            let facts = CountryTable.country(latitude: latitude, longitude: longitude)
        {
            found = try Country.of(facts, in: transaction)
        }
        if country !== found { country = found }
    }

    /// Whether another name or time of the file would be another date: only of a photo that says nothing of
    /// its own.
    package func isRedated(by date: FileDate) -> Bool {
        guard dateSource == .fileName || dateSource == .fileTime else { return false }
        return date.taken.instant() != self.date || date.source != dateSource
    }

    /// The file's name or time is another.
    ///
    /// - Returns: whether the date is another now.
    func setFileDate(_ date: FileDate) -> Bool {
        guard isRedated(by: date) else { return false }
        (self.date, dateSource, day) = (date.taken.instant(), date.source, date.taken.dayNumber)
        return true
    }

    /// Takes the mood out of all lists until it is unmarked or deleted; nil puts it back.
    package func mark(forDeletion date: Date?) {
        if markedForDeletionDate != date { markedForDeletionDate = date }
    }

    /// Marks the mood as updated because its photo changed, so that lists of moods report it.
    func photoDidChange() { day = day }
}

/// Which colors a palette is made of. The numbers are stored.
package enum MoodMode: Int16, AttributeEnumeration {
    case area = 0
    case representative = 1

    init(_ mode: PaletteMode) {
        switch mode {
        case .area: self = .area
        case .representative: self = .representative
        }
    }

    /// "area", "representative"
    package var paletteMode: PaletteMode {
        switch self {
        case .area: .area
        case .representative: .representative
        }
    }
}
