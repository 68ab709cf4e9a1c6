import Foundation
import Testing

@testable import Images

/// Files of other programs: `scripts/checks/world` makes them, and compares what is read here with what other
/// readers see.
@Suite struct WorldTests {
    private static let folder = ProcessInfo.processInfo.environment["MOODY_WORLD"]

    /// Writes `read.json` into the folder.
    @Test(.enabled(if: folder != nil)) func `describes each file of a folder`() throws {
        let folder = URL(fileURLWithPath: try #require(WorldTests.folder))
        let names = try FileManager.default.contentsOfDirectory(
            atPath: folder.appendingPathComponent("files").path)
        var seen: [String: WorldFile] = [:]
        for name in names {
            let file = folder.appendingPathComponent("files/\(name)")
            seen[name] = WorldFile([UInt8](try Data(contentsOf: file)))
        }
        try JSONEncoder().encode(seen).write(to: folder.appendingPathComponent("read.json"))
        #expect(seen.count == names.count)
    }

    /// Pillow and libvips say of each that it ends early.
    @Test(arguments: ["jpeg/progressive.jpg", "jpeg/sub-444.jpg", "jpeg/optimized-420.jpg"])
    func `a JPEG that ends in its head is cut, not corrupt`(name: String) throws {
        let bytes = try Fixture.bytes(name)
        for count in stride(from: 4, to: bytes.count - 2, by: 5) {
            do throws(ImageError) {
                _ = try Picture(bytes: Array(bytes[..<count]))
            } catch {
                guard case .truncated = error else {
                    Issue.record("\(count) of \(bytes.count) bytes: \(error)")
                    continue
                }
            }
        }
    }

    #if GIF
    /// As exiftool writes it: behind the packet 258 bytes that let a reader skip it as blocks.
    @Test func `a GIF has the date of its XMP`() throws {
        let packet = "<x:xmpmeta><rdf:Description exif:DateTimeOriginal='2016-05-06T07:08:09'/></x:xmpmeta>"
        let behind = [1] + (0...255).reversed().map { UInt8($0) } + [0]
        let gif = try Fixture.bytes("formats/plain.gif")
        let block = [0x21, 0xFF, 0x0B] + Array("XMP DataXMP\(packet)".utf8) + behind
        let picture = try Picture(bytes: gif.dropLast() + block + [0x3B])
        let plain = try Picture(bytes: gif)
        #expect((picture.metadata.captured?.year, picture.metadata.captured?.source) == (2016, .xmp))
        #expect(picture.notes == [] && picture.image == plain.image)
    }
    #endif

    #if TIFF
    /// TIFF 6.0, PlanarConfiguration: all strips of red, then of green, then of blue. tifffile and libvips
    /// read such files.
    @Test(arguments: [(32, 3), (32, 1), (16, 3), (24, 1)])
    func `planes apart have samples of any whole bytes`(bits: Int, format: Int) throws {
        let most = bits == 24 ? 0xFF_FFFF : 0xFFFF_FFFF
        let values = [[51, 0, 255], [102, 204, 0], [0, 153, 255]]
        func stored(_ value: Int) -> [UInt8] {
            if format == 1 { return TIFFBuilder.number(value * most / 255, bits / 8) }
            // 51 / 255 and so on in IEEE 754's binary16, by Python's struct.
            let halves = [0: 0, 51: 0x3266, 102: 0x3666, 153: 0x38CD, 204: 0x3A66, 255: 0x3C00]
            return bits == 16
                ? TIFFBuilder.number(halves[value] ?? 0, 2)
                : TIFFBuilder.number(Int((Float(value) / 255).bitPattern), 4)
        }
        // Three rows of two pixels, two rows to a strip.
        var planes: [UInt8] = []
        for channel in 0..<3 { for row in values { planes += stored(row[channel]) + stored(row[channel]) } }
        let row = 2 * bits / 8
        let starts = (0..<3).flatMap { [$0 * 3 * row, ($0 * 3 + 2) * row] }
        func field(_ tag: Int, _ type: Int, _ numbers: [Int]) -> TIFFBuilder.Field {
            .init(tag, type, numbers.flatMap { TIFFBuilder.number($0, type == 3 ? 2 : 4) })
        }
        let file = TIFFBuilder.file(
            [
                field(256, 3, [2]), field(257, 3, [3]), field(258, 3, [bits, bits, bits]), field(259, 3, [1]),
                field(262, 3, [2]), field(273, 4, starts), field(277, 3, [3]), field(278, 3, [2]),
                field(279, 4, [2 * row, row, 2 * row, row, 2 * row, row]), field(284, 3, [2]),
                field(339, 3, [format, format, format]),
            ], pixels: planes)
        let image = try Picture(bytes: file).image
        var expected: [UInt8] = []
        for row in values { for _ in 0..<2 { expected += row.map { UInt8($0) } + [255] } }
        #expect(image.rgba == expected)
    }

    /// As Panotools writes it. Pillow and libvips take the fourth sample for alpha; of one whose meaning is
    /// said to be unknown (ExtraSamples 0) Pillow and tifffile make nothing.
    @Test(arguments: [nil, 0]) func `a sample beside colors is alpha where the file does not say`(
        meaning: Int?
    ) throws {
        let values: [UInt8] = [51, 102, 204, 255, 255, 153, 0, 128]
        let bits = [8, 8, 8, 8].flatMap { TIFFBuilder.number($0, 2) }
        let fields: [TIFFBuilder.Field] = [
            .init(256, 3, 2), .init(257, 3, 1), .init(258, 3, bits),
            .init(259, 3, 1), .init(262, 3, 2), .init(273, 4, 0), .init(277, 3, 4), .init(278, 3, 1),
            .init(279, 4, 8),
        ]
        let more = meaning.map { [TIFFBuilder.Field(338, 3, $0)] } ?? []
        let image = try Picture(bytes: TIFFBuilder.file(fields + more, pixels: values)).image
        #expect(image.rgba == [51, 102, 204, 255, 255, 153, 0, meaning == nil ? 128 : 255])
    }

    /// As in a file of TwelveMonkeys' tests, which Pillow and libvips read.
    @Test func `a field of zeros among the others is a note`() throws {
        let fields: [TIFFBuilder.Field] = [
            .init(256, 3, 2), .init(257, 3, 1), .init(258, 3, 8), .init(259, 3, 1), .init(262, 3, 1),
            .init(273, 4, 0), .init(0, 0, []), .init(277, 3, 1), .init(278, 3, 1), .init(279, 4, 2),
        ]
        let picture = try Picture(bytes: TIFFBuilder.file(fields, pixels: [51, 204]))
        #expect(picture.image.rgba == [51, 51, 51, 255, 204, 204, 204, 255])
        #expect(picture.notes.count == 1 && picture.notes[0].hasPrefix("damaged: "))
    }

    /// tifffile reads it; libtiff asks for all the bytes that the strip is said to have.
    @Test func `a last strip of which the file says too much is read, and one that is cut is not`() throws {
        func file(_ size: Int, missing: Int = 0) -> [UInt8] {
            // PackBits: a byte four times, then four bytes as they are. Nothing stands behind them.
            let strip: [UInt8] = [0xFD, 51, 3, 102, 153, 204, 255]
            let fields: [TIFFBuilder.Field] = [
                .init(256, 3, 4), .init(257, 3, 2), .init(258, 3, 8), .init(259, 3, 32773), .init(262, 3, 1),
                .init(273, 4, 0), .init(277, 3, 1), .init(278, 3, 2), .init(279, 4, size),
            ]
            return TIFFBuilder.file(fields, pixels: strip).dropLast(missing)
        }
        let expected: [UInt8] = [51, 51, 51, 51, 102, 153, 204, 255].flatMap { [$0, $0, $0, 255] }
        #expect(try Picture(bytes: file(7)).image.rgba == expected)
        for size in [8, 5_000, 10_000_000] {
            let picture = try Picture(bytes: file(size))
            #expect(picture.image.rgba == expected)
            #expect(picture.notes == [ImageError.endsBehindPicture])
        }
        #expect(throws: ImageError.self) { try Picture(bytes: file(7, missing: 1)) }
        #expect(throws: ImageError.self) { try Picture(bytes: file(5_000, missing: 1)) }
    }

    @Test(arguments: [Int.min, Int.min + 16, -1, 1 << 62, Int.max]) func `an offset beyond all is an error`(
        offset: Int
    ) {
        for size in [0, 16, Int.max] {
            let file = TIFFBuilder.file(
                [
                    .init(256, 3, 4), .init(257, 3, 2), .init(258, 3, 8), .init(259, 3, 32773),
                    .init(262, 3, 1), .init(273, 16, TIFFBuilder.number(offset, 8)), .init(277, 3, 1),
                    .init(278, 3, 2), .init(279, 16, TIFFBuilder.number(size, 8)),
                ], .init(isBigEndian: false, isBigTIFF: true))
            #expect(throws: ImageError.self) { try Picture(bytes: file) }
        }
    }

    /// tifffile's numbers of compressions.
    @Test(arguments: [
        (34712, "JPEG 2000"), (33005, "JPEG 2000"), (34933, "PNG"), (34934, "JPEG XR"), (50002, "JPEG XL"),
    ])
    func `a TIFF with another kind of file inside is refused by its name`(number: Int, name: String) {
        let fields = [
            (256, 8), (257, 8), (258, 8), (259, number), (262, 1), (273, 0), (277, 1), (278, 8), (279, 64),
        ]
        .map { TIFFBuilder.Field($0.0, $0.0 == 273 ? 4 : 3, $0.1) }
        let file = TIFFBuilder.file(fields, pixels: [UInt8](repeating: 7, count: 64))
        #expect(throws: ImageError.unsupported("\(name) inside a TIFF")) { try Picture(bytes: file) }
    }
    #endif
}

/// What is read of a file.
private struct WorldFile: Encodable {
    /// Of the file as it is, and when the rows of one that is cut are wanted.
    let strict: WorldPicture
    let kept: WorldPicture

    init(_ bytes: [UInt8]) {
        var options = DecodingOptions()
        options.exact = true
        strict = WorldPicture(bytes, options)
        options.acceptsTruncated = true
        kept = WorldPicture(bytes, options)
    }
}

private struct WorldPicture: Encodable {
    var error: String?
    var format: String?
    var width = 0, height = 0, rows = 0
    /// Means of R, G, B, weighed by alpha, and of alpha, of 8 x 6 areas.
    var grid: [[Double]] = []
    var notes: [String] = []
    var orientation = 0
    var date: String?, dateSource: String?
    var place: [Double]?
    var camera: String?

    init(_ bytes: [UInt8], _ options: DecodingOptions) {
        do throws(ImageError) {
            let picture = try Picture(bytes: bytes, options: options)
            format = picture.format.name
            (width, height, rows) = (picture.width, picture.height, picture.image.height)
            grid = picture.image.weighedGrid(columns: 8, rows: 6)
            notes = picture.notes
            orientation = picture.metadata.orientation
            date = picture.metadata.captured.map(\.text)
            dateSource = picture.metadata.captured.map { "\($0.source)" }
            if let latitude = picture.metadata.latitude, let longitude = picture.metadata.longitude {
                place = [latitude, longitude]
            }
            camera = picture.metadata.camera
        } catch { self.error = error.description }
    }
}

extension CaptureDate {
    /// As exiftool prints it, with the fraction of a second in nine digits.
    fileprivate var text: String {
        let parts = [month, day, hour, minute, second].map { ($0 < 10 ? "0" : "") + String($0) }
        let fraction = String(1_000_000_000 + nanosecond).dropFirst()
        let zone = offsetMinutes.map { "\($0)" } ?? "?"
        return "\(year):\(parts[0]):\(parts[1]) \(parts[2]):\(parts[3]):\(parts[4]).\(fraction) \(zone)"
    }
}

extension Image {
    fileprivate func weighedGrid(columns: Int, rows: Int) -> [[Double]] {
        (0..<columns * rows).map { cell in
            let x = cell % columns, y = cell / columns
            var sums = [0.0, 0, 0, 0], count = 0.0
            for row in y * height / rows..<max(y * height / rows + 1, (y + 1) * height / rows) {
                for column in x * width / columns..<max(x * width / columns + 1, (x + 1) * width / columns) {
                    let at = (row * width + column) * 4
                    let alpha = Double(rgba[at + 3])
                    for channel in 0..<3 { sums[channel] += Double(rgba[at + channel]) * alpha }
                    sums[3] += alpha
                    count += 1
                }
            }
            let weight = max(sums[3], 1)
            return [sums[0] / weight, sums[1] / weight, sums[2] / weight, sums[3] / count]
        }
    }
}
