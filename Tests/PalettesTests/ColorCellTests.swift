import Testing

@testable import Palettes

@Suite struct ColorCellTests {
    @Test func `numbers fit into 16 bits, and shares have their classes`() {
        var random = SplitMix64(seed: 48)
        for _ in 0..<5_000 {
            let color = Oklab(RGB.random(using: &random))
            let numbers = [1, 0.51, 0.5, 0.25, 0.1, 0.03, 0.01].map { ColorCell(color, share: $0).number }
            #expect(numbers.map { Int($0) / ColorCell.boxes } == [0, 0, 1, 2, 3, 4, 5])
            #expect(Set(numbers.map { Int($0) % ColorCell.boxes }).count == 1)
            #expect(numbers.allSatisfy { $0 >= 0 && Int($0) < 6 * ColorCell.boxes })
        }
    }

    /// What an index leaves out must not be near: for colors of all kinds and for those just beside.
    @Test func `no color is nearer than its cell says`() {
        var random = SplitMix64(seed: 2_000)
        var near = 0
        for round in 0..<1_500 {
            var color = RGB.random(using: &random)
            if round % 3 == 1 { color = RGB(red: color.red / 5, green: color.green / 5, blue: color.blue) }
            if round % 3 == 2 { color = RGB(red: color.red, green: color.red, blue: color.red ^ 7) }
            let point = Oklab(color), lab = Lab(color)
            for _ in 0..<12 {
                func beside(_ channel: UInt8) -> UInt8 {
                    UInt8(clamping: Int(channel) + Int(random.next() % 81) - 40)
                }
                let other = RGB(red: beside(color.red), green: beside(color.green), blue: beside(color.blue))
                let box = Int(ColorCell(Oklab(other), share: 1).number)
                let difference = lab.difference(to: Lab(other))
                let least = ColorCell.leastDifference(box, point, lab)
                #expect(least <= difference, "\(color) and \(other)")
                if difference < 10 { near += 1 }
            }
        }
        #expect(near > 2_000)
    }

    @Test func `the cells that may be worth most come first, and hold what is near`() throws {
        let color = try #require(RGB(hex: "#1c5da6"))
        let bounds = ColorCell.bounds(near: color, within: 10) { difference, share in
            share * (20 - difference)
        }
        #expect(bounds.map(\.most) == bounds.map(\.most).sorted(by: >))
        #expect(bounds.count < 6 * ColorCell.boxes / 8, "\(bounds.count)")
        let numbers = Set(bounds.map(\.number))
        #expect(numbers.count == bounds.count)
        for share in [1, 0.3, 0.001] {
            #expect(numbers.contains(ColorCell(Oklab(color), share: share).number))
        }
    }
}
