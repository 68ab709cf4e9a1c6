#if HEIF
@testable import Images

/// Builds HEIF files box by box, also such as no program writes. All data lies in the `idat` box.
struct HEIFBuilder {
    struct Item {
        var id: Int
        let type: String
        /// Numbers of properties, from 1.
        var properties: [Int] = []
        var data: [UInt8] = []
        /// Bytes that are announced behind the data, and missing if it is the last item.
        var missing = 0
    }

    var items: [Item] = []
    /// Whole boxes.
    var properties: [[UInt8]] = []
    /// What the `dimg` reference of item 1 names.
    var tiles: [Int] = []
    /// The picture that says how transparent another is.
    var alpha: (item: Int, of: Int)?
    /// References beside these, of one item to another.
    var links: [(type: String, from: Int, to: Int)] = []
    /// How often each item has an entry in `ipma`.
    var repeats = 1
    /// Extents of each item, all of them its whole data.
    var extents = 1

    static func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    static func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
        number(body.count + 8, 4) + Array(type.utf8) + body
    }

    static func size(_ width: Int, _ height: Int) -> [UInt8] {
        box("ispe", number(0, 4) + number(width, 4) + number(height, 4))
    }

    static func grid(_ rows: Int, _ columns: Int, _ width: Int, _ height: Int) -> [UInt8] {
        [0, 1, UInt8(rows - 1), UInt8(columns - 1)] + number(width, 4) + number(height, 4)
    }

    var file: [UInt8] {
        typealias B = HEIFBuilder
        let entries = items.map { item in
            B.box("infe", [2, 0, 0, 0] + B.number(item.id, 2) + [0, 0] + Array(item.type.utf8) + [0])
        }
        var data: [UInt8] = [], locations: [UInt8] = [], associations: [UInt8] = []
        for item in items {
            let extent = B.number(data.count, 4) + B.number(item.data.count + item.missing, 4)
            locations += B.number(item.id, 2) + [0, 1, 0, 0] + B.number(extents, 2)
            for _ in 0..<extents { locations += extent }
            data += item.data
            for _ in 0..<repeats {
                associations +=
                    B.number(item.id, 2) + [UInt8(item.properties.count)]
                    + item.properties.map { UInt8($0) }
            }
        }
        let parts = B.number(1, 2) + B.number(tiles.count, 2) + tiles.flatMap { B.number($0, 2) }
        let transparency =
            alpha.map { B.box("auxl", B.number($0.item, 2) + [0, 1] + B.number($0.of, 2)) } ?? []
        let others = links.flatMap {
            B.box($0.type, B.number($0.from, 2) + [0, 1] + B.number($0.to, 2))
        }
        let pieces = tiles.isEmpty ? [] : B.box("dimg", parts), all = others + pieces + transparency
        let references = all.isEmpty ? [] : B.box("iref", B.number(0, 4) + all)
        return B.box("ftyp", Array("heic\0\0\0\0mif1heic".utf8))
            + B.box(
                "meta",
                B.number(0, 4) + B.box("hdlr", B.number(0, 8) + Array("pict".utf8) + B.number(0, 13))
                    + B.box("pitm", B.number(0, 4) + B.number(1, 2))
                    + B.box("iinf", B.number(0, 4) + B.number(items.count, 2) + entries.flatMap { $0 })
                    + B.box(
                        "iprp",
                        B.box("ipco", properties.flatMap { $0 })
                            + B.box(
                                "ipma", B.number(0, 4) + B.number(items.count * repeats, 4) + associations)
                    ) + references
                    + B.box(
                        "iloc", [1, 0, 0, 0, 0x44, 0] + B.number(items.count, 2) + locations)
                    + B.box("idat", data))
    }
}
#endif
