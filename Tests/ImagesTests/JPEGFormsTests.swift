internal import CImage
import Testing

@testable import Images

/// JPEGs of every form that a baseline file may have, written block by block, as libjpeg reads them.
@Suite struct JPEGFormsTests {
    /// How a file is put together.
    struct Form: Sendable, CustomTestStringConvertible {
        /// Sampling factors by component.
        var factors: [UInt8]
        var width = 67, height = 45
        /// MCUs between restart markers; 0: none.
        var interval = 0
        /// The components of each scan; nil: all in one.
        var scans: [[Int]]?
        /// Bytes FF before each marker, beside its own.
        var fill = 0
        var marker: UInt8 = 0xC0
        /// Of a progressive file, which has no coefficients but the first of each block here: the lowest bit
        /// of the first scans. Each bit below has scans of its own.
        var point: Int?
        /// Differences grow, and each block has some other coefficients.
        var isNoisy = true

        var testDescription: String {
            "\(factors) \(width)x\(height) interval \(interval) scans \(scans ?? []) fill \(fill)"
        }
    }

    /// Bits, with a zero behind each byte FF of data.
    private struct Bits {
        var bytes: [UInt8] = [], held = 0, count = 0

        mutating func add(_ value: Int, _ size: Int) {
            for bit in (0..<size).reversed() {
                held = held << 1 | value >> bit & 1
                count += 1
                guard count == 8 else { continue }
                bytes.append(UInt8(held))
                if held == 0xFF { bytes.append(0) }
                (held, count) = (0, 0)
            }
        }

        mutating func pad() { while count > 0 { add(1, 1) } }

        /// T.81, F.1.2.1: a size, and so many bits of the number, of one less for numbers below 0.
        mutating func add(number: Int, size: Int) {
            add(number > 0 ? number : number + (1 << size) - 1, size)
        }
    }

    /// Twelve words of four bits for differences; 161 of eight for the others: the end, and runs of up to 15.
    private static let sizes = (0...11).map { UInt8($0) }
    private static let symbols: [UInt8] =
        [0] + (0...15).flatMap { run in (1...10).map { UInt8(run << 4 | $0) } }

    private static func segment(_ marker: UInt8, _ body: [UInt8], _ fill: Int) -> [UInt8] {
        let length = body.count + 2
        return [UInt8](repeating: 0xFF, count: fill) + [
            0xFF, marker, UInt8(length >> 8), UInt8(length & 255),
        ] + body
    }

    /// Levels of one component at a block: a slope, with noise if wanted.
    private static func level(_ form: Form, _ component: Int, _ x: Int, _ y: Int) -> Int {
        let factor = Int(form.factors[component]),
            noise = Int(SplitMix64.hash(component << 20 | y << 10 | x) % 401) - 200
        let slope = component == 0 ? 4 * x / (factor >> 4) - 5 * y / (factor & 15) : 20 * component - x + y
        return slope + (form.isNoisy ? noise : 0)
    }

    static func file(_ form: Form) -> [UInt8] {
        let wide = form.factors.map { Int($0 >> 4) }.max() ?? 1,
            tall = form.factors.map { Int($0 & 15) }.max() ?? 1
        func up(_ a: Int, _ b: Int) -> Int { (a + b - 1) / b }
        let all = Array(form.factors.indices),
            sides = [form.height, form.width].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        let components = all.flatMap { [UInt8($0 + 1), form.factors[$0], 0] as [UInt8] }
        var file: [UInt8] = [0xFF, 0xD8]
        file += segment(0xDB, [0] + [UInt8](repeating: 8, count: 64), form.fill)
        file += segment(form.marker, [8] + sides + [UInt8(all.count)] + components, form.fill)
        let zeros = [UInt8](repeating: 0, count: 16)
        file += segment(0xC4, [0] + zeros[..<3] + [12] + zeros[4...] + sizes, form.fill)
        file += segment(
            0xC4, [0x10] + zeros[..<7] + [UInt8(symbols.count)] + zeros[8...] + symbols, form.fill)
        if form.interval > 0 {
            file += segment(0xDD, [UInt8(form.interval >> 8), UInt8(form.interval & 255)], form.fill)
        }
        let groups = form.scans ?? [all]
        var passes = groups.map { (scan: $0, previous: 0, bit: form.point ?? 0) }
        for bit in (0..<(form.point ?? 0)).reversed() {
            passes += groups.map { (scan: $0, previous: bit + 1, bit: bit) }
        }
        for (scan, previous, point) in passes {
            let named = scan.flatMap { [UInt8($0 + 1), 0] as [UInt8] }
            file += segment(
                0xDA,
                [UInt8(scan.count)] + named + [0, form.point == nil ? 63 : 0, UInt8(previous << 4 | point)],
                form.fill)
            // A.2: of one component the blocks that hold pixels, else whole MCUs.
            let first = Int(form.factors[scan[0]])
            let columns =
                scan.count > 1 ? up(form.width, 8 * wide) : up(up(form.width * (first >> 4), wide), 8)
            let rows =
                scan.count > 1 ? up(form.height, 8 * tall) : up(up(form.height * (first & 15), tall), 8)
            var bits = Bits(), last = [Int](repeating: 0, count: all.count)
            for unit in 0..<columns * rows {
                if form.interval > 0, unit > 0, unit % form.interval == 0 {
                    bits.pad()
                    let number = UInt8((unit / form.interval - 1) & 7)
                    bits.bytes += [UInt8](repeating: 0xFF, count: form.fill) + [0xFF, 0xD0 | number]
                    last = last.map { _ in 0 }
                }
                for component in scan {
                    let across = scan.count > 1 ? Int(form.factors[component] >> 4) : 1
                    let down = scan.count > 1 ? Int(form.factors[component] & 15) : 1
                    for block in 0..<across * down {
                        let x = unit % columns * across + block % across,
                            y = unit / columns * down + block / across
                        let value = level(form, component, x, y) >> point
                        if previous > 0 {
                            bits.add(value, 1)
                            continue
                        }
                        let difference = value - last[component]
                        last[component] = value
                        let size =
                            difference == 0
                            ? 0 : abs(difference).bitWidth - abs(difference).leadingZeroBitCount
                        bits.add(size, 4)
                        bits.add(number: difference, size: size)
                        guard form.point == nil else { continue }
                        if form.isNoisy { addNoise(x + y * 99 + component * 9_999, to: &bits) }
                        bits.add(0, 8)
                    }
                }
            }
            bits.pad()
            file += bits.bytes
        }
        return file + [UInt8](repeating: 0xFF, count: form.fill) + [0xFF, 0xD9]
    }

    private static func addNoise(_ seed: Int, to bits: inout Bits) {
        var index = 0
        for step in 0..<Int(SplitMix64.hash(seed) % 6) {
            let hash = SplitMix64.hash(seed << 4 | step), run = Int(hash % 16),
                size = Int(hash >> 8 % 6) % 6 + 1
            index += run + 1
            guard index < 63 else { return }
            bits.add(1 + run * 10 + size - 1, 8)
            bits.add(Int(hash >> 32), size)
        }
    }

    /// Gray; the usual ones; those that only some programs write, with color finer than light among them.
    static let factors: [[UInt8]] = [
        [0x11], [0x22], [0x41], [0x11, 0x11, 0x11], [0x21, 0x11, 0x11], [0x12, 0x11, 0x11],
        [0x22, 0x11, 0x11],
        [0x41, 0x11, 0x11], [0x14, 0x11, 0x11], [0x42, 0x11, 0x11], [0x24, 0x11, 0x11], [0x22, 0x21, 0x12],
        [0x22, 0x12, 0x21], [0x11, 0x21, 0x11], [0x31, 0x11, 0x11], [0x13, 0x11, 0x11], [0x21, 0x21, 0x11],
        [0x22, 0x22, 0x11], [0x11, 0x11], [0x11, 0x11, 0x11, 0x11], [0x22, 0x11, 0x11, 0x22],
    ]

    private func check(_ form: Form, isRead: Bool = true) throws {
        let bytes = Self.file(form)
        let truth = try #require(libjpeg(bytes))
        #expect(truth.warnings == 0, "what was written is sound")
        for manyStreamsFrom in [0, Int.max] {
            let picture = DCPicture(bytes, manyStreamsFrom: manyStreamsFrom)
            // Sixteen streams give up where so few bytes leave them in doubt.
            if isRead, manyStreamsFrom > 0 {
                #expect(picture != nil, "\(form.testDescription), streams from \(manyStreamsFrom)")
            }
            if let picture { #expect(picture.values == truth.values) }
        }
        // What was written itself, of blocks that hold pixels.
        for (component, plane) in truth.values.enumerated() where form.factors.count > 1 {
            #expect(plane.first == Int16(Self.level(form, component, 0, 0)))
        }
    }

    @Test(arguments: factors) func `components of any sampling are read in one scan`(factors: [UInt8]) throws
    {
        for interval in [0, 1, 3, 500] { try check(Form(factors: factors, interval: interval)) }
        for (width, height) in [(1, 1), (8, 8), (9, 16), (16, 9), (17, 33), (64, 64), (33, 7)] {
            try check(Form(factors: factors, width: width, height: height, interval: 2))
        }
        try check(Form(factors: factors, interval: 2, marker: 0xC1))
    }

    @Test(arguments: factors.filter { $0.count > 1 })
    func `components of any sampling are read in scans of their own`(factors: [UInt8]) throws {
        let each = factors.indices.map { [$0] }
        for interval in [0, 1, 5] {
            try check(Form(factors: factors, interval: interval, scans: each))
            try check(Form(factors: factors, interval: interval, scans: each.reversed()))
            let two = [[0], Array(factors.indices.dropFirst())],
                others = [Array(factors.indices.dropLast()), [factors.count - 1]]
            try check(Form(factors: factors, interval: interval, scans: two))
            try check(Form(factors: factors, width: 19, height: 41, interval: interval, scans: others))
        }
    }

    /// G.1.2.1: the first scans have all bits but the lowest ones, each of which comes by itself.
    @Test(arguments: factors) func `bits of progressive files come one by one`(factors: [UInt8]) throws {
        let each = factors.indices.map { [$0] }
        for (point, interval) in [(0, 0), (1, 0), (1, 3), (3, 1), (2, 7)] {
            try check(Form(factors: factors, interval: interval, marker: 0xC2, point: point))
            try check(
                Form(
                    factors: factors, width: 41, height: 30, interval: interval, scans: each, marker: 0xC2,
                    point: point))
        }
    }

    /// B.1.1.2: any number of bytes FF may stand before a marker.
    @Test(arguments: [1, 2, 7]) func `bytes that fill up count for nothing`(fill: Int) throws {
        for factors in [[0x11], [0x22, 0x11, 0x11]] as [[UInt8]] {
            for interval in [0, 1, 4] {
                try check(
                    Form(factors: factors, interval: interval, fill: fill), isRead: interval == 0 || fill == 0
                )
            }
        }
    }

    /// The picture at 1/8 and 1/4, by the scanner and by libjpeg, of slopes that no way of repeating colors
    /// changes much.
    @Test(arguments: factors.filter { [1, 3].contains($0.count) })
    func `pictures of any sampling have libjpeg's colors`(factors: [UInt8]) throws {
        for scans in [nil, factors.indices.map { [$0] }] as [[[Int]]?] {
            let bytes = Self.file(
                Form(factors: factors, width: 203, height: 131, scans: scans, isNoisy: false))
            for shrink in [8, 4] {
                var options = DecodingOptions()
                (options.side, options.samplePixels) = (shrink == 8 ? 1 : 50, 0)
                let reader = JPEGReader(bytes: bytes, options: options)
                guard let scanned = reader.scan() else { continue }
                var notes: [String] = []
                let decoded = try reader.decode(JPEGHeader(bytes), notes: &notes)
                #expect((scanned.width, scanned.height) == (decoded.width, decoded.height) && notes == [])
                #expect(scanned.width == (203 + shrink - 1) / shrink)
                let differences = zip(scanned.image, decoded.image).map { abs(Int($0) - Int($1)) }
                let mean = Double(differences.reduce(0, +)) / Double(differences.count)
                #expect(differences.count == scanned.width * scanned.height * 4)
                let most = differences.max() ?? 255
                #expect(mean < 2.5 && most <= 12, "\(shrink) \(mean) \(most)")
            }
        }
    }

    /// 12 bits, and arithmetic codes: SOF1 with 12, SOF9, SOF10.
    @Test func `what libjpeg does not read is refused or left to it`() throws {
        var bytes = Self.file(Form(factors: [0x11], marker: 0xC1))
        let frame = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xC1]) })
        bytes[frame + 4] = 12
        #expect(DCPicture(bytes) == nil)
        #expect(throws: ImageError.self) { try Picture(bytes: bytes) }
        for marker in [0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF] as [UInt8] {
            #expect(DCPicture(Self.file(Form(factors: [0x11], marker: marker))) == nil, "\(marker)")
        }
        // B.2.5: a height of 0, which comes behind the first scan.
        var late = Self.file(Form(factors: [0x11]))
        let start = try #require(late.indices.first { late[$0...].starts(with: [0xFF, 0xC0]) })
        (late[start + 5], late[start + 6]) = (0, 0)
        late.insert(contentsOf: [0xFF, 0xDC, 0, 4, 0, 45], at: late.count - 2)
        #expect(DCPicture(late) == nil)
        #expect(throws: ImageError.self) { try Picture(bytes: late) }
    }
}
