import Testing

@testable import Palettes

@Suite struct ConversionTests {
    @Test(arguments: referenceColors)
    func `light, Lab and Oklab agree with ColorAide`(reference: ReferenceColor) throws {
        let rgb = try #require(RGB(hex: reference.hex))
        let light = rgb.linear, lab = Lab(rgb), oklab = Oklab(rgb)
        #expect(distance([light.x, light.y, light.z], reference.linear) < 1e-9)
        #expect(distance([lab.lightness, lab.a, lab.b], reference.lab) < 1e-6)
        // CSS's matrices differ from the published ones in the eighth digit.
        #expect(distance([oklab.lightness, oklab.a, oklab.b], reference.oklab) < 1e-6)
        if oklab.chroma > 0.001 { #expect(abs(oklab.hue - reference.hue) < 0.01) }
    }

    /// Björn Ottosson's own rows are for XYZ; these are the corners of sRGB in the Rust `palette` crate's
    /// tests.
    @Test(arguments: [
        ("#ffffff", Oklab(lightness: 1, a: 0, b: 0)),
        ("#000000", Oklab(lightness: 0, a: 0, b: 0)),
        ("#ff0000", Oklab(lightness: 0.62796, a: 0.22486, b: 0.12585)),
        ("#00ff00", Oklab(lightness: 0.86644, a: -0.23389, b: 0.17950)),
        ("#0000ff", Oklab(lightness: 0.45201, a: -0.03246, b: -0.31153)),
    ])
    func `the corners of sRGB land where the published table says`(hex: String, expected: Oklab) throws {
        let rgb = try #require(RGB(hex: hex))
        #expect(Oklab(rgb).squaredDistance(to: expected) < 1e-9)
        #expect(RGB(expected) == rgb)
    }

    @Test func `every third channel value survives the way to Oklab and back`() {
        for red in stride(from: 0, through: 255, by: 15) {
            for green in stride(from: 0, through: 255, by: 3) {
                for blue in stride(from: 0, through: 255, by: 15) {
                    let rgb = RGB(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
                    #expect(RGB(Oklab(rgb)) == rgb)
                }
            }
        }
    }

    @Test func `light outside 0...1 is cut off, and rounding turns half-way`() {
        #expect(RGB(linear: SIMD4(-1, 2, 0.5, 0)) == RGB(red: 0, green: 255, blue: 188))
        for value in 0..<255 {
            let turn = roundingTurns[value]
            #expect(RGB(linear: SIMD4(turn - 1e-12, turn + 1e-12, 0, 0)).red == value)
            #expect(RGB(linear: SIMD4(turn - 1e-12, turn + 1e-12, 0, 0)).green == value + 1)
        }
    }

    @Test(arguments: [
        (0.001, 0.1), (0.008, 0.2), (0.125, 0.5), (0.3, 0.6694329500821695), (0.5, 0.7937005259840998),
        (1, 1), (1.5, 1.1447142425533319),
    ])
    func `cube roots are right to the last digits, one and eight at a time`(x: Double, root: Double) {
        #expect(abs(cubeRoot(x) - root) < 3e-16)
        let eight = cubeRoot(SIMD8<Float>(repeating: Float(x)))
        for lane in 0..<8 { #expect(abs(eight[lane] - Float(root)) <= 2 * Float(root).ulp) }
        #expect(cubeRoot(-x) == 0 && cubeRoot(0.0) == 0)
    }

    /// Angles whose sine, cosine and tangent are known in closed form.
    @Test func `directions, sines and decays agree with known values`() {
        let half = 0.5, root3 = 0.8660254037844386, root2 = 0.7071067811865476
        let directions: [(x: Double, y: Double, degrees: Double)] = [
            (1, 0, 0), (root3, half, 30), (root2, root2, 45), (half, root3, 60), (0, 1, 90),
            (-half, root3, 120), (-1, 0, 180), (-root3, -half, 210), (0, -1, 270), (root3, -half, 330),
            (0, 0, 0),
        ]
        for known in directions { #expect(abs(degrees(x: known.x, y: known.y) - known.degrees) < 1e-11) }
        #expect(abs(sine(0.5235987755982988) - half) < 1e-15)
        #expect(abs(sine(-1.0471975511965976) + root3) < 1e-15)
        #expect(abs(exponentialDecay(1) - 0.36787944117144233) < 1e-14)
        #expect(abs(exponentialDecay(20) - 2.061153622438558e-09) < 1e-20)
        #expect(exponentialDecay(0) == 1 && exponentialDecay(50) == 0)
    }
}

func distance(_ first: [Double], _ second: [Double]) -> Double {
    zip(first, second).map { abs($0 - $1) }.max() ?? 0
}
