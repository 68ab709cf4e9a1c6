import Testing

@testable import Images

/// The same photo in another form has the same pixels in its sample.
@Suite struct SteadySampleTests {
    /// `jpegtran` made all of steady.jpg: the same coefficients, in other places, codes or scans.
    static let forms = ["flip", "turn-180", "turn-90", "progressive", "optimised"]

    private func sample(_ name: String, decoded: Int) throws -> [[UInt8]] {
        var options = DecodingOptions()
        (options.side, options.samplePixels, options.decodedJPEGPixels) = (80, 20_000, decoded)
        let sample = try Picture(bytes: try Fixture.bytes("jpeg/\(name)"), options: options).sample
        #expect(sample.count > 4 * 15_000)
        return (0..<3).map { channel in
            stride(from: channel, to: sample.count, by: 4).map { sample[$0] }.sorted()
        }
    }

    /// 0: made of the blocks' means and of some blocks; else pixels that libjpeg decoded. Another choice of
    /// pixels differs by 0.3 and more here.
    @Test(arguments: forms, [0, 1 << 20])
    func `a photo in another lossless form has the same sample`(form: String, decoded: Int) throws {
        let base = try sample("steady.jpg", decoded: decoded)
        let other = try sample("steady-\(form).jpg", decoded: decoded)
        for (channel, (first, second)) in zip(base, other).enumerated() {
            try #require(first.count == second.count)
            let differences = zip(first, second).map { abs(Int($0) - Int($1)) }
            #expect(differences.max() ?? 255 <= 3, "channel \(channel)")
            #expect(Double(differences.reduce(0, +)) / Double(differences.count) < 0.15, "channel \(channel)")
        }
    }

    @Test(arguments: ["progressive", "optimised"])
    func `scans and codes change nothing`(form: String) throws {
        #expect(try sample("steady-\(form).jpg", decoded: 0) == sample("steady.jpg", decoded: 0))
    }

    @Test(arguments: [(640, 416), (416, 640), (300, 300), (301, 299), (7, 1_000), (1, 1)])
    func `of every square of pixels one is chosen, whichever way the picture is turned`(
        width: Int, height: Int
    ) {
        var chosen = ChosenPixels(width: width, height: height, wanted: 10_000)
        var turned = ChosenPixels(width: height, height: width, wanted: 10_000)
        let rowColumns = (0..<height).map { Set(chosen.columns(ofRow: $0)) }
        let others = (0..<width).map { Set(turned.columns(ofRow: $0)) }
        let count = rowColumns.reduce(0) { $0 + $1.count }
        #expect(count >= min(width * height, 10_000) * 9 / 10)
        for y in 0..<height {
            #expect(rowColumns[y].allSatisfy { (0..<width).contains($0) })
            #expect(rowColumns[y] == rowColumns[height - 1 - y])
            #expect(rowColumns[y] == Set(rowColumns[y].map { width - 1 - $0 }))
            for x in rowColumns[y] { #expect(others[x].contains(y)) }
        }
        #expect(count == others.reduce(0) { $0 + $1.count })
    }

    @Test(arguments: ["steady.jpg", "sub-444.jpg", "sub-422.jpg", "restart-420.jpg", "gray.jpg"])
    func `patches lie inside the photo, one a tile, as far from either end`(name: String) throws {
        let bytes = try Fixture.bytes("jpeg/\(name)")
        for pixels in [5_000, 20_000, 60_000, Int.max] {
            let picture = try #require(DCPicture(JPEGMarkers(bytes), scanLimit: 200, sample: pixels))
            let plan = try #require(picture.plan)
            let columns = picture.frame.width / (8 * plan.columns / plan.mcuColumns)
            let rows = picture.frame.height / (8 * plan.rows / plan.mcuRows)
            let corners = Set(plan.patches.map { [$0.x, $0.y] })
            #expect(
                corners.count == plan.patches.count
                    && plan.patches.count == plan.across.tiles * plan.down.tiles)
            for patch in plan.patches {
                #expect((0...columns - plan.mcuColumns).contains(patch.x))
                #expect((0...rows - plan.mcuRows).contains(patch.y))
                // A single row or column of tiles is in the middle, if that is a whole number of MCUs.
                if plan.across.tiles % 2 == 0 {
                    #expect(corners.contains([columns - plan.mcuColumns - patch.x, patch.y]))
                }
                if plan.down.tiles % 2 == 0 {
                    #expect(corners.contains([patch.x, rows - plan.mcuRows - patch.y]))
                }
            }
        }
    }
}
