#if HEIF
internal import CImage

/// Reads the parts of a HEIF picture, a row of tiles at a time.
final class HEIFPartReader {
    private let items: HEIFItems
    private let parts: HEIFParts
    private let options: DecodingOptions
    private let points: CodePoints?
    private var canvas: PixelCanvas
    /// A row of tiles, R G B A; empty where a tile is as wide as the picture.
    private var band: [UInt8]
    /// The properties of the whole picture, before it is cropped; empty when it has none.
    private var alpha: [UInt8] = []
    private var isReadingAlpha = false
    private var refusal: ImageError?
    /// The memory that the decoder of a tile may take, with the band.
    private let bytes: Int
    /// The coding of the tile read last: a grid may name an item tens of thousands of times.
    private var coding: (item: Int, coding: HEIFCoding)
    /// Which tile is being read, and how many rows it had.
    private var tile = (row: 0, column: 0, rows: 0)
    private(set) var damaged = (tiles: 0, message: "")

    /// - Throws: ``ImageError`` for what is past the limits.
    init(
        _ items: HEIFItems, _ parts: HEIFParts, _ points: CodePoints?, options: DecodingOptions
    ) throws(ImageError) {
        (self.items, self.parts, self.options, self.points) = (items, parts, options, points)
        canvas = try PixelCanvas(
            width: parts.crop.x.count, height: parts.crop.y.count, inAnyOrder: false, options: options)
        let width = UntrustedNumber(parts.width), height = UntrustedNumber(parts.height)
        let tileHeight = UntrustedNumber(parts.tileHeight)
        // Every tile may have parameters of its own: those of the first tell how large samples are.
        coding = (parts.tiles[0], HEIFCoding(items, parts.tiles[0]))
        guard (width * height).value(upTo: options.pixelLimit) != nil,
            let pixels = (UntrustedNumber(parts.tileWidth) * tileHeight).value(upTo: options.pixelLimit),
            let band = (parts.columns > 1 ? width * tileHeight * 4 : 0).value(upTo: options.wholeMemoryLimit),
            let alpha = (parts.alpha == nil ? 0 : width * height).value(upTo: options.wholeMemoryLimit),
            case let alphaPixels = parts.alpha?.tilePixels ?? 0,
            case let decoder = Double(max(pixels, alphaPixels)) * coding.coding.bytesPerPixel,
            decoder + Double(band) + Double(alpha) <= Double(options.wholeMemoryLimit)
        else {
            let (width, height) = (parts.crop.x.count, parts.crop.y.count)
            throw .pastLimit("\(width)x\(height) in one piece needs too much memory")
        }
        // Tiles that are all the same item are decoded again and again.
        let coded = (parts.tiles + (parts.alpha?.tiles ?? [])).reduce(UntrustedNumber(0)) { sum, tile in
            sum + UntrustedNumber(items.items[tile]?.extents.reduce(0) { $0 + $1.count } ?? 0)
        }
        guard coded.value(upTo: items.bytes.count + options.wholeMemoryLimit) != nil else {
            throw .pastLimit("its tiles are far larger than the file")
        }
        bytes = Int(decoder) + band + alpha
        self.band = [UInt8](repeating: 0, count: band)
    }

    /// - Throws: ``ImageError``; of a file that ends early with the rows of the tiles that were whole.
    func read(notes: inout [String]) throws(ImageError) -> StoredPixels {
        let share = MemoryBudget.shared.share(bytes: bytes)
        defer { withExtendedLifetime(share) {} }
        if let layout = parts.alpha {
            alpha = [UInt8](repeating: 255, count: parts.width * parts.height)
            isReadingAlpha = true
            for (index, item) in layout.tiles.enumerated() {
                tile = (index / layout.columns, index % layout.columns, 0)
                try read(item)
                if let refusal { throw refusal }
            }
            isReadingAlpha = false
        }
        for row in 0..<parts.rows {
            for column in 0..<parts.columns {
                tile = (row, column, 0)
                try read(parts.tiles[row * parts.columns + column])
                if let refusal { throw refusal }
            }
            if !band.isEmpty { addBand(row) }
        }
        if damaged.tiles > 0 {
            let part = parts.tiles.count > 1 ? "\(damaged.tiles) of \(parts.tiles.count) tiles: " : ""
            notes.append("damaged: \(part)\(damaged.message)")
        }
        return canvas.finish(notes: &notes)
    }

    private func read(_ item: Int) throws(ImageError) {
        guard let found = items.items[item], !found.isCut else {
            let rows = min(max(0, tile.row * parts.tileHeight - parts.crop.y.lowerBound), canvas.fullHeight)
            throw .truncated(rows: rows, height: canvas.fullHeight, scan: 1)
        }
        if coding.item != item { coding = (item, HEIFCoding(items, item)) }
        let coding = coding.coding
        guard let parameters = coding.parameters else {
            throw .corrupt("the coded picture has no parameters")
        }
        let whole = found.extents.count == 1 ? [] : items.contents(of: item) ?? []
        let range = found.extents.count == 1 ? found.extents[0] : 0..<whole.count
        let source = found.extents.count == 1 ? items.bytes : whole
        guard HEVCUnits.arePossible(source, range, lengthSize: coding.lengthSize) else {
            throw .corrupt("bytes that no HEVC picture has\(partSuffix)")
        }
        let outcome = decode(source, range: range, parameters: parameters, lengthSize: coding.lengthSize)
        if refusal != nil { return }
        let message = text(outcome.message)
        switch outcome.status {
        case .ok:
            if outcome.warnings > 0 {
                if damaged.tiles == 0 { damaged.message = message }
                damaged.tiles += 1
            }
        case .truncated, .corrupt, .stopped: throw .corrupt(message + partSuffix)
        case .unsupported: throw .unsupported(message)
        case .too_large: throw .pastLimit(message)
        }
        guard tile.rows >= min(parts.tileHeight, parts.height - tile.row * parts.tileHeight) else {
            throw .corrupt("a coded picture smaller than it is announced\(partSuffix)")
        }
    }

    /// Where the damage is.
    private var partSuffix: String {
        if isReadingAlpha { return ", alpha" }
        guard parts.tiles.count > 1 else { return "" }
        return ", tile \(tile.row * parts.columns + tile.column + 1) of \(parts.tiles.count)"
    }

    private var sink: cimage_planes_sink {
        // SAFETY: self outlives the calls that use the pointer; the planes are valid while the callback runs.
        unsafe cimage_planes_sink(
            context: Unmanaged.passUnretained(self).toOpaque(),
            picture: { context, planes in
                guard let reader = unsafe receiver(HEIFPartReader.self, at: context),
                    let planes = unsafe planes
                else { return }
                unsafe reader.read(planes.pointee)
            })
    }

    private func decode(
        _ source: [UInt8], range: Range<Int>, parameters: [UInt8], lengthSize: Int
    ) -> cimage_planes_result {
        // A coded picture is a little larger than what is shown of it: up to a block of 64.
        let alphaSize = (width: parts.alpha?.tileWidth ?? 0, height: parts.alpha?.tileHeight ?? 0)
        let most =
            isReadingAlpha
            ? (alphaSize.width + 64) * (alphaSize.height + 64)
            : (parts.tileWidth + 64) * (parts.tileHeight + 64)
        let request = cimage_hevc_request(length_size: CInt(lengthSize), most_pixels: CInt(clamping: most))
        let sink = unsafe sink
        // SAFETY: `range` lies inside the bytes, and libde265 copies what it keeps of them.
        return unsafe source.withUnsafeBufferPointer { source in
            unsafe parameters.withUnsafeBufferPointer { parameters in
                let part = unsafe UnsafeBufferPointer(rebasing: source[range])
                return unsafe cimage_hevc_read(
                    parameters.baseAddress, parameters.count, part.baseAddress, part.count, request, sink)
            }
        }
    }

    @unsafe private func read(_ planes: cimage_planes) {
        if isReadingAlpha {
            unsafe readAlpha(planes)
            return
        }
        // A picture coded as red, green, and blue is that, whatever the file says.
        let own = unsafe Int(planes.matrix),
            matrix = own == 0 || points?.matrix == 2 ? own : points?.matrix ?? own
        let isFullRange = points?.isFullRange ?? (unsafe planes.full_range)
        guard
            let samples = HEIFSamples(
                matrix: matrix, isFullRange: isFullRange, depth: Int(unsafe planes.depth))
        else {
            refusal = .unsupported("colors by matrix \(matrix) of ITU-T H.273")
            return
        }
        let left = tile.column * parts.tileWidth, top = tile.row * parts.tileHeight
        let columns = min(parts.tileWidth, parts.width - left),
            rows = min(parts.tileHeight, parts.height - top)
        guard unsafe Int(planes.width) >= columns, unsafe Int(planes.height) >= rows, columns > 0 else {
            return
        }
        tile.rows = max(0, rows)
        if !band.isEmpty {
            var output = band.mutableSpan
            for y in 0..<rows {
                unsafe samples.read(
                    planes, row: y, columns: 0..<columns, into: &output, at: (y * parts.width + left) * 4)
            }
            return
        }
        var line = [UInt8](repeating: 0, count: parts.crop.x.count * 4)
        for y in 0..<rows where parts.crop.y.contains(top + y) {
            var output = line.mutableSpan
            unsafe samples.read(planes, row: y, columns: parts.crop.x, into: &output, at: 0)
            add(line, y: top + y)
        }
    }

    private func addBand(_ row: Int) {
        let top = row * parts.tileHeight
        for y in 0..<min(parts.tileHeight, parts.height - top) where parts.crop.y.contains(top + y) {
            let start = y * parts.width
            let line = band[(start + parts.crop.x.lowerBound) * 4..<(start + parts.crop.x.upperBound) * 4]
            add(Array(line), y: top + y)
        }
    }

    /// Keeps the brightness of the alpha picture.
    @unsafe private func readAlpha(_ planes: cimage_planes) {
        guard let layout = parts.alpha else { return }
        let left = tile.column * layout.tileWidth, top = tile.row * layout.tileHeight
        let columns = min(layout.tileWidth, parts.width - left)
        let rows = min(layout.tileHeight, parts.height - top)
        guard unsafe Int(planes.width) >= columns, unsafe Int(planes.height) >= rows, columns > 0, rows > 0,
            let samples = HEIFSamples(
                matrix: 2, isFullRange: unsafe planes.full_range, depth: Int(unsafe planes.depth))
        else { return }
        tile.rows = rows
        var line = [UInt8](repeating: 0, count: columns * 4)
        for y in 0..<rows {
            var output = line.mutableSpan
            unsafe samples.read(planes, row: y, columns: 0..<columns, into: &output, at: 0)
            let start = (top + y) * parts.width + left
            for x in 0..<columns { alpha[start + x] = line[x * 4] }
        }
    }

    /// - Parameters:
    ///   - line: the cropped pixels of a row.
    ///   - y: the row in the picture before it is cropped.
    private func add(_ line: [UInt8], y: Int) {
        var line = line
        if !alpha.isEmpty {
            let start = y * parts.width + parts.crop.x.lowerBound
            for x in 0..<parts.crop.x.count { line[x * 4 + 3] = alpha[start + x] }
            if parts.isPremultiplied { line = line.unmultiplied }
        }
        canvas.add(line, x: 0, step: 1, y: y - parts.crop.y.lowerBound)
    }
}
#endif
