package import DataStacks
import Foundation
package import ManagedObjects
package import MoodyModel
import Palettes

/// Which moods, in which order: what `list`, `export` and the change report have in common, so that a report
/// speaks of the rows that a list shows.
package struct MoodList: Sendable {
    /// The keys by which moods can be sorted.
    package enum Key: String, Sendable, CaseIterable {
        /// When it was taken: by the photo's own day, then by the instant.
        case date
        case path
        /// When it came into the store.
        case id
    }

    package var key: Key
    package var isDescending: Bool
    package var limit: Int?
    /// Only moods whose photos are missing.
    package var isMissingOnly = false
    /// Only moods of photos with the same bytes as another photo's, copies next to each other.
    package var isDuplicatesOnly = false
    /// Only moods that match.
    package var filter: MoodFilter?
    /// The property that makes sections; nil for none. Moods of a section stand together in any order.
    package var section: MoodSection?
    /// Only these, still in the list's order.
    package var only: Set<ManagedObjectID>?

    /// As `--sort` and the server take it: a key, with `:asc` or `:desc` behind it or `-` in front of it.
    ///
    /// - Returns: nil for other texts.
    package init?(sort: String) {
        let isMinus = sort.hasPrefix("-")
        let text = isMinus ? sort.dropFirst() + ":desc" : sort[...]
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let key = Key(rawValue: parts[0]), parts.count <= 2 else { return nil }
        switch parts.count == 2 ? parts[1] : "" {
        case "asc": self.init(by: key, isDescending: false)
        case "desc": self.init(by: key, isDescending: true)
        // The newest first, but A before Z.
        case "" where parts.count == 1: self.init(by: key, isDescending: key == .date)
        default: return nil
        }
    }

    /// The newest first.
    package init(by key: Key = .date, isDescending: Bool = true, limit: Int? = nil) {
        (self.key, self.isDescending, self.limit) = (key, isDescending, limit)
    }

    package var request: FetchRequest<Mood> {
        var wanted: Filter<Mood> = \Mood.markedForDeletionDate == nil
        if isMissingOnly { wanted = wanted && \Mood.photo?.state == PhotoState.missing }
        if let filter { wanted = wanted && filter.filter }
        if let only { wanted = wanted && Filter(\.row, isIn: only.map(MoodKey.init)) }
        var request = FetchRequest<Mood>(wanted)
        if let section {
            request.sortKeys = [section.sortKey].compactMap(\.self) + sortKeys
            request.fetchLimit = limit
            return request
        }
        let order: SortOrder = isDescending ? .reverse : .forward
        switch key {
        case .date:
            request.sortDescriptors = [
                SortDescriptor(\.day, order: order), SortDescriptor(\.date, order: order),
            ]
        case .path: request.sortDescriptors = [SortDescriptor(\.photo?.path, order: order)]
        // Rows come as they were made where no order is asked for.
        case .id: if isDescending { request.sortDescriptors = [SortDescriptor(\.row, order: order)] }
        }
        request.fetchLimit = limit
        return request
    }

    /// The names of the list's sections; nil for a list without sections.
    ///
    /// - Throws: ``FetchError``.
    func sectionName() throws(FetchError) -> SectionName<Mood>? { try section?.name(isDescending) }

    /// The order by name.
    private var sortKeys: [SortKey] {
        let names =
            switch key {
            case .date: ["day", "date"]
            case .path: ["photo.path"]
            case .id: [String]()
            }
        return names.map { isDescending ? .descending($0) : .ascending($0) }
    }

    /// Hands over the records in order, some hundred at a time, so that a list of a million moods is never in
    /// memory at once.
    ///
    /// - Throws: ``StoreError``, and what `body` throws.
    package func forEach(
        in stack: DataStack, _ body: ([MoodRecord]) throws -> Void
    ) throws {
        try Self.forEach(of: try ids(in: stack), in: stack, body)
    }

    /// The same of moods that are known by their IDs, in the order of these; those that are gone are left
    /// out.
    package static func forEach(
        of ids: [ManagedObjectID], in stack: DataStack, _ body: ([MoodRecord]) throws -> Void
    ) throws {
        for some in ids.parts(of: 256) {
            try body(try read(some, in: stack) { MoodRecord($0) })
        }
    }

    /// Hands over the records of the photos in order, for `moody import` on another machine.
    ///
    /// - Throws: ``StoreError``, and what `body` throws.
    package func forEachPhotoRecord(
        withThumbnails: Bool, in stack: DataStack, _ body: ([PhotoRecord]) throws -> Void
    ) throws {
        for ids in try chunks(in: stack) {
            try body(
                try Self.read(ids, withThumbnails: withThumbnails, in: stack) { mood in
                    mood.photo.flatMap { PhotoRecord($0, withThumbnail: withThumbnails) }
                }.compactMap(\.self))
        }
    }

    /// Like the records, but with the pictures of the photos, for pages.
    package func forEachRow(
        in stack: DataStack, _ privacy: PagePrivacy, _ body: ([(MoodRow, PictureSource)]) throws -> Void
    ) throws {
        for ids in try chunks(in: stack) {
            try body(
                try Self.read(ids, withThumbnails: true, in: stack) {
                    (MoodRow($0, thumbnail: $0.thumbnail?.jpeg ?? Data(), privacy), PictureSource($0))
                })
        }
    }

    /// Rows with the larger picture of each photo, one at a time, since pictures are large.
    package func forEachPictured(
        in stack: DataStack, _ privacy: PagePrivacy,
        _ body: (MoodRow, StoredPreview, PictureSource) throws -> Void
    ) throws {
        for ids in try chunks(of: 16, in: stack) {
            let rows = try retryingWhatOthersCause {
                try stack.read { view in
                    let moods = try view.objects(
                        Mood.self, with: ids, prefetching: [\Mood.photo, \Mood.thumbnail])
                    return try moods.map { mood in
                        let row = MoodRow(mood, thumbnail: mood.thumbnail?.jpeg ?? Data(), privacy)
                        return (row, try StoredPreview(of: mood, in: view), PictureSource(mood))
                    }
                }
            }
            for (row, preview, source) in rows { try body(row, preview, source) }
        }
    }

    /// The paths of the photos in order, as the bytes the file system has, some hundred at a time.
    ///
    /// - Throws: ``StoreError``, and what `body` throws.
    package func forEachPath(in stack: DataStack, _ body: ([UInt8]) throws -> Void) throws {
        for ids in try chunks(in: stack) {
            let paths = try Self.read(ids, in: stack) { mood in
                mood.photo.map { PhotoPath($0).bytes }
            }
            for path in paths { if let path { try body(path) } }
        }
    }

    /// How many there are.
    package func count(in stack: DataStack) throws -> Int {
        try stack.read { try $0.fetchCount(request) }
    }

    /// The IDs in order.
    ///
    /// - Throws: ``StoreError``.
    package func ids(in stack: DataStack) throws -> [ManagedObjectID] {
        var request = request
        if isDuplicatesOnly { request.fetchLimit = nil }
        let wanted = request
        var all = try stack.read { try $0.fetchObjectIDs(wanted) }
        if isDuplicatesOnly { all = try duplicates(among: all, in: stack) }
        if let limit, all.count > limit { all.removeLast(all.count - limit) }
        return all
    }

    /// The moods whose photos have the same bytes as the photo of another of them: group by group, in the
    /// order of each group's first mood.
    private func duplicates(
        among ids: [ManagedObjectID], in stack: DataStack
    ) throws -> [ManagedObjectID] {
        let hashes = try stack.read { view in
            var hashes: [ManagedObjectID: Data] = [:]
            let photos = FetchRequest<Photo>(\Photo.contentHash != nil)
            for (hash, row) in try view.fetchValues(photos, \.contentHash, \.mood?.row) {
                if let id = row?.id { hashes[id] = hash }
            }
            return hashes
        }
        var groups: [Data: [ManagedObjectID]] = [:], order: [Data] = []
        for id in ids {
            guard let hash = hashes[id] else { continue }
            if groups[hash] == nil { order.append(hash) }
            groups[hash, default: []].append(id)
        }
        return order.compactMap { groups[$0] }.filter { $0.count > 1 }.flatMap(\.self)
    }

    /// In chunks of what fits in one query.
    private func chunks(of chunk: Int = 256, in stack: DataStack) throws -> [[ManagedObjectID]] {
        let all = try ids(in: stack)
        return Array(all.parts(of: chunk))
    }

    private static func read<Value: Sendable>(
        _ ids: [ManagedObjectID], withThumbnails: Bool = false, in stack: DataStack,
        _ make: @Sendable (Mood) -> Value
    ) throws -> [Value] {
        // A mood that another process deletes while it is read is left out at the next attempt.
        return try retryingWhatOthersCause {
            try stack.read { view in
                let needed: [PartialKeyPath<Mood>] =
                    [\Mood.photo, \Mood.country] + (withThumbnails ? [\Mood.thumbnail] : [])
                return try view.objects(Mood.self, with: ids, prefetching: needed).map(make)
            }
        }
    }
}

extension MoodRow {
    /// - Parameter privacy: what of the photo the page may tell.
    init(_ mood: Mood, thumbnail: Data, _ privacy: PagePrivacy) {
        self.init(MoodRecord(mood), thumbnail: [UInt8](thumbnail), privacy)
    }

    /// - Parameter privacy: what of the photo the page may tell.
    init(_ record: MoodRecord, thumbnail: [UInt8] = [], _ privacy: PagePrivacy) {
        var place = ""
        if privacy.showsPlaces, let latitude = record.latitude, let longitude = record.longitude {
            place = "\(degrees(latitude, "N", "S")) \(degrees(longitude, "E", "W"))"
            if let country = record.country { place += ", \(country.name(in: .user))" }
        }
        self.init(
            id: record.id, name: record.name, path: privacy.showsPaths ? record.path : "", day: record.day,
            time: record.taken.clock, width: Int(record.width), height: Int(record.height),
            swatches: record.colors.map { color in
                var swatch = Swatch(
                    red: color.color.red, green: color.color.green, blue: color.color.blue,
                    share: color.share,
                    name: color.color.name)
                swatch.displayP3 = color.displayP3?.css ?? ""
                return swatch
            },
            thumbnail: thumbnail, place: place, camera: record.camera ?? "", notes: record.notes)
        isDated = record.isDated
    }
}

/// Where the photo of a row lies, and what its contents were: for those who read it again.
package struct PictureSource: Sendable {
    package let path: PhotoPath
    /// XXH3-128 in hexadecimal; nil when it was never read whole.
    package let contentHash: String?

    init(_ mood: Mood) {
        let record = MoodRecord(mood)
        (path, contentHash) = (record.photoPath, record.contentHash)
    }
}

/// The private details of photos that a page shows: none by default.
package struct PagePrivacy: Sendable, Equatable {
    /// Where the file lies.
    package var showsPaths: Bool
    /// Where the photo was taken.
    package var showsPlaces: Bool

    package init(showsPaths: Bool = false, showsPlaces: Bool = false) {
        (self.showsPaths, self.showsPlaces) = (showsPaths, showsPlaces)
    }
}

/// "53.5503° N"
private func degrees(_ value: Double, _ positive: String, _ negative: String) -> String {
    "\((abs(value) * 10_000).rounded() / 10_000)° \(value < 0 ? negative : positive)"
}
