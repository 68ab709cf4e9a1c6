import MoodyModel

/// The photos of a catalog in columns: some 65 bytes per photo, so that a store of millions fits.
struct PackedPhotos: RandomAccessCollection, Sendable {
    typealias Known = PhotoCatalog.Known

    private struct Traits: Sendable {
        let state: PhotoState
        let hasMood: Bool, isAsAsked: Bool, hasHash: Bool
    }

    private var names = PackedNames()
    /// Each photo's folder, an index in ``folders``.
    private var folderIndexes = ChunkedArray<Int32>()
    private var folders: [BytePath] = []
    private var numbers: [BytePath: Int32] = [:]
    private var stamps = ChunkedArray<FileStamp>()
    private var hashes = ChunkedArray<ContentHash>()
    private var traits = ChunkedArray<Traits>()

    var startIndex: Int { 0 }
    var endIndex: Int { stamps.count }

    subscript(index: Int) -> Known {
        let traits = traits[index]
        return Known(
            folder: folder(at: index), name: names[index], seen: stamps[index], state: traits.state,
            paletteHash: hash(at: index), hasMood: traits.hasMood, isAsAsked: traits.isAsAsked)
    }

    func folder(at index: Int) -> BytePath { folders[Int(folderIndexes[index])] }
    func state(at index: Int) -> PhotoState { traits[index].state }
    func stamp(at index: Int) -> FileStamp { stamps[index] }
    func hash(at index: Int) -> ContentHash? { traits[index].hasHash ? hashes[index] : nil }

    /// Whether the file is what it was, and has the palette that is asked for.
    func isUnchanged(_ index: Int, _ file: FileStamp) -> Bool {
        traits[index].state == .kept && traits[index].isAsAsked && stamps[index] == file
    }

    func hasName(_ name: [UInt8], at index: Int) -> Bool { names.holds(name, at: index) }

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
                hasHash: photo.paletteHash != nil))
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
            var order = indices.map { Int32($0) }
            order.sort { precedes(Int($0), Int($1)) }
            var last: Int32?
            order.removeAll { index in
                // Another process changed it while it was read: it came twice.
                let isSecond = last.map { !precedes(Int($0), Int(index)) } ?? false
                if !isSecond { last = index }
                return isSecond
            }
            select(order)
        }
        var ranges: [BytePath: Range<Int>] = [:], start = 0
        while start < count {
            let folder = folderIndexes[start]
            let end = folderIndexes[start...].firstIndex { $0 != folder } ?? count
            ranges[folders[Int(folder)]] = start..<end
            start = end
        }
        return ranges
    }

    /// Leaves the photos at these indexes, in their order; column by column, so that one is there twice.
    private mutating func select(_ order: [Int32]) {
        names = names.selecting(order)
        folderIndexes = folderIndexes.selecting(order)
        stamps = stamps.selecting(order)
        hashes = hashes.selecting(order)
        traits = traits.selecting(order)
    }

    /// The index of the first photo of a range whose name does not stand before `name`.
    func index(of name: [UInt8], in range: Range<Int>) -> Int {
        var low = range.lowerBound, high = range.upperBound
        while low < high {
            let middle = (low + high) / 2
            if names.precedes(middle, name) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
