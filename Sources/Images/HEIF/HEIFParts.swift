#if HEIF
/// How a HEIF picture is put together from coded parts that can be read one after the other: one of them, or
/// the tiles of a grid.
///
/// So no more than a row of tiles is held, nothing has to be known of what else the file says (what iOS 18
/// adds makes libheif 1.15 refuse the file), and damage of one part is noticed.
///
/// - Source: ISO/IEC 23008-12, 6.6.2.3 (grid), 6.5.9 (clap, of 14496-12, 12.1.4), 6.5.10 (irot), 6.5.12
///   (imir).
struct HEIFParts {
    enum Codec { case hevc, av1 }

    let codec: Codec
    let columns: Int, rows: Int
    /// Items, row by row.
    let tiles: [Int]
    /// Pixels of each tile.
    let tileWidth: Int, tileHeight: Int
    /// Pixels of the picture that they make, of which `crop` is shown.
    let width: Int, height: Int
    let crop: (x: Range<Int>, y: Range<Int>)
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

    /// - Returns: nil for what libheif is to read: pictures with alpha, but for grids whose alpha is none,
    ///   overlays, properties that are not known here but have to be.
    /// - Throws: ``ImageError`` for a grid that no picture has.
    init?(_ items: HEIFItems) throws(ImageError) {
        guard let primary = items.primary, let item = items.items[primary],
            let (width, height) = HEIFParts.size(of: primary, items),
            let layout = Layout(primary, item, items), let first = layout.tiles.first,
            let (tileWidth, tileHeight) = HEIFParts.size(of: first, items),
            let codec = ["hvc1": Codec.hevc, "av01": .av1][items.items[first]?.type ?? ""]
        else { return nil }
        // A grid may name an item tens of thousands of times.
        for tile in Set(layout.tiles) {
            guard let part = items.items[tile], part.type == items.items[first]?.type, !part.isElsewhere,
                let size = HEIFParts.size(of: tile, items), size == (tileWidth, tileHeight),
                tile == primary || HEIFParts.isKnown(part, items, allowing: [])
            else { return nil }
        }
        guard HEIFParts.isKnown(item, items, allowing: ["clap", "irot", "imir"]),
            let turn = Turn(item, items, width: width, height: height)
        else { return nil }
        if item.type == "grid" {
            guard layout.width == width, layout.height == height, layout.columns * tileWidth >= width,
                layout.rows * tileHeight >= height
            else { return nil }
            // ISO/IEC 23008-12, 6.6.2.3.1. Rows and columns are at most 256, sides below 2^32.
            guard (layout.columns - 1) * tileWidth < width, (layout.rows - 1) * tileHeight < height else {
                throw .corrupt("a grid with tiles outside of its picture")
            }
        }
        (self.codec, columns, rows, tiles) = (codec, layout.columns, layout.rows, layout.tiles)
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
            guard tiles.isEmpty || tiles.count == layout.tiles.count else { return nil }
        }
        guard let alpha else { return }
        // libheif 1.15 leaves out the alpha of a grid that is no grid itself.
        guard item.type == "grid" else { return nil }
        for tile in Set(alpha.tiles) {
            guard let part = items.items[tile], part.type == items.items[first]?.type, !part.isElsewhere,
                let size = HEIFParts.size(of: tile, items), size == (alpha.tileWidth, alpha.tileHeight),
                HEIFParts.isKnown(part, items, allowing: [])
            else { return nil }
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
            "ispe", "pixi", "colr", "hvcC", "av1C", "pasp", "auxC", "clli", "mdcv", "rloc",
        ]
        return item.properties.allSatisfy {
            let type = items.properties[$0.index].type
            if ["clap", "irot", "imir"].contains(type) { return turns.contains(type) }
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
        var crop: (x: Range<Int>, y: Range<Int>)
        var orientation = 1

        init?(_ item: HEIFItems.Item, _ items: HEIFItems, width: Int, height: Int) {
            crop = (0..<width, 0..<height)
            // Displayed = turned clockwise so many times, of what may first be mirrored left and right.
            var turns = 0, isMirrored = false
            for (index, _) in item.properties {
                let property = items.properties[index], start = property.body.lowerBound
                switch property.type {
                case "clap":
                    guard turns == 0, !isMirrored,
                        let clap = Turn.crop(property, of: items, width: width, height: height)
                    else {
                        return nil
                    }
                    crop = clap
                case "irot":
                    // Anti-clockwise.
                    guard let angle = items.number(start, 1, in: property.body) else { return nil }
                    turns = (turns + 4 - angle & 3) & 3
                case "imir":
                    // 1: left and right change places; 0: top and bottom do.
                    guard let axis = items.number(start, 1, in: property.body) else { return nil }
                    turns = ((axis & 1 == 1 ? 4 : 6) - turns) & 3
                    isMirrored.toggle()
                default: break
                }
            }
            orientation = (isMirrored ? [2, 7, 4, 5] : [1, 6, 3, 8])[turns]
        }

        /// Eight numbers: width, height and the offsets of the center from the picture's, as fractions.
        private static func crop(
            _ property: HEIFItems.Property, of items: HEIFItems, width: Int, height: Int
        ) -> (x: Range<Int>, y: Range<Int>)? {
            let body = property.body
            guard body.count >= 32 else { return nil }
            let numbers = (0..<8).map {
                Double(
                    Int32(
                        truncatingIfNeeded: items.bytes.number(
                            at: body.lowerBound + 4 * $0, 4, bigEndian: true)))
            }
            func span(_ size: Double, _ offset: Double, of whole: Int) -> Range<Int>? {
                guard size.isFinite, offset.isFinite, size >= 1, size <= Double(whole) else { return nil }
                let start = (Double(whole - 1) / 2 + offset - (size - 1) / 2).rounded(.down)
                let first = max(0, min(Int(start), whole - 1))
                return first..<min(whole, first + Int(size.rounded()))
            }
            guard let x = span(numbers[0] / numbers[1], numbers[4] / numbers[5], of: width),
                let y = span(numbers[2] / numbers[3], numbers[6] / numbers[7], of: height)
            else { return nil }
            return (x, y)
        }
    }
}
#endif
