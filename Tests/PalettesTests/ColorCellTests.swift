import TestSupport
import Testing

@testable import Palettes

@Suite struct ColorCellTests {
    /// Colors of all kinds, and many of the dark and gray ones that photos are full of.
    private static func color(_ round: Int, _ random: inout SplitMix64) -> RGB {
        let color = RGB.random(using: &random)
        switch round % 3 {
        case 1: return RGB(red: color.red / 5, green: color.green / 5, blue: color.blue)
        case 2: return RGB(red: color.red, green: color.red, blue: color.red ^ 7)
        default: return color
        }
    }

    private static func color(beside color: RGB, _ random: inout SplitMix64) -> RGB {
        let reach = [5, 40, 40][Int(random.next() % 3)]
        func beside(_ channel: UInt8) -> UInt8 {
            UInt8(clamping: Int(channel) + Int(random.next() % UInt64(2 * reach + 1)) - reach)
        }
        return RGB(red: beside(color.red), green: beside(color.green), blue: beside(color.blue))
    }

    @Test func `numbers fit into 16 bits, and a color is inside its cell`() {
        var random = SplitMix64(seed: 48)
        for round in 0..<5_000 {
            let color = Oklab(Self.color(round, &random)), cell = ColorCell(color)
            #expect(cell.number >= 0 && Int(cell.number) < ColorCell.count)
            let low = cell.point((0, 0, 0)), high = cell.point((1, 1, 1)), rest = 1e-12
            let isInside =
                low.lightness <= color.lightness + rest && color.lightness <= high.lightness + rest
                && low.a <= color.a + rest && color.a <= high.a + rest && low.b <= color.b + rest
                && color.b <= high.b + rest
            #expect(isInside, "\(color)")
            #expect(cell.nearest(to: color).squaredDistance(to: color) < 1e-20)
        }
    }

    /// What is passed over must be empty: over the faces of sRGB, which is where boxes stand half outside.
    @Test func `no cell of a color is passed over as empty`() {
        let edge: [UInt8] = [0, 1, 2, 3, 127, 253, 254, 255]
        var cells = Set<Int16>()
        for first in edge {
            for second in stride(from: 0, through: 255, by: 3).map({ UInt8($0) }) {
                for third in stride(from: 0, through: 255, by: 5).map({ UInt8($0) }) {
                    for color in [
                        RGB(red: first, green: second, blue: third),
                        RGB(red: second, green: first, blue: third),
                        RGB(red: second, green: third, blue: first),
                    ] {
                        cells.insert(ColorCell(Oklab(color)).number)
                    }
                }
            }
        }
        #expect(cells.count > 2_000)
        #expect(cells.filter { !ColorCell(number: Int($0)).mayHoldColors } == [])
        // Or it would be of no use.
        #expect((0..<ColorCell.count).count { ColorCell(number: $0).mayHoldColors } < 21_000)
    }

    /// What an index leaves out must not be near: for colors of all kinds and for those just beside.
    @Test func `no color is nearer than its cell says, and the cells say much`() {
        var random = SplitMix64(seed: 2_000)
        var near = 0, told = 0.0, real = 0.0
        for round in 0..<2_000 {
            let color = Self.color(round, &random), point = Oklab(color), lab = Lab(color)
            for _ in 0..<12 {
                let other = Self.color(beside: color, &random)
                let least = NearCells.least(of: ColorCell(Oklab(other)), point, lab)
                let difference = lab.distance(to: Lab(other))
                #expect(least <= difference, "\(color) and \(other)")
                if difference < 10 { near += 1 }
                if 5..<20 ~= difference { (told, real) = (told + least, real + difference) }
            }
        }
        #expect(near > 2_000)
        #expect(told > 0.55 * real, "\(told / real)")
    }

    /// CIEDE2000 jumps where hues are opposite: grays of every hue against strong colors, where it is least.
    @Test func `no grey is nearer to a strong color than its cell says`() {
        var random = SplitMix64(seed: 40)
        var least = Double.infinity, low = 0
        for round in 0..<100 {
            let edge = (0..<3).map { _ -> UInt8 in
                let kind = random.next() % 3
                return kind == 0 ? UInt8(random.next() % 256) : kind == 1 ? 0 : 255
            }
            let color = RGB(red: edge[0], green: edge[1], blue: edge[2])
            let point = Oklab(color), lab = Lab(color)
            // To look at all cells takes long: for some of the colors.
            var near = round < 8 ? NearCells(to: color, within: 40) : nil
            let cells = near.map { _ in
                Dictionary(near!.cells(within: 40).map { ($0.number, $0.least) }) { first, _ in first }
            }
            for _ in 0..<60 {
                let level = 20 + random.next() % 200
                let grey = RGB(
                    red: UInt8(level + random.next() % 16), green: UInt8(level + random.next() % 16),
                    blue: UInt8(level + random.next() % 16))
                let real = lab.distance(to: Lab(grey)), cell = ColorCell(Oklab(grey))
                #expect(NearCells.least(of: cell, point, lab) <= real, "\(color) and \(grey)")
                if let cells, real <= 40 {
                    #expect((cells[cell.number] ?? .infinity) <= real, "\(color) and \(grey)")
                    low += 1
                }
                least = min(least, real)
            }
        }
        #expect(low > 100 && least < 20, "\(low), \(least)")
    }

    /// What an index leaves out must be nothing of the word: for all words and sides, and any colors.
    @Test func `the cells of a word hold all colors that are at all such, and none more than they say`() {
        var random = SplitMix64(seed: 15)
        var inside = 0, tight = 0, cells = 0
        let words = ColorWords.regions.keys.sorted(), sides = ColorWords.modifiers.keys.sorted()
        let colors = (0..<600).map { Self.color($0, &random) }.map { Oklab($0) }
        let numbers = colors.map { ColorCell($0).number }
        let phrases = words.map { [$0] } + sides.map { [$0] } + zip(sides, words.reversed()).map { [$0, $1] }
        for phrase in phrases.compactMap({ ColorPhrase($0) }) {
            let own = Dictionary(uniqueKeysWithValues: phrase.bounds.map { ($0.cell, $0.most) })
            cells += own.count
            for (color, number) in zip(colors, numbers) {
                let much = phrase.membership(lightness: color.lightness, chroma: color.chroma, hue: color.hue)
                let withoutHue = phrase.membership(lightness: color.lightness, chroma: color.chroma, hue: 0)
                #expect(phrase.asksForHue || much == withoutHue)
                guard much > 0 else { continue }
                inside += 1
                #expect(own[number, default: 0] >= much, "\(color)")
                if let most = own[number], most - much < 0.2 { tight += 1 }
            }
        }
        #expect(inside > 2_000 && tight > inside * 3 / 4, "\(tight) of \(inside)")
        // Or it would be of no use: some 20,000 may hold colors at all.
        #expect(cells < phrases.count * 5_000, "\(cells / phrases.count)")
    }

    @Test(arguments: [2.0, 10, 20])
    func `the cells within a difference hold all colors within it`(within: Double) {
        var random = SplitMix64(seed: 7)
        var inside = 0
        for round in 0..<12 {
            let color = Self.color(round, &random), lab = Lab(color)
            var near = NearCells(to: color, within: within)
            // Asked twice, less first: what was known then must not be all.
            let half = Set(near.cells(within: within / 2).map(\.number))
            let whole = Set(near.cells(within: within).map(\.number))
            #expect(half.isSubset(of: whole) && whole.contains(ColorCell(Oklab(color)).number))
            for _ in 0..<400 {
                let other = Self.color(beside: color, &random), difference = lab.distance(to: Lab(other))
                let number = ColorCell(Oklab(other)).number
                if difference <= within / 2 { #expect(half.contains(number), "\(color) and \(other)") }
                if difference <= within {
                    inside += 1
                    #expect(whole.contains(number), "\(color) and \(other)")
                }
            }
        }
        #expect(inside > 200)
    }
}
