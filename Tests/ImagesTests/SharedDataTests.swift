import Foundation
import Images
import Testing

/// The larger pictures that are not in the repository: set MOODY_DATA to their folder.
@Suite(.enabled(if: Fixture.shared != nil, "MOODY_DATA is not set"))
struct SharedDataTests {
    @Test(arguments: Fixture.shared == nil ? [] : (Fixture.golden?.shared ?? [:]).keys.sorted())
    func `every tile has the color another decoder sees`(name: String) throws {
        let golden = try #require(Fixture.golden?.shared[name])
        let picture = try Picture(bytes: try Fixture.sharedBytes(name))
        #expect([picture.width, picture.height] == golden.size)
        #expect(picture.image.distance(to: golden) <= 4, "\(name) \(picture.notes)")
        if let metadata = golden.metadata { picture.metadata.expect(metadata, name) }
    }

    /// Corrupt, cut, mislabeled, bombs: an answer or an error, and pictures as large as they say. Under
    /// address sanitizer too: `ASAN_OPTIONS=detect_leaks=0 swift test --sanitize=address`.
    @Test func `no hostile file crashes the reader`() {
        var options = DecodingOptions()
        (options.acceptsTruncated, options.side) = (true, 1)
        var read = 0
        for name in Fixture.sharedNames where name.hasPrefix("hostile/") {
            // 256 million pixels, sound: 2 s in a release build, minutes in a debug build.
            guard !name.contains("16000x16000"), let bytes = try? Fixture.sharedBytes(name) else { continue }
            for picture in [try? Picture(bytes: bytes), try? Picture(bytes: bytes, options: options)] {
                guard let picture else { continue }
                read += 1
                #expect(picture.image.rgba.count == picture.image.width * picture.image.height * 4, "\(name)")
                #expect(picture.sample.count % 4 == 0, "\(name)")
            }
        }
        #expect(read > 100)
    }

    /// One picture in ten spaces, and the same pixels tagged wrongly: color management is what makes them
    /// equal.
    @Test func `one picture in many color spaces looks the same`() throws {
        let names = ["srgb", "untagged-srgb", "adobe-rgb", "display-p3", "prophoto", "rec2020"]
        let pictures = try names.map {
            try Picture(bytes: try Fixture.sharedBytes("icc/made/same-look-\($0).jpg")).image
        }
        let other = try Picture(bytes: try Fixture.sharedBytes("icc/made/same-numbers-display-p3.jpg")).image
        for (name, picture) in zip(names, pictures) {
            let worst = zip(picture.grid, pictures[0].grid).flatMap { zip($0, $1).map { abs($0 - $1) } }.max()
            // 8 bits of a wide space are coarse: 4.05 where every pixel is converted, not means of four.
            #expect(worst ?? 255 <= 4.5, "\(name)")
        }
        let different = zip(other.grid, pictures[0].grid).flatMap { zip($0, $1).map { abs($0 - $1) } }.max()
        #expect(different ?? 0 > 5)
    }
}
