import Testing

@testable import Images

/// The means of areas that representative palettes are made of.
@Suite struct AreaMeansTests {
    private struct Grid: Equatable {
        let width: Int
        var pixels: [[UInt8]]

        var height: Int { pixels.count / width }

        /// What it is with columns and rows in another order.
        func moved(width: Int, height: Int, _ source: (_ x: Int, _ y: Int) -> (x: Int, y: Int)) -> Grid {
            var pixels: [[UInt8]] = []
            for y in 0..<height {
                for x in 0..<width {
                    let from = source(x, y)
                    pixels.append(self.pixels[from.y * self.width + from.x])
                }
            }
            return Grid(width: width, pixels: pixels)
        }
    }

    /// - Parameter wanted: pixels of the picture beside them: from 1/8 to 1/4 it is read at 1/4.
    private func means(_ name: String, side: Int, wanted: Int = 30) throws -> Grid {
        let picture = try picture(name, side: side, wanted: wanted)
        let width = try #require(picture.sampleWidth)
        return Grid(
            width: width,
            pixels: stride(from: 0, to: picture.sample.count, by: 4).map {
                Array(picture.sample[$0..<$0 + 4])
            })
    }

    private func picture(_ name: String, side: Int, wanted: Int = 30) throws -> Picture {
        var options = DecodingOptions()
        (options.side, options.meansSide) = (wanted, side)
        return try Picture(bytes: try Fixture.bytes("jpeg/\(name)"), options: options)
    }

    /// libjpeg's pixels, averaged in blocks of 8 x 8 and those by how much of an area they cover.
    @Test(arguments: ["steady.jpg", "sub-444.jpg", "sub-422.jpg", "sub-420.jpg", "gray.jpg"], [5, 11, 13])
    func `an area's mean is that of libjpeg's pixels`(name: String, side: Int) throws {
        var options = DecodingOptions()
        options.exact = true
        let image = try Picture(bytes: try Fixture.bytes("jpeg/\(name)"), options: options).image
        let found = try means(name, side: side)
        let columns = (image.width + 7) / 8, rows = (image.height + 7) / 8
        #expect(max(found.width, found.height) == side)
        #expect(abs(Double(found.width) / Double(found.height) - Double(columns) / Double(rows)) < 0.2)
        func covered(_ block: Int, _ area: Int, _ blocks: Int, _ areas: Int) -> Double {
            let size = Double(blocks) / Double(areas)
            let start = max(Double(block), Double(area) * size)
            return max(0, min(Double(block + 1), Double(area + 1) * size) - start)
        }
        var blocks = [SIMD3<Double>](repeating: .zero, count: columns * rows)
        var counts = [Double](repeating: 0, count: columns * rows)
        for y in 0..<image.height {
            for x in 0..<image.width {
                let at = (y * image.width + x) * 4, block = y / 8 * columns + x / 8
                let color = SIMD3(image.rgba[at], image.rgba[at + 1], image.rgba[at + 2])
                blocks[block] += SIMD3<Double>(color)
                counts[block] += 1
            }
        }
        var worst = 0.0
        // Blocks at the right and lower edges hold pixels that are not in the picture.
        for y in 0..<found.height - 1 {
            for x in 0..<found.width - 1 {
                var sum = SIMD3<Double>.zero, weight = 0.0
                for (block, color) in blocks.enumerated() {
                    let share =
                        covered(block % columns, x, columns, found.width)
                        * covered(block / columns, y, rows, found.height)
                    sum += color / counts[block] * share
                    weight += share
                }
                let mean = sum / weight, own = found.pixels[y * found.width + x]
                for channel in 0..<3 { worst = max(worst, abs(mean[channel] - Double(own[channel]))) }
            }
        }
        // Where colors have less resolution libjpeg spreads them beyond their blocks.
        let isWhole = name == "sub-444.jpg" || name == "gray.jpg"
        #expect(worst < (isWhole ? 1.1 : 3.5), "\(worst)")
    }

    @Test(arguments: [5, 11, 16, 128])
    func `a photo in another lossless form has the same means, where they then lie`(side: Int) throws {
        let base = try means("steady.jpg", side: side), (width, height) = (base.width, base.height)
        let flipped = base.moved(width: width, height: height) { (width - 1 - $0, $1) }
        #expect(try means("steady-flip.jpg", side: side) == flipped)
        let turned = base.moved(width: width, height: height) { (width - 1 - $0, height - 1 - $1) }
        #expect(try means("steady-turn-180.jpg", side: side) == turned)
        let upright = base.moved(width: height, height: width) { ($1, height - 1 - $0) }
        #expect(try means("steady-turn-90.jpg", side: side) == upright)
        for form in ["progressive", "optimised"] {
            #expect(try means("steady-\(form).jpg", side: side) == base)
        }
    }

    /// libjpeg's pixels: their light over 4 x 4 of them, their Cb and Cr over the blocks of these.
    @Test(arguments: [
        ("sub-444.jpg", 8, 8), ("sub-422.jpg", 16, 8), ("sub-420.jpg", 16, 16), ("gray.jpg", 8, 8),
    ])
    func `read at a quarter, blocks have four areas of light and one of chroma`(
        name: String, wide: Int, tall: Int
    ) throws {
        var options = DecodingOptions()
        options.exact = true
        let image = try Picture(bytes: try Fixture.bytes("jpeg/\(name)"), options: options).image
        let found = try means(name, side: .max, wanted: (max(image.width, image.height) + 3) / 4)
        #expect((found.width, found.height) == ((image.width + 3) / 4, (image.height + 3) / 4))
        /// The mean of a rectangle: Y, Cb, Cr.
        func mean(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> SIMD3<Double> {
            var sum = SIMD3<Double>.zero
            for row in y..<y + height {
                for column in x..<x + width {
                    let at = (row * image.width + column) * 4
                    let (r, g, b) = (
                        Double(image.rgba[at]), Double(image.rgba[at + 1]), Double(image.rgba[at + 2])
                    )
                    let light = 0.299 * r + 0.587 * g + 0.114 * b
                    sum += SIMD3(light, (b - light) / 1.772, (r - light) / 1.402)
                }
            }
            return sum / Double(width * height)
        }
        var squares = 0.0, coarse = 0.0, count = 0.0
        for y in 0..<image.height / tall * tall / 4 {
            for x in 0..<image.width / wide * wide / 4 {
                let light = mean(x * 4, y * 4, 4, 4).x
                let block = mean(x * 4 / wide * wide, y * 4 / tall * tall, wide, tall)
                let color = SIMD3(
                    light + 1.402 * block.z, light - 0.344_136 * block.y - 0.714_136 * block.z,
                    light + 1.772 * block.y)
                let own = found.pixels[y * found.width + x]
                let offset = SIMD3(Double(own[0]), Double(own[1]), Double(own[2])) - color
                squares += (offset * offset).sum() / 3
                let mean8 = mean(x * 4 / 8 * 8, y * 4 / 8 * 8, 8, 8).x
                coarse += (mean8 - light) * (mean8 - light)
                count += 1
            }
        }
        // Higher frequencies are left out, and libjpeg's colors are cut where they lie beyond: a level or
        // two, and much less than a block's light varies.
        let error = (squares / count).squareRoot(), blocks = (coarse / count).squareRoot()
        #expect(error < 2.5 && error < blocks / 2, "\(error) of \(blocks)")
    }

    @Test(arguments: [11, 16, 25, 128])
    func `read at a quarter, too, a photo in another lossless form has the same means`(side: Int) throws {
        let size = try picture("steady.jpg", side: 8)
        let wanted = (max(size.width, size.height) + 3) / 4
        func at(_ form: String) throws -> Grid { try means("steady\(form).jpg", side: side, wanted: wanted) }
        let base = try at(""), (width, height) = (base.width, base.height)
        #expect(try at("-flip") == base.moved(width: width, height: height) { (width - 1 - $0, $1) })
        #expect(
            try at("-turn-180")
                == base.moved(width: width, height: height) { (width - 1 - $0, height - 1 - $1) })
        #expect(try at("-turn-90") == base.moved(width: height, height: width) { ($1, height - 1 - $0) })
        #expect(try at("-optimised") == base)
        // Of a progressive file the first bits of the details, no more.
        let progressive = try at("-progressive")
        for (own, other) in zip(base.pixels, progressive.pixels) {
            for (a, b) in zip(own, other) { #expect(abs(Int(a) - Int(b)) <= (side < 50 ? 4 : 12)) }
        }
    }

    /// What the format says: a value is for 8 x 8 pixels, of chroma for as many more as the file has less of
    /// it; at a quarter light has one for 4 x 4. A gray picture has no chroma.
    @Test(arguments: [
        ("sub-444.jpg", 1, 1), ("sub-422.jpg", 2, 1), ("sub-420.jpg", 2, 2), ("gray.jpg", 1, 1),
    ])
    func `a sample says how large what has one value is in it`(name: String, wide: Int, tall: Int) throws {
        for side in [5, 11, .max] {
            for isQuarter in [false, true] {
                let whole = try picture(name, side: side), long = max(whole.width, whole.height)
                let picture =
                    isQuarter ? try self.picture(name, side: side, wanted: (long + 3) / 4) : whole
                let resolution = try #require(picture.sampleResolution),
                    width = try #require(picture.sampleWidth)
                let cell = isQuarter ? 4 : 8
                let across = Float(width) / Float((picture.width + cell - 1) / cell)
                let down =
                    Float(picture.sample.count / 4 / width) / Float((picture.height + cell - 1) / cell)
                let finer = name == "gray.jpg" ? 1 : Float(8 / cell)
                let color = SIMD2(Float(wide), Float(tall)) * finer
                #expect(resolution.light == SIMD2(across, down))
                #expect(resolution.color == SIMD2(across, down) * color)
            }
        }
        #expect(try Picture(bytes: try Fixture.bytes("jpeg/\(name)")).sampleResolution == nil)
    }

    @Test func `there are no more areas than blocks`() throws {
        let base = try means("steady.jpg", side: .max)
        let picture = try Picture(bytes: try Fixture.bytes("jpeg/steady.jpg"))
        #expect((base.width, base.height) == ((picture.width + 7) / 8, (picture.height + 7) / 8))
    }
}
