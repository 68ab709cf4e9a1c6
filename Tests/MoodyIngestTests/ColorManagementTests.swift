import Foundation
import Images
import Palettes
import Testing

@testable import MoodyIngest

/// One photo in ten color spaces; see `Fixtures/make-icc.py`.
@Suite struct ColorManagementTests {
    static let names = [
        "untagged", "display-p3", "adobe-rgb", "prophoto", "rec2020", "rec2020-g24", "rec709", "wide-gamut",
        "dci-p3",
    ]

    /// Three and eight colors: with five this photo has two palettes that are as good as each other, and the
    /// noise of a JPEG decides between them.
    @Test(arguments: names, [3, 8])
    func `a photo has one palette in every color space`(name: String, count: Int) throws {
        let srgb = try palette(bytes("srgb"), count)
        #expect(try palette(bytes(name), count).difference(from: srgb) <= 2, "\(name)")
    }

    /// The same numbers without their profile: what the test above would see without color management.
    @Test(arguments: names.filter { $0 != "untagged" })
    func `without its profile a photo's palette is another`(name: String) throws {
        let srgb = try palette(bytes("srgb"), 8)
        let bare = try bytes(name).withoutProfile
        #expect(bare.count < (try bytes(name).count) - 200)
        #expect(try palette(bare, 8).difference(from: srgb) > 2, "\(name)")
    }

    private static let shared = ProcessInfo.processInfo.environment["MOODY_DATA"]

    @Test(.enabled(if: shared != nil, "MOODY_DATA is not set"), arguments: [6, 8])
    func `the shared photo has one palette in every color space`(count: Int) throws {
        func bytes(_ name: String) throws -> [UInt8] {
            let file = URL(fileURLWithPath: try #require(Self.shared)).appendingPathComponent(
                "icc/made/\(name)")
            return [UInt8](try Data(contentsOf: file))
        }
        let srgb = try palette(bytes("same-look-srgb.jpg"), count)
        for name in [
            "adobe-rgb.jpg", "display-p3.jpg", "display-p3.png", "prophoto.jpg", "rec2020.jpg",
            "untagged-srgb.jpg",
        ] {
            let other = try palette(bytes("same-look-\(name)"), count)
            #expect(other.difference(from: srgb) <= 2, "\(name)")
        }
        let wrong = try palette(bytes("same-numbers-display-p3.jpg"), count)
        #expect(wrong.difference(from: srgb) > 2)
    }

    /// 40 columns of Display P3's red, 24 of its (120, 120, 120).
    @Test func `a color outside sRGB keeps its Display P3 value`() throws {
        let palette = try palette(bytes("wide-red", "png"), 2)
        #expect(palette.entries.map(\.color.hex) == ["#ff0000", "#787878"])
        #expect(palette.entries.map(\.displayP3) == [DisplayP3(red: 255, green: 0, blue: 0), nil])
        for name in ["srgb", "untagged", "display-p3"] {
            let inside = try self.palette(bytes(name), 3)
            #expect(inside.entries.allSatisfy { $0.displayP3 == nil }, "\(name)")
        }
    }

    private func bytes(_ name: String, _ kind: String = "jpg") throws -> [UInt8] {
        let folder = try #require(Bundle.module.resourceURL)
        return [UInt8](try Data(contentsOf: folder.appendingPathComponent("Fixtures/icc/\(name).\(kind)")))
    }

    private func palette(_ bytes: [UInt8], _ count: Int) throws -> Palette {
        var settings = PaletteSettings()
        settings.palette.mode = .area
        settings.palette.size = .colors(count)
        return try ExtractedPalette(bytes: bytes, settings: settings).palette
    }
}

extension Palette {
    /// The largest CIEDE2000 difference of a color of one palette from the nearest of the other.
    fileprivate func difference(from other: Palette) -> Double {
        func farthest(_ one: Palette, _ two: Palette) -> Double {
            one.entries.map { entry in
                two.entries.map { Lab(entry.color).difference(to: Lab($0.color)) }.min() ?? .infinity
            }.max() ?? .infinity
        }
        return max(farthest(self, other), farthest(other, self))
    }
}

extension [UInt8] {
    /// A JPEG without its APP2 segments.
    fileprivate var withoutProfile: [UInt8] {
        var kept = Array(self[..<2]), at = 2
        while at + 4 <= count, self[at] == 0xFF, self[at + 1] != 0xDA {
            let end = at + 2 + Int(self[at + 2]) << 8 + Int(self[at + 3])
            if self[at + 1] != 0xE2 { kept += self[at..<end] }
            at = end
        }
        return kept + self[at...]
    }
}
