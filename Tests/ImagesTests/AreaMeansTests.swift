import Testing

@testable import Images

/// The means of areas that representative palettes are made of.
@Suite struct AreaMeansTests {
    private struct Grid: Equatable {
        let width: Int
        var pixels: [[UInt8]]

        var height: Int { pixels.count / width }

        /// What it is with columns and rows in another order.
        func moved(width: Int, height: Int, _ place: (_ x: Int, _ y: Int) -> (x: Int, y: Int)) -> Grid {
            var pixels: [[UInt8]] = []
            for y in 0..<height {
                for x in 0..<width {
                    let from = place(x, y)
                    pixels.append(self.pixels[from.y * self.width + from.x])
                }
            }
            return Grid(width: width, pixels: pixels)
        }
    }

    private func means(_ name: String, side: Int) throws -> Grid {
        var options = DecodingOptions()
        (options.side, options.meansSide) = (40, side)
        let picture = try Picture(bytes: try Fixture.bytes("jpeg/\(name)"), options: options)
        let width = try #require(picture.sampleWidth)
        return Grid(
            width: width,
            pixels: stride(from: 0, to: picture.sample.count, by: 4).map {
                Array(picture.sample[$0..<$0 + 4])
            })
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
        // Where colours have less resolution libjpeg spreads them beyond their blocks.
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

    @Test func `there are no more areas than blocks`() throws {
        let base = try means("steady.jpg", side: .max)
        let picture = try Picture(bytes: try Fixture.bytes("jpeg/steady.jpg"))
        #expect((base.width, base.height) == ((picture.width + 7) / 8, (picture.height + 7) / 8))
    }
}
