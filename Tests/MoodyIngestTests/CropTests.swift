import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes
import TestSupport
import Testing

@testable import Images
@testable import MoodyIngest

@Suite struct CropTests {
    /// A picture whose pixel in column x and row y is (x, y, 0).
    private func grid(_ width: Int, _ height: Int) -> Image {
        let rgba: [UInt8] = (0..<height).flatMap { row in
            (0..<width).flatMap { column -> [UInt8] in [UInt8(column), UInt8(row), 0, 255] }
        }
        return Image(checkedWidth: width, height: height, rgba: rgba)
    }

    private func extracted(_ name: String, _ crop: String) throws -> ExtractedPalette {
        var settings = PaletteSettings()
        settings.crop = Crop(crop)
        return try ExtractedPalette(bytes: [UInt8](fixture(name)), settings: settings)
    }

    @Test(arguments: ["400x300+10+20", "1x1+0+0", "1073741824x1+0+1073741824"])
    func `a crop is written as it is read`(text: String) {
        #expect(Crop(text)?.description == text)
    }

    @Test(arguments: [
        "", "400", "400x300", "400x300+10", "400x300+10+20+30", "400x300-10+20", "400x300+-1+20",
        "0x300+10+20", "400x0+10+20", "400X300+10+20", "400x300+10+", " 400x300+10+20", "4e2x300+10+20",
        "x300+10+20",
        "99999999999999999999x300+10+20", "1073741825x300+10+20", "٤x3+1+2",
    ])
    func `what is no crop is none`(text: String) {
        #expect(Crop(text) == nil)
    }

    @Test func `of a picture at full size the crop's pixels are cut, no other`() throws {
        let crop = try #require(Crop("3x2+4+1"))
        let (rgba, width) = crop.cut(grid(10, 8), width: 10, height: 8)
        #expect(width == 3)
        let expected: [UInt8] = [4, 1, 5, 1, 6, 1, 4, 2, 5, 2, 6, 2]
        let positions: [UInt8] = rgba.enumerated().filter { $0.offset % 4 < 2 }.map(\.element)
        #expect(positions == expected)
    }

    /// (crop of a 100 x 80 photo at a tenth, first column and row, columns, rows)
    @Test(arguments: [
        ("100x80+0+0", 0, 0, 10, 8), ("50x40+50+40", 5, 4, 5, 4), ("20x20+14+16", 1, 2, 2, 2),
        ("1x1+99+79", 9, 7, 1, 1), ("1x1+0+0", 0, 0, 1, 1), ("4x4+48+38", 5, 4, 1, 1),
    ])
    func `of a shrunk picture it is cut in proportion, and something is always left`(
        text: String, x: Int, y: Int, columns: Int, rows: Int
    ) throws {
        let (rgba, width) = try #require(Crop(text)).cut(grid(10, 8), width: 100, height: 80)
        #expect(rgba[0] == x && rgba[1] == y)
        #expect(width == columns && rgba.count / 4 / width == rows)
    }

    @Test(arguments: [("30x30+90+70", "10x10+90+70"), ("200x200+0+0", "100x80+0+0"), ("5x5+100+0", nil)])
    func `what lies in the photo counts`(text: String, inside: String?) throws {
        #expect(try #require(Crop(text)).inside(width: 100, height: 80)?.description == inside)
    }

    @Test(arguments: ["red-blue-24x16.png", "red-blue-24x16.jpg"])
    func `the palette is of the crop, and a note says so`(name: String) throws {
        let blue = try extracted(name, "6x16+18+0")
        let color = try #require(blue.palette.entries.first?.color)
        #expect(blue.palette.entries.count == 1)
        #expect(Lab(color).difference(to: Lab(RGB(red: 20, green: 40, blue: 180))) < 1)
        #expect(blue.notes.first == "palette of 6x16+18+0")
        let both = try extracted(name, "12x16+12+0")
        #expect(both.palette.entries.count == 2)
        #expect(both.palette.entries.allSatisfy { abs($0.share - 0.5) < 0.02 })
        #expect(try extracted(name, "90x90+18+0").notes.first == "palette of 6x16+18+0")
        #expect(blue.picture.image.width == 24, "the thumbnail is of the whole photo")
    }

    /// Fixtures/make-icc.py: 40 columns of Display P3's red.
    @Test func `a color of a crop that lies outside sRGB keeps its Display P3 value`() throws {
        let entries = try extracted("icc/wide-red.png", "10x10+4+4").palette.entries
        #expect(entries.map(\.color.hex) == ["#ff0000"])
        #expect(entries.map(\.displayP3) == [DisplayP3(red: 255, green: 0, blue: 0)])
    }

    @Test func `a crop that lies outside of the photo fails it, and says so`() throws {
        let error = #expect(throws: PaletteError.self) { try extracted("red-blue-24x16.png", "5x5+24+0") }
        #expect(error?.description == "5x5+24+0 lies outside the 24x16 photo")
    }

    /// A photo that is decoded at an eighth is decoded again for a crop of a few of those pixels.
    @Test func `a small crop of a large photo is read at its own size`() throws {
        let side = 2048
        var rgba = [UInt8](repeating: 255, count: side * side * 4)
        for row in 0..<side {
            for column in 0..<side where row >= 1003 && row < 1008 && column >= 1003 && column < 1008 {
                let at = (row * side + column) * 4
                (rgba[at], rgba[at + 1], rgba[at + 2]) = (20, 40, 180)
            }
        }
        let photo = try Image(checkedWidth: side, height: side, rgba: rgba).jpeg(quality: 95)
        var settings = PaletteSettings()
        settings.palette.size = .colors(1)
        settings.crop = Crop("3x3+1004+1004")
        let found = try ExtractedPalette(bytes: photo, settings: settings)
        #expect(found.picture.image.width == 512)
        let color = try #require(found.palette.entries.first?.color)
        #expect(color.blue > 120 && color.red < 90)
    }

    @Test func `a store keeps the crop's palette and the note`() throws {
        let folder = try ScratchFolder()
        let stack = DataStack(model: try .moody())
        try stack.addStorage(sqlite: folder.url.appending(path: "Moody.moody"))
        try folder.write(fixture("red-blue-24x16.png"), to: "photos/a.png")
        var ingest = Ingest(stack: stack)
        ingest.options.settings.crop = Crop("6x16+18+0")
        #expect(try ingest.run([BytePath(folder.url.appending(path: "photos").path)]).isComplete)
        let kept = try stack.reader.performAndWait { context in
            try context.fetch(FetchRequest<Mood>()).map { ($0.colors.map(\.hex), $0.notes ?? "") }
        }
        #expect(kept.map(\.0) == [["#1428b4"]])
        #expect(try #require(kept.first).1.contains("palette of 6x16+18+0"))
    }
}
