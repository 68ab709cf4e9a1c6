import Foundation
import Images
import Palettes
import Testing

@testable import MoodyIngest

/// The hashes of real photos and of what becomes of them: see Samples/Photos/SOURCES.md.
@Suite struct SimilarPhotosTests {
    private static let names = [
        "bridge.jpg", "dish.jpg", "dragon.jpg", "fig.jpg", "japanese-shop.jpg", "jellyfish.jpg",
        "lantern.jpg",
        "parrots.png", "receipt.jpg", "valley.jpg", "wine.jpg",
    ]

    private static func bytes(_ name: String) throws -> [UInt8] {
        let folder = URL(fileURLWithPath: #filePath).appending(path: "../../../Samples/Photos")
        return [UInt8](try Data(contentsOf: folder.standardizedFileURL.appending(path: name)))
    }

    /// As ingest makes it.
    private static func hash(_ bytes: [UInt8]) throws -> PictureHash {
        let picture = try ExtractedPalette(bytes: bytes, settings: PaletteSettings()).picture
        return try #require(PictureHash(bytes: [UInt8](picture.overview.pictureHash)))
    }

    private static func changed(_ image: Image, _ change: (Double) -> Double) -> Image {
        var rgba = image.rgba
        for index in rgba.indices where index % 4 < 3 {
            rgba[index] = UInt8(min(max(change(Double(rgba[index])), 0), 255))
        }
        return Image(width: image.width, height: image.height, rgba: rgba) ?? image
    }

    @Test(arguments: names)
    func `smaller, poorer, and toned copies of a photo are within 31 bits`(_ name: String) throws {
        let original = try Self.bytes(name), hash = try Self.hash(original)
        var options = DecodingOptions()
        options.side = 1280
        let image = try Picture(bytes: original, options: options).image
        let half = image.resized(longSide: 640)
        let small = image.resized(longSide: 320)
        let variants: [(String, [UInt8])] = [
            ("half", try half.jpeg(quality: 90)), ("quarter", try small.jpeg(quality: 90)),
            ("quality 30", try image.jpeg(quality: 30)),
            ("brighter", try Self.changed(image) { $0 * 1.2 }.jpeg(quality: 85)),
            ("darker", try Self.changed(image) { $0 * 0.8 }.jpeg(quality: 85)),
            ("contrast", try Self.changed(image) { 128 + ($0 - 128) * 0.8 }.jpeg(quality: 85)),
            ("gamma", try Self.changed(image) { 255 * pow($0 / 255, 0.8) }.jpeg(quality: 85)),
            ("png", try half.png()),
        ]
        for (what, bytes) in variants {
            let distance = try Self.hash(bytes).distance(to: hash)
            #expect(distance <= 31, "\(name) \(what): \(distance)")
        }
    }

    @Test func `different photos are far from each other, in a mirror too`() throws {
        let hashes = try Self.names.map { ($0, try Self.hash(Self.bytes($0))) }
        for (index, one) in hashes.enumerated() {
            for other in hashes[(index + 1)...] {
                let distance = min(one.1.distance(to: other.1), one.1.mirrored.distance(to: other.1))
                #expect(distance > 63, "\(one.0) \(other.0): \(distance)")
            }
        }
    }

    /// The file lies turned by 90 degrees and says so.
    @Test func `a turned file has the hash of the upright photo`() throws {
        let bytes = try Self.bytes("rotated.jpg")
        let picture = try Picture(bytes: bytes)
        #expect(picture.metadata.orientation != 1)
        let upright = try Self.hash(try picture.image.jpeg(quality: 90))
        #expect(try Self.hash(bytes).distance(to: upright) <= 31)
    }
}
