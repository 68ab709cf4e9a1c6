import Foundation
import Images
import Testing

@testable import MoodyIngest

/// The pictures of a page, which are read from the photos again.
@Suite struct SharpPictureTests {
    /// What a row shows of a panorama is as sharp as any other photo: it is cut to 3:1, upright to 1:2.
    @Test(arguments: [
        (1_200, 900, 640, 480), (900, 1_200, 480, 640), (1_500, 500, 640, 213), (4_000, 400, 2_133, 213),
        (4_000, 200, 4_000, 200), (200, 4_000, 200, 4_000), (300, 3_000, 300, 3_000),
        (9_000, 100, 5_120, 57),
    ])
    func `what a row shows has the pixels that were asked for`(
        width: Int, height: Int, wide: Int, tall: Int
    ) throws {
        let rgba = (0..<width * height * 4).map {
            UInt8(truncatingIfNeeded: $0 / 4 % 7 * 30 | ($0 % 4 == 3 ? 255 : 0))
        }
        let bytes = try #require(Image(width: width, height: height, rgba: rgba)).jpeg(quality: 90)
        let url = FileManager.default.temporaryDirectory.appending(path: "moody-\(UUID().uuidString).jpg")
        try Data(bytes).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let source = SharpPicture.Source(path: BytePath(url.path), hash: ContentDigits.of(bytes))
        let made = try #require(SharpPicture(of: source, side: 640))
        var options = DecodingOptions()
        options.side = 20_000
        let picture = try Picture(bytes: made.sharp, options: options)
        #expect((picture.image.width, picture.image.height) == (wide, tall))
    }
}
