#if HEIF
/// How a HEIF picture is put together from coded parts that can be read one after the other: one of them, or
/// the tiles of a grid.
///
/// So no more than a row of tiles is held, nothing has to be known of what else the file says, and damage of
/// one part is noticed.
///
/// - Source: ISO/IEC 23008-12, 6.6.2.3 (grid).
struct HEIFParts {
    let columns: Int, rows: Int
    /// Items, row by row.
    let tiles: [Int]
    /// Pixels of each tile.
    let tileWidth: Int, tileHeight: Int
    /// Pixels of the picture that they make, of which `crop` is shown.
    let width: Int, height: Int
    let crop: HEIFAperture
    /// EXIF's number for how the picture is to be turned.
    let orientation: Int
    /// Coded pictures whose brightness is the alpha: one of the grid's size, or one for each tile.
    struct Alpha {
        let tiles: [Int]
        let columns: Int
        let tileWidth: Int, tileHeight: Int
        /// Only once the sizes of picture and tiles are known to be within the limits.
        var tilePixels: Int { tileWidth * tileHeight }
    }

    let alpha: Alpha?
    let isPremultiplied: Bool

    /// - Throws: ``ImageError`` for a picture that is put together in another way, or in one that makes no
    ///   sense.
    init(_ items: HEIFItems) throws(ImageError) {
        guard let primary = items.primary, let item = items.items[primary] else {
            throw .corrupt("a file without a picture")
        }
        guard ["hvc1", "grid"].contains(item.type) else {
            throw .unsupported("a HEIF picture of the kind '\(item.type)'")
        }
        let unknown = ImageError.unsupported("a HEIF picture with properties that are not known here")
        guard let (width, height) = HEIFParts.size(of: primary, items),
            let layout = Layout(primary, item, items), let first = layout.tiles.first,
            let (tileWidth, tileHeight) = HEIFParts.size(of: first, items)
        else { throw .corrupt("a picture without a size, or without its parts") }
        let type = items.items[first]?.type ?? ""
        guard type == "hvc1" else { throw .unsupported("a HEIF picture of parts of the kind '\(type)'") }
        // A grid may name an item tens of thousands of times.
        for tile in Set(layout.tiles) {
            guard let part = items.items[tile], part.type == type,
                let size = HEIFParts.size(of: tile, items), size == (tileWidth, tileHeight)
            else { throw .corrupt("a grid of tiles that are not alike") }
            guard !part.isElsewhere, tile == primary || HEIFParts.isKnown(part, items, allowing: []) else {
                throw unknown
            }
        }
        guard HEIFParts.isKnown(item, items, allowing: HEIFParts.turns),
            let turn = Turn(item, items, width: width, height: height)
        else { throw unknown }
        if item.type == "grid" {
            guard layout.width == width, layout.height == height, layout.columns * tileWidth >= width,
                layout.rows * tileHeight >= height
            else { throw .corrupt("a grid of another size than its picture") }
            // ISO/IEC 23008-12, 6.6.2.3.1. Rows and columns are at most 256, sides below 2^32.
            guard (layout.columns - 1) * tileWidth < width, (layout.rows - 1) * tileHeight < height else {
                throw .corrupt("a grid with tiles outside of its picture")
            }
        }
        (columns, rows, tiles) = (layout.columns, layout.rows, layout.tiles)
        (self.tileWidth, self.tileHeight, self.width, self.height) = (tileWidth, tileHeight, width, height)
        (crop, orientation) = (turn.crop, turn.orientation)
        isPremultiplied = items.references.contains {
            $0.type == "prem" && ($0.from == primary || $0.from == first)
        }
        let alphas = HEIFParts.alphas(items)
        if let whole = alphas[primary] {
            alpha = Alpha(tiles: [whole], columns: 1, tileWidth: width, tileHeight: height)
        } else {
            let tiles = layout.tiles.compactMap { alphas[$0] }
            alpha =
                tiles.isEmpty
                ? nil
                : Alpha(
                    tiles: tiles, columns: layout.columns, tileWidth: tileWidth, tileHeight: tileHeight)
            guard tiles.isEmpty || tiles.count == layout.tiles.count else {
                throw .corrupt("tiles of which some have alpha")
            }
        }
        guard let alpha else { return }
        for tile in Set(alpha.tiles) {
            guard let part = items.items[tile], part.type == type, !part.isElsewhere,
                let size = HEIFParts.size(of: tile, items), size == (alpha.tileWidth, alpha.tileHeight),
                HEIFParts.isKnown(part, items, allowing: HEIFParts.turns),
                // Its turns are those of the picture, or none.
                part.properties.allSatisfy({ own in
                    !HEIFParts.turns.contains(items.properties[own.index].type)
                        || item.properties.contains {
                            items.bytes[items.properties[$0.index].box]
                                == items.bytes[items.properties[own.index].box]
                        }
                })
            else { throw .unsupported("alpha of another size or kind than its picture") }
        }
    }

    /// Which items lie where.
    private struct Layout {
        var columns = 1, rows = 1, width = 0, height = 0
        var tiles: [Int]

        init?(_ primary: Int, _ item: HEIFItems.Item, _ items: HEIFItems) {
            guard item.type == "grid" else {
                tiles = [primary]
                return
            }
            guard let header = items.contents(of: primary, limit: 12), header.count >= 8 else { return nil }
            let size = header[1] & 1 == 0 ? 2 : 4
            guard 4 + 2 * size <= header.count else { return nil }
            rows = Int(header[2]) + 1
            columns = Int(header[3]) + 1
            width = header.number(at: 4, size, bigEndian: true)
            height = header.number(at: 4 + size, size, bigEndian: true)
            tiles = items.references.first { $0.type == "dimg" && $0.from == primary }?.to ?? []
            guard tiles.count == rows * columns else { return nil }
        }
    }

    private static let turns: Set<String> = ["clap", "irot", "imir"]

    private static func size(of item: Int, _ items: HEIFItems) -> (Int, Int)? {
        guard let size = items.properties(of: item, "ispe").first?.body,
            let width = items.number(size.lowerBound + 4, 4, in: size),
            let height = items.number(size.lowerBound + 8, 4, in: size), width > 0, height > 0
        else { return nil }
        return (width, height)
    }

    /// Whether a reader may go by the properties known here.
    private static func isKnown(_ item: HEIFItems.Item, _ items: HEIFItems, allowing turns: Set<String>)
        -> Bool
    {
        let usual: Set<String> = [
            "ispe", "pixi", "colr", "hvcC", "pasp", "auxC", "clli", "mdcv", "rloc",
        ]
        return item.properties.allSatisfy {
            let type = items.properties[$0.index].type
            if HEIFParts.turns.contains(type) { return turns.contains(type) }
            return usual.contains(type) || !$0.isEssential
        }
    }

    /// The alpha of each item that has one.
    private static func alphas(_ items: HEIFItems) -> [Int: Int] {
        let references = items.references.filter { $0.type == "auxl" }
        let alphas = Set(references.map(\.from)).filter { part in
            items.properties(of: part, "auxC").contains { property in
                [
                    "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", "urn:mpeg:hevc:2015:auxid:1",
                ].contains { items.bytes.hasText($0, at: property.body.lowerBound + 4) }
            }
        }
        var found: [Int: Int] = [:]
        for reference in references where alphas.contains(reference.from) {
            for item in reference.to { found[item] = found[item] ?? reference.from }
        }
        return found
    }

    /// The combined effect of the properties that crop, rotate, and mirror.
    private struct Turn {
        var crop: HEIFAperture
        var orientation = 1

        init?(_ item: HEIFItems.Item, _ items: HEIFItems, width: Int, height: Int) {
            crop = HEIFAperture(width: width, height: height)
            var turns = HEIFTurns()
            for (index, _) in item.properties {
                let property = items.properties[index], start = property.body.lowerBound
                switch property.type {
                case "clap":
                    guard property.body.count >= 32, turns.orientation == 1 else { return nil }
                    let numbers = (0..<8).map { items.bytes.number(at: start + 4 * $0, 4, bigEndian: true) }
                    let signed = numbers.map { Double(Int32(truncatingIfNeeded: $0)) }
                    guard let clap = HEIFAperture(signed, width: width, height: height) else { return nil }
                    crop = clap
                case "irot":
                    guard let angle = items.number(start, 1, in: property.body) else { return nil }
                    turns.rotate(angle)
                case "imir":
                    guard let axis = items.number(start, 1, in: property.body) else { return nil }
                    turns.mirror(axis)
                default: break
                }
            }
            orientation = turns.orientation
        }
    }
}
#endif
