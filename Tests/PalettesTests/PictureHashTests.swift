import TestSupport
import Testing

@testable import Palettes

@Suite struct PictureHashTests {
    /// Blocks of 8 x 8 pixels in colors of a generator, as the oracle has them.
    private static func blocks(width: Int = 160, height: Int = 120) -> PixelSample {
        var rgba: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                let block = y / 8 * (width / 8) + x / 8
                for channel in 0..<3 {
                    let number = UInt32(truncatingIfNeeded: block * 3 + channel + 1) &* 2_654_435_761
                    rgba.append(UInt8(number >> 24))
                }
                rgba.append(255)
            }
        }
        return PixelSample(rgba: rgba, width: width)
    }

    /// By NumPy: Rec. 601, area means to 64 x 64, an orthonormal DCT-II as a matrix of cosines, the signs.
    private static let oracle = "12985bbbacbacbe5719172da1bda9f928aded24444a715d078ccba22efd79ad8"

    private static func hex(_ hash: PictureHash) -> String {
        hash.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Two coefficients of the oracle's are below 0.02.
    @Test func `a hash is the signs of the DCT of the luma`() throws {
        let hash = try #require(PictureHash(Self.blocks()))
        let digits = Array(Self.oracle.utf8)
        let bytes = stride(from: 0, to: 64, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
        let oracle = try #require(PictureHash(bytes: bytes))
        #expect(hash.distance(to: oracle) <= 2, "\(Self.hex(hash))")
        #expect(oracle.bytes == bytes && Self.hex(oracle) == Self.oracle)
        #expect(PictureHash(bytes: bytes.dropLast()) == nil)
    }

    @Test(arguments: [(160, 120), (128, 96), (97, 131), (65, 43), (300, 21), (33, 500)])
    func `a mirrored picture has the same hash but for a mask`(_ size: (width: Int, height: Int)) throws {
        let picture = Self.blocks(width: size.width, height: size.height)
        var mirrored: [UInt8] = []
        for y in 0..<size.height {
            for x in (0..<size.width).reversed() {
                let at = (y * size.width + x) * 4
                mirrored += picture.rgba[at..<at + 4]
            }
        }
        let hash = try #require(PictureHash(picture))
        let other = try #require(PictureHash(PixelSample(rgba: mirrored, width: size.width)))
        #expect(hash.mirrored == other && other.mirrored == hash && other != hash)
    }

    @Test func `a picture without detail has no hash, and what is transparent is no detail`() {
        let flat = PixelSample(
            rgba: Array(repeating: [10, 200, 30, 255], count: 4096).flatMap(\.self), width: 64)
        #expect(PictureHash(flat) == nil)
        var ramp = flat
        for pixel in 0..<4096 { ramp.rgba[pixel * 4] = UInt8(pixel % 64 * 4) }
        #expect(PictureHash(ramp) == nil)
        var clear = Self.blocks()
        for pixel in 0..<clear.rgba.count / 4 { clear.rgba[pixel * 4 + 3] = 0 }
        #expect(PictureHash(clear) == nil)
        #expect(PictureHash(PixelSample(rgba: [])) == nil)
        #expect(PictureHash(PixelSample(rgba: [1, 2, 3, 255], width: 0)) == nil)
        #expect(PictureHash(PixelSample(rgba: [1, 2, 3, 255], width: 1)) == nil)
    }

    /// 2,000 hashes by chance and, of each of the next, one with so many bits flipped, plain or in a mirror.
    private static func planted(_ count: Int, seed: UInt64) -> [PictureHash] {
        var random = SplitMix64(seed: seed)
        func chance() -> PictureHash {
            PictureHash(words: SIMD4(random.next(), random.next(), random.next(), random.next()))
        }
        var hashes = (0..<count / 2).map { _ in chance() }
        for index in 0..<count / 2 {
            var near = index % 3 == 0 ? hashes[index].mirrored : hashes[index]
            var flipped: Set<Int> = []
            while flipped.count < 1 + index % 70 { flipped.insert(Int(random.next() % 256)) }
            for bit in flipped { near = PictureHash(words: near.words ^ Self.bit(bit)) }
            hashes.append(near)
        }
        return hashes
    }

    private static func bit(_ bit: Int) -> SIMD4<UInt64> {
        var words = SIMD4<UInt64>.zero
        words[bit / 64] = 1 << UInt64(bit % 64)
        return words
    }

    private struct Found: Hashable {
        let first: Int, second: Int, distance: Int
    }

    @Test(arguments: [false, true])
    func `pairs by buckets are those of a plain double loop`(_ isMirrored: Bool) {
        let hashes = Self.planted(20_000, seed: 64)
        let other = isMirrored ? PictureHash(words: .zero).mirrored.words : .zero
        var plain: Set<Found> = []
        HashPairs(of: hashes, within: 63).compareAll(other) {
            plain.insert(Found(first: $0, second: $1, distance: $2))
        }
        // A third is planted in a mirror.
        #expect(plain.count >= 2_900)
        for distance in [0, 15, 31, 63] {
            var quick: [Found] = []
            HashPairs(of: hashes, within: distance).compareBuckets(other) {
                quick.append(Found(first: $0, second: $1, distance: $2))
            }
            let near = plain.filter { $0.distance <= distance }
            #expect(quick.count == near.count, "no pair twice")
            #expect(Set(quick) == near)
        }
    }

    @Test func `pairs of few hashes are found as well, in a mirror too`() {
        let hashes = Self.planted(40, seed: 7), found = HashPairs(of: hashes, within: 31).all()
        var wanted: Set<HashPairs.Pair> = []
        for index in 0..<20 {
            let second = Int32(index + 20)
            let distance = UInt8(1 + index)
            wanted.insert(
                HashPairs.Pair(
                    first: Int32(index), second: second, distance: distance, isMirrored: index % 3 == 0))
        }
        #expect(Set(found) == wanted && found.count == 20)
        #expect(HashPairs(of: [], within: 31).all().isEmpty)
        #expect(HashPairs(of: [hashes[0]], within: 31).all().isEmpty)
    }
}
