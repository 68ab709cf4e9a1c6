import MoodyModel

/// The photos of a catalog in columns: some 65 bytes per photo, so that a store of millions fits.
struct PackedPhotos: RandomAccessCollection, Sendable {
    typealias Known = PhotoCatalog.Known

    private struct Traits: Sendable {
        let state: PhotoState
        let hasMood: Bool, isAsAsked: Bool, isOutdated: Bool, hasHash: Bool
    }

    private var names = PackedNames()
    /// Each photo's folder, an index in ``folders``.
    private var folderIndexes = ChunkedArray<Int32>()
    private var folders: [BytePath] = []
    private var numbers: [BytePath: Int32] = [:]
    private var stamps = ChunkedArray<FileStamp>()
    private var hashes = ChunkedArray<ContentHash>()
    private var traits = ChunkedArray<Traits>()
    /// The rows of the columns in order; nil when they stand so.
    private var order: [Int32]?

    var startIndex: Int { 0 }
    var endIndex: Int { order?.count ?? stamps.count }

    /// The row of the columns that has a photo.
    private func row(_ index: Int) -> Int { order.map { Int($0[index]) } ?? index }

    subscript(index: Int) -> Known {
        let row = row(index), traits = traits[row]
        return Known(
            folder: folders[Int(folderIndexes[row])], name: names[row], seen: stamps[row],
            state: traits.state, paletteHash: traits.hasHash ? hashes[row] : nil, hasMood: traits.hasMood,
            isAsAsked: traits.isAsAsked, isOutdated: traits.isOutdated)
    }

    /// Whether a photo's name is that of an AVIF.
    var hasAVIF: Bool { (0..<stamps.count).contains { PaletteVersion.isAVIF(names[$0]) } }

    func folder(at index: Int) -> BytePath { folders[Int(folderIndexes[row(index)])] }
    func state(at index: Int) -> PhotoState { traits[row(index)].state }
    func stamp(at index: Int) -> FileStamp { stamps[row(index)] }
    func hash(at index: Int) -> ContentHash? {
        let row = row(index)
        return traits[row].hasHash ? hashes[row] : nil
    }

    /// Whether the file is what it was, and has the palette that is asked for.
    func isUnchanged(_ index: Int, _ file: FileStamp) -> Bool {
        let row = row(index)
        return traits[row].state == .kept && traits[row].isAsAsked && stamps[row] == file
    }

    func hasName(_ name: [UInt8], at index: Int) -> Bool { names.holds(name, at: row(index)) }

    /// To be called before ``sort()``.
    mutating func append(_ photo: Known) {
        let last = folderIndexes.last.map { folders[Int($0)] }
        let folder: Int32
        // Photos of a folder mostly come one after the other.
        if last == photo.folder, let same = folderIndexes.last {
            folder = same
        } else {
            folder = numbers[photo.folder] ?? Int32(folders.count)
            if folder == folders.count {
                folders.append(photo.folder)
                numbers[photo.folder] = folder
            }
        }
        names.append(photo.name)
        folderIndexes.append(folder)
        stamps.append(photo.seen)
        hashes.append(photo.paletteHash ?? .none)
        traits.append(
            Traits(
                state: photo.state, hasMood: photo.hasMood, isAsAsked: photo.isAsAsked,
                isOutdated: photo.isOutdated, hasHash: photo.paletteHash != nil))
    }

    mutating func append(contentsOf photos: PackedPhotos) {
        if isEmpty { self = photos } else { for photo in photos { append(photo) } }
    }

    /// Puts the photos in the order of their folders' bytes, and of their names' in a folder. Of photos with
    /// the same path the first stays.
    ///
    /// - Returns: the indexes of each folder's photos.
    /// - Complexity: O(*n*) when they are in order, as most of the photos of a store are.
    mutating func sort() -> [BytePath: Range<Int>] {
        // The place of each folder among all.
        var ranks = [Int32](repeating: 0, count: folders.count)
        let sorted = folders.indices.sorted { MoodyIngest.precedes(folders[$0].bytes, folders[$1].bytes) }
        for (rank, folder) in sorted.enumerated() { ranks[folder] = Int32(rank) }
        func precedes(_ first: Int, _ second: Int) -> Bool {
            let (one, other) = (folderIndexes[first], folderIndexes[second])
            return one == other
                ? names.precedes(first, second) : ranks[Int(one)] < ranks[Int(other)]
        }
        if !indices.dropFirst().allSatisfy({ precedes($0 - 1, $0) }) {
            var sorted = indices.map { Int32($0) }
            sorted.sort {
                precedes(Int($0), Int($1)) || $0 < $1 && !precedes(Int($1), Int($0))
            }
            var last: Int32?
            sorted.removeAll { row in
                // Another process changed it while it was read: it came twice.
                let isSecond = last.map { !precedes(Int($0), Int(row)) } ?? false
                if !isSecond { last = row }
                return isSecond
            }
            order = sorted
        }
        var ranges: [BytePath: Range<Int>] = [:], start = 0
        while start < count {
            let folder = folderIndexes[row(start)]
            var end = start + 1
            while end < count, folderIndexes[row(end)] == folder { end += 1 }
            ranges[folders[Int(folder)]] = start..<end
            start = end
        }
        return ranges
    }

    /// The index of the first photo of a range whose name does not stand before `name`.
    func index(of name: [UInt8], in range: Range<Int>) -> Int {
        var low = range.lowerBound, high = range.upperBound
        while low < high {
            let middle = (low + high) / 2
            if names.precedes(row(middle), name) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
