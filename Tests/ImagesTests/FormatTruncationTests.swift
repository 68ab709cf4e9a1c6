import Images
import Testing

/// A picture that is cut short is never taken for whole, whatever its kind.
@Suite struct FormatTruncationTests {
    static let names = FormatGolden.files.keys.sorted()
    /// Of how many cuts a picture is kept at least, where the kind of file lets one be kept at all.
    private static let leastKept = [
        "animated.gif": 80, "plain.gif": 800, "blue-purple-pink.lossless.webp": 85, "lossy.webp": 300,
        "bw-packbits.tiff": 90, "cmyk-jpeg.tiff": 80, "exif-only-orientation.heic": 250,
        "ios18-grid.heic": 15,
    ]

    /// Cut after every byte of a small file, at every percent of a larger one: refused with an error that
    /// says so, but where every row was there: then it is the whole picture, with a note.
    @Test(arguments: names)
    func `a file of another kind cut anywhere throws, or is whole and says so`(name: String) throws {
        let bytes = try Fixture.bytes("formats/\(name)")
        guard try isBuiltIn(bytes) else { return }
        let whole = try Picture(bytes: bytes)
        var options = DecodingOptions()
        options.acceptsTruncated = true
        let end = FormatTruncationTests.endOfPicture(bytes)
        let cuts = bytes.count <= 1_300 ? Array(0..<end) : (0..<100).map { bytes.count * $0 / 100 }
        var keeps = 0
        for cut in cuts where cut < end {
            let part = Array(bytes[..<cut])
            if let read = try? Picture(bytes: part) {
                keeps += 1
                #expect(
                    read.notes.contains("the file ends early, behind the picture"), "\(cut) \(read.notes)")
                // How it is turned, and its profile, may stand behind it.
                let isSame = read.metadata.orientation == whole.metadata.orientation
                #expect(!isSame || name.hasPrefix("cmyk") || read.image == whole.image, "\(cut)")
                continue
            }
            let error = #expect(throws: ImageError.self, "cut at byte \(cut) of \(bytes.count)") {
                try Picture(bytes: part)
            }
            if case .tooLarge = error { Issue.record("\(cut): \(String(describing: error))") }
            guard let kept = try? Picture(bytes: part, options: options) else { continue }
            keeps += 1
            #expect(kept.notes.contains { $0.hasPrefix("truncated: ") }, "\(cut)")
            // What says how it is turned may have been cut off.
            let isTurned = kept.metadata.orientation != whole.metadata.orientation
            #expect(isTurned || (kept.width, kept.height) == (whole.width, whole.height), "\(cut)")
            #expect(isTurned || kept.image.height <= whole.image.height, "\(cut)")
        }
        #expect(keeps >= Self.leastKept[name] ?? 0, "\(keeps) of \(cuts.count)")
    }

    /// Rows above the cut are those of the whole file: no gray.
    @Test(arguments: ["blue-purple-pink.lossless.webp", "uncompressed.tiff", "plain.gif"])
    func `what is kept of a cut file is what the file holds`(name: String) throws {
        let bytes = try Fixture.bytes("formats/\(name)")
        guard try isBuiltIn(bytes) else { return }
        let whole = try Picture(bytes: bytes)
        var options = DecodingOptions()
        options.acceptsTruncated = true
        var kept = 0
        for percent in 1..<100 {
            let cut = Array(bytes[..<(bytes.count * percent / 100)])
            guard let picture = try? Picture(bytes: cut, options: options) else { continue }
            kept += 1
            #expect(
                picture.image.rgba == Array(whole.image.rgba.prefix(picture.image.rgba.count)), "\(percent) %"
            )
        }
        #expect(kept > 10)
    }

    /// Of a kind that is not, that it is refused for that reason.
    private func isBuiltIn(_ bytes: [UInt8]) throws -> Bool {
        let format = try #require(ImageFormat(bytes: bytes))
        if !format.isBuiltIn { #expect(throws: ImageError.notBuiltIn(format)) { try Picture(bytes: bytes) } }
        return format.isBuiltIn
    }

    /// One past the last byte that the kind of file says anything about: a page of a TIFF ends with its data
    /// or its directory, and what follows belongs to other pages or to nobody; Pillow pads strips.
    private static func endOfPicture(_ bytes: [UInt8]) -> Int {
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0 { end -= 1 }
        return end
    }
}
