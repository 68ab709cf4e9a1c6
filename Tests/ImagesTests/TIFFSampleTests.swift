import Testing

@testable import Images

/// Sizes and kinds of samples that libtiff makes no colors of.
@Suite struct TIFFSampleTests {
    /// One pixel of R G B that are the least, the most, and near the middle; by hand. IEEE 754: 1.0 and 0.5.
    @Test(
        arguments: [
            (1, 1, [0b0111_0000], [0, 255, 255]), (4, 1, [0x0F, 0x80], [0, 255, 136]),
            (10, 1, [0x00, 0x3F, 0xF8, 0x00], [0, 255, 128]),
            (12, 1, [0x00, 0x0F, 0xFF, 0x80, 0x00], [0, 255, 128]),
            (14, 1, [0x00, 0x03, 0xFF, 0xF8, 0x00, 0x00], [0, 255, 128]),
            (24, 1, [0, 0, 0, 0xFF, 0xFF, 0xFF, 0, 0, 0x80], [0, 255, 128]),
            (32, 1, [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0x80], [0, 255, 128]),
            (16, 3, [0x00, 0xC0, 0x00, 0x3C, 0x00, 0x38], [0, 255, 128]),
            (32, 3, [0, 0, 0x80, 0xBF, 0, 0, 0x80, 0x7F, 0, 0, 0, 0x3F], [0, 255, 128]),
            (32, 3, [0, 0, 0xC0, 0x7F, 0, 0, 0x80, 0x3F, 0, 0, 0, 0x3F], [0, 255, 128]),
        ] as [(Int, Int, [UInt8], [Int])])
    func `samples of any size and kind are read`(bits: Int, format: Int, pixel: [UInt8], seen: [Int]) throws {
        guard ImageFormat.tiff.isBuiltIn else { return }
        for hasPhotometric in [true, false] {
            let depths = (0..<3).flatMap { _ in TIFFBuilder.number(bits, 2) }
            let formats = (0..<3).flatMap { _ in TIFFBuilder.number(format, 2) }
            var fields: [TIFFBuilder.Field] = [
                .init(256, 3, 1), .init(257, 3, 1), .init(258, 3, depths), .init(259, 3, 1),
            ]
            if hasPhotometric { fields.append(.init(262, 3, 2)) }
            fields += [
                .init(273, 4, 0), .init(277, 3, 3), .init(278, 3, 1), .init(279, 4, pixel.count),
                .init(284, 3, 1), .init(339, 3, formats),
            ]
            let rgba = try Picture(bytes: TIFFBuilder.file(fields, pixels: pixel)).image.rgba
            #expect(rgba.map { Int($0) } == seen + [255], "\(bits) bits, \(hasPhotometric)")
        }
    }
}
