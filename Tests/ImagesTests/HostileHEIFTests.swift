#if HEIF
import Testing

@testable import Images

/// HEIF files whose numbers fit one by one and make no sense together.
@Suite struct HostileHEIFTests {
    /// A coded picture of 200 x 150 pixels: its configuration and its data.
    private func tile() throws -> (config: [UInt8], data: [UInt8]) {
        let items = HEIFItems(try Fixture.bytes("formats/420.heic"))
        let primary = try #require(items.primary)
        let config = try #require(items.properties(of: primary, "hvcC").first)
        return (Array(items.bytes[config.box]), try #require(items.contents(of: primary)))
    }

    private func grid(_ rows: Int, _ columns: Int, _ width: Int, _ height: Int) throws -> [UInt8] {
        let tile = try tile()
        return HEIFBuilder(
            items: [
                .init(
                    id: 1, type: "grid", properties: [1],
                    data: HEIFBuilder.grid(rows, columns, width, height)),
                .init(id: 2, type: "hvc1", properties: [2, 3], data: tile.data),
            ],
            properties: [HEIFBuilder.size(width, height), HEIFBuilder.size(200, 150), tile.config],
            tiles: Array(repeating: 2, count: rows * columns)
        ).file
    }

    @Test func `a picture of two gigapixels a side of which one is shown is refused`() {
        let most = 0x7FFF_FFFF
        let one = HEIFBuilder.number(1, 4), none = HEIFBuilder.number(0, 4)
        let file = HEIFBuilder(
            items: [
                .init(id: 1, type: "grid", properties: [1, 4], data: HEIFBuilder.grid(1, 2, most, most)),
                .init(id: 2, type: "hvc1", properties: [2, 3]),
                .init(id: 3, type: "hvc1", properties: [2, 3]),
            ],
            properties: [
                HEIFBuilder.size(most, most), HEIFBuilder.size(0x4000_0000, most),
                HEIFBuilder.box("hvcC", [UInt8](repeating: 0, count: 23)),
                HEIFBuilder.box("clap", one + one + one + one + none + one + none + one),
            ], tiles: [2, 3]
        ).file
        #expect(throws: ImageError.pastLimit("1x1 in one piece needs too much memory")) {
            try Picture(bytes: file)
        }
    }

    /// ISO/IEC 23008-12, 6.6.2.3.1: every tile covers a part of the picture.
    @Test(arguments: [(3, 1, 200, 150), (3, 2, 400, 150), (2, 1, 200, 150), (1, 3, 400, 150)])
    func `a grid with tiles outside of its picture is refused`(
        rows: Int, columns: Int, width: Int, height: Int
    ) throws {
        let file = try grid(rows, columns, width, height)
        #expect(throws: ImageError.corrupt("a grid with tiles outside of its picture")) {
            try Picture(bytes: file)
        }
    }

    @Test func `a grid whose last tiles are partly outside is read`() throws {
        let picture = try Picture(bytes: try grid(2, 2, 201, 151))
        #expect((picture.width, picture.height) == (201, 151))
    }

    @Test func `an item longer than its file is refused`() throws {
        let tile = try tile()
        var builder = HEIFBuilder(
            items: [
                .init(
                    id: 1, type: "hvc1", properties: [1, 2],
                    data: tile.data + [UInt8](repeating: 0, count: 50_000))
            ],
            properties: [HEIFBuilder.size(200, 150), tile.config])
        builder.extents = 1_000
        let file = builder.file
        #expect(throws: ImageError.corrupt("an item longer than the file")) { try Picture(bytes: file) }
    }

    @Test func `an item has the properties of its first entry`() {
        var builder = HEIFBuilder(
            items: [.init(id: 1, type: "hvc1", properties: [1, 2])],
            properties: [HEIFBuilder.size(1, 1), HEIFBuilder.size(2, 2)])
        builder.repeats = 1_000
        #expect(HEIFItems(builder.file).items[1]?.properties.map(\.index) == [0, 1])
    }

    /// 65,025 tiles with 255,000 properties: looking at each property of each tile would take minutes.
    @Test func `a tile that a grid names many times is looked at once`() {
        var builder = HEIFBuilder(
            items: [
                .init(id: 1, type: "grid", properties: [1], data: HEIFBuilder.grid(255, 255, 255, 255)),
                .init(id: 2, type: "hvc1", properties: Array(repeating: 3, count: 253) + [2, 2]),
            ],
            properties: [HEIFBuilder.size(255, 255), HEIFBuilder.size(1, 1), HEIFBuilder.box("free", [])],
            tiles: Array(repeating: 2, count: 65_025))
        builder.repeats = 1_000
        let file = builder.file
        #expect(throws: ImageError.self) { try Picture(bytes: file) }
    }

    /// Two items of this file have 65,000 references each that describe nothing.
    @Test func `an item that describes many is looked at once`() {
        let references = (0..<60_000).flatMap { (index: Int) -> [UInt8] in
            HEIFBuilder.box("cdsc", HEIFBuilder.number(index + 2, 2) + [0, 0])
        }
        let count = 60_000
        let entries = (1...count).flatMap { (item: Int) -> [UInt8] in
            HEIFBuilder.box(
                "infe", [2, 0, 0, 0] + HEIFBuilder.number(item, 2) + [0, 0] + Array("Exif".utf8) + [0])
        }
        let file =
            HEIFBuilder.box("ftyp", Array("heic\0\0\0\0heic".utf8))
            + HEIFBuilder.box(
                "meta",
                HEIFBuilder.number(0, 4)
                    + HEIFBuilder.box("pitm", HEIFBuilder.number(0, 4) + HEIFBuilder.number(1, 2))
                    + HEIFBuilder.box(
                        "iinf", HEIFBuilder.number(0, 4) + HEIFBuilder.number(count, 2) + entries)
                    + HEIFBuilder.box("iref", HEIFBuilder.number(0, 4) + references))
        #expect(throws: ImageError.self) { try Picture(bytes: file) }
    }
}
#endif
