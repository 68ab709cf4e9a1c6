#if HEIF
/// The tables of a HEIF file: items, the places of their bytes, their descriptions, and their
/// references. Nothing in them is trusted; each table is read in one pass.
///
/// - Source: ISO/IEC 14496-12, 8.11 (meta, pitm, iinf, infe, iloc, iref, idat), 23008-12, 9.3 (iprp, ipco,
///   ipma).
struct HEIFItems {
    struct Item {
        /// Four characters, as in "hvc1" or "grid".
        var type = ""
        /// The content type of an item of type "mime".
        var contentType = ""
        /// Where in the file its bytes are, one piece after the other.
        var extents: [Range<Int>] = []
        /// Some of them are beyond the end of the file.
        var isCut = false
        /// They are in another file, or in another item.
        var isElsewhere = false
        /// Which of ``HEIFItems/properties``, in the order that they apply.
        var properties: [(index: Int, isEssential: Bool)] = []
    }

    struct Property {
        let type: String
        /// The whole box, and what is in it.
        let box: Range<Int>, body: Range<Int>
    }

    struct Reference {
        let type: String, from: Int, to: [Int]
    }

    let bytes: [UInt8]
    private(set) var primary: Int?
    private(set) var items: [Int: Item] = [:]
    private(set) var properties: [Property] = []
    private(set) var references: [Reference] = []
    /// Why nothing of the file is to be read, whatever reads it.
    private(set) var refusal: ImageError?

    /// Items, properties and references beyond so many of each are left out: photos have some hundred.
    private static let limit = 65_536
    /// Properties that items may still get, all together.
    private var associationsLeft = 1 << 20
    /// Items that have their properties.
    private var described = Set<Int>()

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        guard let meta = boxes(0..<bytes.count).first(where: { $0.type == "meta" }) else { return }
        let children = boxes(inside(meta.body, from: 4))
        let data = children.first { $0.type == "idat" }?.body ?? 0..<0
        for child in children {
            switch child.type {
            case "pitm":
                primary = number(
                    child.body.lowerBound + 4, number(child.body.lowerBound, 1) == 0 ? 2 : 4, in: child.body)
            case "iinf": readItems(child.body)
            case "iloc": readLocations(child.body, data)
            case "iprp": readProperties(child.body)
            case "iref": readReferences(child.body)
            default: break
            }
        }
    }

    /// An item's bytes, put together; at most `limit`. Nil when they are not all in the file.
    func contents(of item: Int, limit: Int = .max) -> [UInt8]? {
        guard let item = items[item], !item.isCut, !item.isElsewhere, !item.extents.isEmpty else {
            return nil
        }
        var contents: [UInt8] = []
        for extent in item.extents where contents.count < limit {
            contents += bytes[extent.prefix(limit - contents.count)]
        }
        return contents
    }

    /// An item's properties of a type.
    func properties(of item: Int, _ type: String) -> [Property] {
        (items[item]?.properties ?? []).compactMap {
            properties[$0.index].type == type ? properties[$0.index] : nil
        }
    }

    // MARK: Boxes

    /// A number in the file, inside a range; nil beyond it. At most 2^31 - 1, which is beyond every file.
    func number(_ at: Int, _ size: Int, in range: Range<Int>? = nil) -> Int? {
        let range = range ?? 0..<bytes.count
        guard at >= range.lowerBound, at <= range.upperBound - size else { return nil }
        let number = bytes.number(at: at, size, bigEndian: true)
        return number < 0 ? Int(Int32.max) : min(number, Int(Int32.max))
    }

    private func type(at offset: Int) -> String {
        String(decoding: bytes[offset..<offset + 4], as: UTF8.self)
    }

    private func inside(_ range: Range<Int>, from offset: Int) -> Range<Int> {
        min(range.lowerBound + offset, range.upperBound)..<range.upperBound
    }

    /// The boxes one after the other in a range; the last may be cut.
    private func boxes(_ range: Range<Int>) -> [Property] {
        var found: [Property] = [], at = range.lowerBound
        while at + 8 <= range.upperBound, found.count < Self.limit, var size = number(at, 4) {
            var head = 8
            if size == 1, let long = number(at + 8, 8, in: range) { (size, head) = (long, 16) }
            if size == 0 { size = range.upperBound - at }
            guard size >= head else { break }
            let end = min(size, range.upperBound - at) + at
            guard at + head <= end else { break }
            found.append(Property(type: type(at: at + 4), box: at..<end, body: at + head..<end))
            at = end
        }
        return found
    }

    // MARK: Tables

    private mutating func readItems(_ body: Range<Int>) {
        let count = number(body.lowerBound, 1) == 0 ? 2 : 4
        for entry in boxes(inside(body, from: 4 + count)) where entry.type == "infe" {
            let start = entry.body.lowerBound
            guard let version = number(start, 1, in: entry.body), version >= 2 else { continue }
            let size = version == 2 ? 2 : 4, typeStart = start + 4 + size + 2
            guard let id = number(start + 4, size, in: entry.body), typeStart + 4 <= entry.body.upperBound
            else {
                continue
            }
            var item = items[id] ?? Item()
            item.type = type(at: typeStart)
            if item.type == "mime" {
                // A name, then the type of the contents, each to its NUL.
                let texts = bytes[typeStart + 4..<entry.body.upperBound].split(
                    separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
                if texts.count > 1 { item.contentType = String(decoding: texts[1], as: UTF8.self) }
            }
            items[id] = item
        }
    }

    private mutating func readLocations(_ body: Range<Int>, _ data: Range<Int>) {
        let start = body.lowerBound
        guard let version = number(start, 1, in: body), let sizes = number(start + 4, 2, in: body) else {
            return
        }
        let offset = sizes >> 12, length = sizes >> 8 & 15, base = sizes >> 4 & 15
        let index = version == 0 ? 0 : sizes & 15, id = version < 2 ? 2 : 4
        var at = start + 6
        func next(_ size: Int) -> Int? {
            defer { at += size }
            return size == 0 ? 0 : number(at, size, in: body)
        }
        guard let count = next(id) else { return }
        var extentsLeft = Self.limit
        for _ in 0..<min(count, Self.limit) {
            guard let number = next(id), let method = next(version == 0 ? 0 : 2), let file = next(2),
                let from = next(base), let extents = next(2)
            else { return }
            var item = items[number] ?? Item()
            (item.extents, item.isElsewhere) = ([], file != 0 || method & 15 > 1)
            let source = method & 15 == 1 ? data : 0..<bytes.count
            var bytesLeft = bytes.count
            // Extents that take no room in the table are all the same one.
            for _ in 0..<(index + offset + length == 0 ? min(extents, 1) : extents) {
                extentsLeft -= 1
                guard extentsLeft >= 0 else {
                    refusal = .pastLimit("its items lie in more than \(Self.limit) pieces")
                    return
                }
                guard next(index) != nil, let relative = next(offset), let size = next(length) else { return }
                let begin = source.lowerBound + from + relative
                // A length of 0: all there is.
                let end = size == 0 ? source.upperBound : begin + size
                if begin > source.upperBound || end > source.upperBound { item.isCut = true }
                let start = min(begin, source.upperBound)
                item.extents.append(start..<max(start, min(end, source.upperBound)))
                bytesLeft -= item.extents.last?.count ?? 0
                // Pieces may overlap: together they could be the file many thousand times.
                guard bytesLeft >= 0 else {
                    refusal = .corrupt("an item longer than the file")
                    return
                }
            }
            items[number] = item
        }
    }

    private mutating func readProperties(_ body: Range<Int>) {
        for child in boxes(body) {
            // There may be only one; indexes into it stay valid.
            if child.type == "ipco", properties.isEmpty { properties = boxes(child.body) }
            if child.type == "ipma" { readAssociations(child.body) }
        }
    }

    /// The first entry of each item: ISO/IEC 23008-12, 9.3.1 has one per item.
    private mutating func readAssociations(_ body: Range<Int>) {
        let start = body.lowerBound
        guard let version = number(start, 1, in: body), let flags = number(start + 3, 1, in: body),
            let count = number(start + 4, 4, in: body)
        else { return }
        let isWide = flags & 1 == 1, id = version < 1 ? 2 : 4
        var at = start + 8
        for _ in 0..<min(count, Self.limit) {
            guard let number = number(at, id, in: body), let entries = self.number(at + id, 1, in: body)
            else { return }
            at += id + 1
            let isFirst = described.insert(number).inserted
            for _ in 0..<entries {
                guard let entry = self.number(at, isWide ? 2 : 1, in: body) else { return }
                at += isWide ? 2 : 1
                let index = (isWide ? entry & 0x7FFF : entry & 0x7F) - 1
                guard isFirst, associationsLeft > 0, properties.indices.contains(index) else { continue }
                associationsLeft -= 1
                items[number, default: Item()].properties.append(
                    (index, isEssential: entry >> (isWide ? 15 : 7) == 1))
            }
        }
    }

    private mutating func readReferences(_ body: Range<Int>) {
        let id = number(body.lowerBound, 1) == 0 ? 2 : 4
        var left = Self.limit
        for entry in boxes(inside(body, from: 4)) {
            let start = entry.body.lowerBound
            guard let from = number(start, id, in: entry.body),
                let count = number(start + id, 2, in: entry.body)
            else { continue }
            var to: [Int] = []
            for index in 0..<min(count, left) {
                guard let target = number(start + id + 2 + index * id, id, in: entry.body) else { break }
                to.append(target)
            }
            left -= to.count
            references.append(Reference(type: entry.type, from: from, to: to))
        }
    }
}
#endif
