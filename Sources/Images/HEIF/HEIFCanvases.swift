#if HEIF
/// The sizes of the pictures that a HEIF file puts together from others.
///
/// The size that such a picture is announced with and the size in its own data need not agree, and libheif reserves
/// room for the latter before it has read anything of the parts.
///
/// - Source: ISO/IEC 23008-12, 6.6.2.2 (overlay) and 6.6.2.3 (grid); ISO/IEC 14496-12, 8.11 (meta, iloc, iinf, infe,
///   idat).
struct HEIFCanvases {
    private let bytes: [UInt8]
    /// The most pixels that any of them has; 0 for a file without one.
    private(set) var pixels = 0

    private struct Location {
        let item: Int
        /// In `idat`, not from the file's start.
        let isInData: Bool
        let extents: [(offset: Int, length: Int)]
    }

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        for meta in boxes(0..<bytes.count, named: "meta") {
            let children = min(meta.lowerBound + 4, meta.upperBound)..<meta.upperBound
            let items = boxes(children, named: "iinf").flatMap { derivedItems($0) }
            if items.isEmpty { continue }
            let data = boxes(children, named: "idat").first ?? 0..<0
            for location in boxes(children, named: "iloc").flatMap({ locations($0) }) {
                for (item, isOverlay) in items where item == location.item {
                    let header = start(of: location, data)
                    pixels = max(pixels, canvas(header, isOverlay: isOverlay))
                }
            }
        }
    }

    /// Nil beyond the end; at most 2^31 - 1, which is beyond every file.
    private func number(_ at: Int, _ size: Int, in bytes: [UInt8]) -> Int? {
        guard at >= 0, at <= bytes.count - size else { return nil }
        let number = bytes.number(at: at, size, bigEndian: true)
        return number < 0 ? Int(Int32.max) : min(number, Int(Int32.max))
    }

    private func number(_ at: Int, _ size: Int) -> Int? { number(at, size, in: bytes) }

    /// The insides of the boxes of a kind, one after the other in a range.
    private func boxes(_ range: Range<Int>, named name: String) -> [Range<Int>] {
        var found: [Range<Int>] = [], at = range.lowerBound
        while at + 8 <= range.upperBound, var size = number(at, 4) {
            var head = 8
            if size == 1, let long = number(at + 8, 8) { (size, head) = (long, 16) }
            if size == 0 { size = range.upperBound - at }
            guard size >= head else { break }
            let end = min(size, range.upperBound - at) + at
            if bytes.hasText(name, at: at + 4), at + head <= end { found.append(at + head..<end) }
            at = end
        }
        return found
    }

    /// The grids and overlays among the items.
    private func derivedItems(_ box: Range<Int>) -> [(item: Int, isOverlay: Bool)] {
        let count = bytes.indices.contains(box.lowerBound) && bytes[box.lowerBound] == 0 ? 2 : 4
        let entries = min(box.lowerBound + 4 + count, box.upperBound)..<box.upperBound
        return boxes(entries, named: "infe").compactMap { entry in
            guard let version = number(entry.lowerBound, 1), version >= 2 else { return nil }
            let size = version == 2 ? 2 : 4, type = entry.lowerBound + 4 + size + 2
            guard let item = number(entry.lowerBound + 4, size) else { return nil }
            if bytes.hasText("grid", at: type) { return (item, false) }
            return bytes.hasText("iovl", at: type) ? (item, true) : nil
        }
    }

    private func locations(_ box: Range<Int>) -> [Location] {
        guard let version = number(box.lowerBound, 1), let sizes = number(box.lowerBound + 4, 2) else {
            return []
        }
        let offset = sizes >> 12, length = sizes >> 8 & 15, base = sizes >> 4 & 15
        let index = version == 0 ? 0 : sizes & 15, id = version < 2 ? 2 : 4
        var at = box.lowerBound + 6, found: [Location] = []
        func next(_ size: Int) -> Int? {
            defer { at += size }
            return at + size <= box.upperBound ? number(at, size) : nil
        }
        guard let count = next(id) else { return [] }
        for _ in 0..<count {
            guard let item = next(id), let method = next(version == 0 ? 0 : 2), next(2) != nil,
                let start = next(base), let extents = next(2)
            else { break }
            var parts: [(offset: Int, length: Int)] = []
            for _ in 0..<extents {
                guard next(index) != nil, let from = next(offset), let bytes = next(length) else { break }
                parts.append((start + from, bytes))
            }
            found.append(Location(item: item, isInData: method & 15 == 1, extents: parts))
        }
        return found
    }

    /// The first bytes of an item: as many as a header has.
    private func start(of location: Location, _ data: Range<Int>) -> [UInt8] {
        let source = location.isInData ? data : 0..<bytes.count
        var start: [UInt8] = []
        for (offset, length) in location.extents where start.count < 20 {
            let from = min(source.lowerBound + offset, source.upperBound)
            // A length of 0: all there is.
            let end = length == 0 ? source.upperBound : min(from + length, source.upperBound)
            start += bytes[from..<min(end, from + 20)]
        }
        return start
    }

    private func canvas(_ header: [UInt8], isOverlay: Bool) -> Int {
        guard let flags = number(1, 1, in: header) else { return 0 }
        // Behind version and flags: four parts of a colour, or rows and columns less one.
        let size = flags & 1 == 0 ? 2 : 4, at = isOverlay ? 10 : 4
        guard let width = number(at, size, in: header), let height = number(at + size, size, in: header)
        else { return 0 }
        return width.multipliedReportingOverflow(by: height).partialValue
    }
}
#endif
