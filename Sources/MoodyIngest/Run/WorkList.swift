import MoodyModel

/// The files to open: 8 bytes per file, from which an item is made when it is its turn.
struct WorkList: RandomAccessCollection, Sendable {
    private struct Entry: Sendable {
        /// Indexes in ``files``, and in ``photos``; -1 for none.
        let file: Int32, photo: Int32
    }

    private var entries = ChunkedArray<Entry>()
    /// The entries of photos whose sidecars changed.
    private var isReread: Set<Int32> = []
    private let files: FoundFileList
    private let photos: PackedPhotos
    /// The files that are meant by the options; nil for all.
    private let askedAnew: Set<BytePath>?
    private let recompute: Bool, restore: Bool

    init(_ inputs: IngestInputs, _ photos: PackedPhotos, _ options: IngestOptions) {
        (files, askedAnew, self.photos) = (inputs.found.files, inputs.askedAnew, photos)
        (recompute, restore) = (options.recompute, options.restore)
    }

    var startIndex: Int { 0 }
    var endIndex: Int { entries.count }

    /// - Parameters:
    ///   - file: the index of a found file.
    ///   - photo: the index of the store's photo at the file's path; nil for none.
    mutating func append(file: Int, photo: Int?) {
        entries.append(Entry(file: Int32(file), photo: Int32(photo ?? -1)))
    }

    /// Has the palette of a photo found anew, though its file may be what it was.
    mutating func reread(photo: Int) { isReread.insert(Int32(photo)) }

    subscript(index: Int) -> IngestPlan.Item {
        let entry = entries[index], found = files[Int(entry.file)]
        let isAsked = askedAnew?.contains(found.path) ?? true
        var item = IngestPlan.Item(found: found)
        item.recomputes = isAsked && recompute
        if entry.photo < 0 { return item }
        let known = photos[Int(entry.photo)]
        item.state = known.state
        if known.state == .removed {
            (item.deletedHash, item.restores) = (known.paletteHash, isAsked && restore)
            return item
        }
        item.hasMood = known.hasMood
        // A file whose times changed but not its bytes needs no new palette.
        item.isReread = isReread.contains(entry.photo)
        item.paletteHash = item.recomputes || item.isReread || !known.isAsAsked ? nil : known.paletteHash
        item.ownHash = known.hasMood ? known.paletteHash : nil
        return item
    }
}
