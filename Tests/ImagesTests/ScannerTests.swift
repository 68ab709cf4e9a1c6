internal import CImage
import Foundation
import Testing

@testable import Images

/// The DC scanner against libjpeg's own coefficients.
@Suite struct ScannerTests {

    /// With one stream and with sixteen, which photos of this size would not get.
    @Test(arguments: Fixture.names(in: "jpeg").filter { $0 != "arithmetic.jpg" }, [0, Int.max])
    func `every DC value equals libjpeg's`(name: String, manyStreamsFrom: Int) throws {
        let bytes = try Fixture.bytes("jpeg/\(name)")
        let picture = try #require(DCPicture(bytes, manyStreamsFrom: manyStreamsFrom))
        #expect(picture.values == libjpeg(bytes)?.values)
    }

    @Test func `arithmetic coding is left to libjpeg`() throws {
        let bytes = try Fixture.bytes("jpeg/arithmetic.jpg")
        #expect(DCPicture(bytes) == nil)
        #expect(throws: Never.self) { try Picture(bytes: bytes) }
    }

    /// Bytes changed in turn: the scanner leaves the file to libjpeg, or reads what libjpeg reads without a
    /// warning. Damage inside the AC scans of a progressive file it does not notice; the DC values are
    /// libjpeg's.
    @Test(
        arguments: [("jpeg/q1.jpg", 1), ("jpeg/restart.jpg", 7), ("jpeg/411-progressive.jpg", 5)],
        [0, Int.max])
    func `of a damaged file the scanner reads nothing, or what libjpeg reads`(
        file: (name: String, step: Int), manyStreamsFrom: Int
    ) throws {
        let sound = try Fixture.bytes(file.name)
        var silent = 0
        for at in stride(from: 0, to: sound.count, by: file.step) {
            var bytes = sound
            bytes[at] ^= [0x01, 0x40, 0xFF, 0x08][at / file.step % 4]
            guard let picture = DCPicture(bytes, manyStreamsFrom: manyStreamsFrom) else { continue }
            silent += 1
            let truth = libjpeg(bytes)
            #expect(picture.values == truth?.values, "byte \(at)")
            if picture.frame.coding == .baseline { #expect(truth?.warnings == 0, "byte \(at)") }
        }
        #expect(silent > 0)
    }

    /// With a patch for every tile of one patch, all but what hangs over the edges is decoded.
    @Test(arguments: [
        "sub-444.jpg", "sub-420.jpg", "sub-422.jpg", "gray.jpg", "restart-420.jpg", "odd-size-422.jpg",
        "progressive.jpg", "progressive-420.jpg", "progressive-restart.jpg",
    ])
    func `patches are libjpeg's samples`(name: String) throws {
        let bytes = try Fixture.bytes("jpeg/\(name)")
        let picture = try #require(DCPicture(JPEGMarkers(bytes), scanLimit: 200, sample: .max))
        let patches = try #require(picture.patches()), plan = patches.plan, share = patches.shares[0]
        try #require(plan.side == 1 && share.wide == 1 && share.tall == 1)
        let whole = try Picture(bytes: bytes, options: .everyPixel).image
        var differences: [Double] = []
        for (patch, location) in plan.patches.enumerated() {
            for block in 0..<share.blocks {
                let at = share.location(block, of: location), plane = picture.planes[0]
                let mean =
                    Float(plane.values[at.row * plane.columns + at.column]) * Float(picture.steps[0][0]) / 8
                let rows = patches.differences[0][patch * share.blocks + block]
                for y in 0..<8 {
                    for x in 0..<8 {
                        let other = whole.luma(at.column * 8 + x, at.row * 8 + y)
                        // Where libjpeg had to clip a color its luma is another.
                        if let other { differences.append(abs(Double(mean + rows[y][x]) + 128 - other)) }
                    }
                }
            }
        }
        #expect(differences.count > whole.width * whole.height / 3)
        // Rounding.
        #expect(differences.max() ?? 255 < 2.1)
        #expect(differences.reduce(0, +) / Double(differences.count) < 0.6)
    }

    /// A block's mean, halves up; of components with fewer blocks what lies between the centers of four, by
    /// the distance to them; the colors of JFIF.
    @Test(arguments: [
        "gray.jpg", "sub-444.jpg", "sub-422.jpg", "odd-size-422.jpg", "optimized-420.jpg",
        "progressive-420.jpg", "410-progressive.jpg", "411-progressive.jpg", "440-progressive.jpg",
    ])
    func `the picture at an eighth has the blocks' means, and colors between their centers`(name: String)
        throws
    {
        var file = try Fixture.bytes("jpeg/\(name)")
        let isGray = name == "gray.jpg"
        if isGray {
            // Of four eighths: every other value ends in a half. Behind the marker stand length and number.
            let table = try #require(file.indices.dropLast().first { file[$0...$0 + 1] == [0xFF, 0xDB] })
            file[table + 5] = 4
        }
        let picture = try #require(DCPicture(file)), frame = picture.frame
        let eighth = try #require(picture.image(isGray ? .gray : .yCbCr))
        #expect((eighth.width, eighth.height) == ((frame.width + 7) / 8, (frame.height + 7) / 8))
        func value(_ index: Int, _ x: Int, _ y: Int) -> Double {
            let component = frame.components[index], plane = picture.planes[index]
            let (columns, rows) = frame.blocks(of: component)
            func around(_ position: Int, _ factor: Int, _ count: Int) -> [(block: Int, share: Double)] {
                let at = (Double(position) + 0.5) / Double(factor) - 0.5, first = Int(at.rounded(.down))
                let way = at - Double(first)
                return [(max(0, first), 1 - way), (min(first + 1, count - 1), way)]
            }
            let across = isGray ? 1 : frame.maxHorizontal / component.horizontal
            let down = isGray ? 1 : frame.maxVertical / component.vertical
            var sum = 0.0
            for row in around(y, down, rows) {
                for column in around(x, across, columns) where row.share * column.share > 0 {
                    let stored = plane.values[row.block * plane.columns + column.block]
                    sum += Double(stored) * row.share * column.share
                }
            }
            return sum * Double(picture.steps[index][0]) / 8
        }
        var halves = 0, worst = 0.0
        for y in 0..<eighth.height {
            for x in 0..<eighth.width {
                let light = value(0, x, y) + 128
                let bytes = eighth.rgba[(y * eighth.width + x) * 4..<(y * eighth.width + x) * 4 + 4]
                if isGray {
                    let byte = UInt8(min(max((light + 0.5).rounded(.down), 0), 255))
                    #expect(bytes.elementsEqual([byte, byte, byte, 255]), "\(x), \(y)")
                    // Those that would go down to an even number.
                    halves += light.truncatingRemainder(dividingBy: 2) == 0.5 ? 1 : 0
                } else {
                    let (blue, red) = (value(1, x, y), value(2, x, y))
                    let color = [
                        light + 1.402 * red, light - 0.344136 * blue - 0.714136 * red, light + 1.772 * blue,
                    ]
                    for (byte, wanted) in zip(bytes, color) {
                        worst = max(worst, abs(Double(byte) - min(max(wanted, 0), 255)))
                    }
                }
            }
        }
        #expect(halves > 0 || !isGray)
        // Rounding, and the 24 bits of a float.
        #expect(worst < 0.501)
    }

    @Test(arguments: [
        "sub-444.jpg", "sub-420.jpg", "sub-422.jpg", "gray.jpg", "restart-420.jpg", "odd-size-422.jpg",
        "progressive-420.jpg", "progressive.jpg", "411-progressive.jpg",
    ])
    func `the picture at a quarter has the means of libjpeg's pixels`(name: String) throws {
        let bytes = try Fixture.bytes("jpeg/\(name)")
        let picture = try #require(DCPicture(JPEGMarkers(bytes), scanLimit: 200, quarter: true))
        let colors: DCPicture.Colors = picture.frame.components.count == 1 ? .gray : .yCbCr
        let quarter = try #require(picture.quarterImage(colors))
        let whole = try Picture(bytes: bytes, options: .everyPixel).image
        #expect((quarter.width, quarter.height) == ((whole.width + 3) / 4, (whole.height + 3) / 4))
        let image = Image(checkedWidth: quarter.width, height: quarter.height, rgba: quarter.rgba)
        var sum = 0.0, count = 0.0, sumOfEighths = 0.0
        let eighth = try #require(picture.image(colors))
        let coarse = Image(checkedWidth: eighth.width, height: eighth.height, rgba: eighth.rgba)
        for y in 0..<whole.height / 4 {
            for x in 0..<whole.width / 4 {
                var mean = 0.0
                for pixel in 0..<16 { mean += whole.plainLuma(4 * x + pixel % 4, 4 * y + pixel / 4) / 16 }
                sum += abs(image.plainLuma(x, y) - mean)
                sumOfEighths += abs(coarse.plainLuma(x / 2, y / 2) - mean)
                count += 1
            }
        }
        // Colors are interpolated: near libjpeg's, and nearer than those of the next block's place. The
        // other pictures have hardly any.
        if ["restart-420.jpg", "odd-size-422.jpg", "progressive-420.jpg"].contains(name) {
            let distance = image.colorDistance(to: whole, movedBy: 0)
            #expect(distance < 6)
            for location in [-2, 2] { #expect(distance < image.colorDistance(to: whole, movedBy: location)) }
        }
        // Frequencies 3, 5 and 7 are left out; at an eighth all are.
        #expect(sum / count < (name == "411-progressive.jpg" ? 4 : 3))
        #expect(sum < sumOfEighths / 2)
    }

    /// The first scan of a progressive file has the upper bits of values whose truth a baseline file of the
    /// same coefficients tells: divided by 2^n towards zero (T.81, A.4 and G.1.2.2), then half of what was
    /// lost is added.
    @Test func `the first bits of low frequencies are those of the true values, on both sides of zero`()
        throws
    {
        let exact = try #require(
            DCPicture(JPEGMarkers(try Fixture.bytes("jpeg/optimized-420.jpg")), scanLimit: 200, quarter: true)
        ).low
        let bytes = try Fixture.bytes("jpeg/progressive-restart.jpg")
        let first = try #require(DCPicture(JPEGMarkers(bytes), scanLimit: 200, quarter: true)).low
        #expect(exact.values.count == first.values.count)
        var below = 0, wrong = 0
        for (value, read) in zip(exact.values, first.values) {
            for index in 0..<4 {
                let kept = Int(value[index]) / 4, half = 1
                let expected = kept == 0 ? 0 : kept < 0 ? kept * 4 - half : kept * 4 + half
                if kept < 0 { below += 1 }
                if Int(read[index]) != expected { wrong += 1 }
            }
        }
        #expect(wrong == 0 && below > 500, "\(wrong) wrong, \(below) below zero")
    }

    /// What the sample is for: as many colors of each kind as the photo has.
    @Test(arguments: [
        "optimized-420.jpg", "sub-444.jpg", "sub-422.jpg", "restart-420.jpg", "testorig.jpg",
        "progressive-420.jpg",
    ])
    func `a sample varies as the whole photo does`(name: String) throws {
        let bytes = try Fixture.bytes("jpeg/\(name)")
        let whole = try Picture(bytes: bytes, options: .everyPixel).image.rgba
        let sample = try scannedSample(bytes, decoded: 30_000, wanted: 20_000)
        for channel in 0..<3 {
            let (mean, deviation) = sample.statistics(channel),
                (wholeMean, wholeDeviation) = whole.statistics(channel)
            #expect(abs(mean - wholeMean) < 2.5, "channel \(channel)")
            // The means alone lose 4 to 15 % of it.
            #expect((0.955...1.045).contains(deviation / wholeDeviation), "channel \(channel)")
        }
        // At most four a block.
        let blocks = whole.count / 4 / 64
        #expect((min(blocks * 3, 18_000)...22_000).contains(sample.count / 4))
        #expect(try scannedSample(bytes, decoded: 30_000, wanted: 20_000) == sample)
    }

    @Test func `a sample of one color is that color`() throws {
        let pixels = [UInt8](repeating: 0, count: 800 * 600).flatMap { _ in [200, 40, 90, 255] as [UInt8] }
        let bytes = try #require(Image(width: 800, height: 600, rgba: pixels)).jpeg(quality: 90)
        let whole = try Picture(bytes: bytes, options: .everyPixel).image.rgba
        var options = DecodingOptions()
        options.side = 100
        let sample = try Picture(bytes: bytes, options: options).sample
        #expect(!sample.isEmpty)
        #expect(Set(sample.pixels).count == 1 && Set(whole.pixels).count == 1)
        // libjpeg turns components into colors with other roundings.
        #expect(zip(sample[..<4], whole[..<4]).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    /// Three components without a JFIF segment: Adobe's says whether they are red, green and blue.
    @Test(arguments: [nil, 0, 1] as [UInt8?])
    func `a sample has the colors that libjpeg makes of components by Adobe's segment`(transform: UInt8?)
        throws
    {
        let pixels = [UInt8](repeating: 0, count: 800 * 600).flatMap { _ in [200, 40, 90, 255] as [UInt8] }
        let jpeg = try #require(Image(width: 800, height: 600, rgba: pixels)).jpeg(quality: 90)
        try #require(jpeg[2...].starts(with: [0xFF, 0xE0, 0, 16]))
        let adobe = transform.map {
            [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, $0]
        }
        let bytes = jpeg[..<2] + (adobe ?? []) + jpeg[20...]
        let whole = try Picture(bytes: Array(bytes), options: .everyPixel).image.rgba
        var options = DecodingOptions()
        options.side = 100
        let sample = try Picture(bytes: Array(bytes), options: options).sample
        #expect(!sample.isEmpty && (abs(Int(whole[0]) - 200) > 50) == (transform == 0))
        #expect(zip(sample, whole[..<4]).allSatisfy { abs(Int($0) - Int($1)) <= 1 })
    }

    /// No segment says what they are, and their names do. (200, 40, 90) is a luma of 94 and differences of
    /// 126 and 204: JFIF 1.02's equations, by hand.
    @Test func `components that are called R, G, and B are red, green, and blue`() throws {
        let pixels = [UInt8](repeating: 0, count: 800 * 600).flatMap { _ in [200, 40, 90, 255] as [UInt8] }
        let jpeg = try #require(Image(width: 800, height: 600, rgba: pixels)).jpeg(quality: 90)
        var bytes = Array(jpeg[..<2] + jpeg[20...])
        // Frame and scan, and where the names stand in each.
        let segments: [(start: [UInt8], places: [Int])] = [
            ([0xFF, 0xC0, 0, 17], [10, 13, 16]), ([0xFF, 0xDA, 0, 12], [5, 7, 9]),
        ]
        for (start, places) in segments {
            let found = try #require(bytes.indices.first { bytes[$0...].starts(with: start) })
            for (place, name) in zip(places, "RGB".utf8) { bytes[found + place] = name }
        }
        var options = DecodingOptions()
        options.side = 100
        let picture = try Picture(bytes: bytes, options: options)
        for seen in [picture.image.rgba, picture.sample] {
            #expect(!seen.isEmpty)
            #expect(
                zip(seen, [94, 126, 204, 255]).allSatisfy { abs(Int($0) - $1) <= 2 }, "\(seen.prefix(4))")
        }
    }

    /// T.81, E.1.4: from 0 to 7, and again.
    @Test func `restart markers count up, or the scan is none of ours`() {
        func data(_ numbers: [UInt8]) -> EntropyData? {
            EntropyData(numbers.flatMap { [7, 0xFF, 0xD0 + $0] } + [7, 0xFF, 0xD9], from: 0)
        }
        #expect(data((0..<10).map { $0 % 8 })?.segments == Array(0...11))
        for numbers in [[1], [1, 0], [0, 2], [0, 1, 1], [0, 2, 1]] as [[UInt8]] {
            #expect(data(numbers) == nil, "\(numbers)")
        }
    }

    @Test func `a picture that libjpeg has to read brings no sample, nor does one at full size`() throws {
        let bytes = try Fixture.bytes("jpeg/optimized-420.jpg")
        var options = DecodingOptions()
        for (side, isSampled) in [(80, true), (160, true), (161, false), (640, false)] {
            options.side = side
            #expect(try Picture(bytes: bytes, options: options).sample.isEmpty != isSampled, "\(side)")
        }
        (options.side, options.samplePixels) = (80, 0)
        #expect(try Picture(bytes: bytes, options: options).sample.isEmpty)
    }

    @Test(arguments: ["jpeg/sub-420.jpg", "jpeg/restart-420.jpg", "jpeg/progressive-420.jpg"])
    func `a file cut anywhere is left to libjpeg`(name: String) throws {
        let bytes = try Fixture.bytes(name)
        for cut in stride(from: 0, to: bytes.count, by: 7) {
            #expect(DCPicture(Array(bytes[..<cut])) == nil, "cut at byte \(cut)")
        }
    }

    /// All photos of the shared data.
    @Test(.enabled(if: Fixture.shared != nil, "MOODY_DATA is not set"))
    func `every DC value of the shared photos equals libjpeg's`() throws {
        var read = 0
        for name in Fixture.sharedNames
        where ["jpg", "jpeg"].contains(name.split(separator: ".").last?.lowercased()) {
            let bytes = try Fixture.sharedBytes(name)
            guard let picture = DCPicture(bytes), let truth = libjpeg(bytes) else {
                if !name.hasPrefix("hostile") { print("left to libjpeg: \(name)") }
                continue
            }
            read += 1
            #expect(picture.values == truth.values, "\(name)")
        }
        #expect(read >= 100)
    }
}

extension DCPicture {
    /// With all that can be wanted of it.
    init?(_ bytes: [UInt8], manyStreamsFrom: Int = BaselineScan.manyStreamsFrom) {
        self.init(
            JPEGMarkers(bytes), scanLimit: 200, sample: 10_000, quarter: true,
            manyStreamsFrom: manyStreamsFrom)
    }

    /// The values of the blocks libjpeg keeps: those that hold pixels.
    var values: [[Int16]] {
        zip(planes, frame.components).map { plane, component in
            let (columns, rows) = frame.blocks(of: component)
            return (0..<rows).flatMap { plane.values[$0 * plane.columns..<$0 * plane.columns + columns] }
        }
    }
}

/// The sample that the scanner makes of a small photo.
private func scannedSample(_ bytes: [UInt8], decoded: Int, wanted: Int) throws -> [UInt8] {
    let picture = try #require(DCPicture(JPEGMarkers(bytes), scanLimit: 200, sample: decoded))
    let colors: DCPicture.Colors = picture.frame.components.count == 1 ? .gray : .yCbCr
    return PhotoSample(try #require(picture.patches()), of: picture).pixels(colors, wanted: wanted)
}

extension DecodingOptions {
    static var everyPixel: DecodingOptions {
        var options = DecodingOptions()
        options.exact = true
        return options
    }
}

extension Image {
    /// ITU-R BT.601's weights, 0...255.
    fileprivate func plainLuma(_ x: Int, _ y: Int) -> Double {
        let at = (y * width + x) * 4
        return 0.299 * Double(rgba[at]) + 0.587 * Double(rgba[at + 1]) + 0.114 * Double(rgba[at + 2])
    }

    /// How far R - G and B - G of a picture at 1/4 are from the means of a whole one, on average.
    ///
    /// - Parameter columns: this picture is moved by so many to the right first.
    fileprivate func colorDistance(to whole: Image, movedBy columns: Int) -> Double {
        var sum = 0.0, count = 0.0
        for y in 0..<whole.height / 4 {
            for x in max(0, -columns)..<min(whole.width / 4, width - max(0, columns)) {
                for channel in [0, 2] {
                    var mean = 0.0
                    for pixel in 0..<16 {
                        let at = ((4 * y + pixel / 4) * whole.width + 4 * x + pixel % 4) * 4
                        mean += (Double(whole.rgba[at + channel]) - Double(whole.rgba[at + 1])) / 16
                    }
                    let at = (y * width + x + columns) * 4
                    sum += abs(Double(rgba[at + channel]) - Double(rgba[at + 1]) - mean)
                    count += 1
                }
            }
        }
        return sum / count
    }

    /// The same, nil where a channel is at an end of its range.
    fileprivate func luma(_ x: Int, _ y: Int) -> Double? {
        let at = (y * width + x) * 4
        return rgba[at..<at + 3].allSatisfy { (1...254).contains($0) } ? plainLuma(x, y) : nil
    }
}

extension [UInt8] {
    fileprivate func statistics(_ channel: Int) -> (mean: Double, deviation: Double) {
        let values = stride(from: channel, to: count, by: 4).map { Double(self[$0]) }
        let mean = values.reduce(0, +) / Double(values.count)
        let variance = values.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(values.count)
        return (mean, variance.squareRoot())
    }
}

/// libjpeg's DC coefficients by component, and how often it had to guess; nil when it refuses the file.
func libjpeg(_ bytes: [UInt8]) -> (values: [[Int16]], warnings: Int)? {
    var values: [[Int16]] = [], warnings = 0, components = 1, component = 0
    while component < components {
        var result = cimage_jpeg_result()
        // The frame says how many blocks there can be at most.
        var markers = JPEGMarkers(bytes)
        _ = markers.next()
        guard let frame = markers.frame else { return nil }
        let capacity = frame.mcuColumns * frame.mcuRows * 16
        let blocks = unsafe [Int16](unsafeUninitializedCapacity: capacity) { buffer, count in
            // SAFETY: the shim writes at most `capacity` values, width * height of them.
            result = unsafe bytes.withUnsafeBufferPointer {
                unsafe cimage_jpeg_coefficients(
                    $0.baseAddress, $0.count, CInt(component), buffer.baseAddress, capacity)
            }
            count =
                result.status == .ok || result.status == .truncated ? Int(result.width * result.height) : 0
        }
        guard result.status == .ok || result.status == .truncated else { return nil }
        values.append(blocks)
        warnings += Int(result.warnings) + (result.status == .truncated ? 1 : 0)
        components = frame.components.count
        component += 1
    }
    return (values, warnings)
}
