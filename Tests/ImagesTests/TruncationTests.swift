import Images
import Testing

/// A picture that is cut short is never taken for whole.
@Suite struct TruncationTests {
    static let small =
        ["jpeg/q1.jpg", "jpeg/410-progressive.jpg", "orientation/f1t.jpg", "orientation/f6t.jpg"]
        + ["basn2c08", "basi6a08", "basn3p01", "s01i3p01", "tbbn3p08"].map { "pngsuite/\($0).png" }

    /// Cuts the file after every byte in turn.
    @Test(arguments: small)
    func `a file cut anywhere throws, or is whole and says so`(name: String) throws {
        let bytes = try Fixture.bytes(name)
        let end = try bytes.endOfPicture(name)
        let whole = try Picture(bytes: bytes)
        for cut in 0..<end {
            guard let read = try? Picture(bytes: Array(bytes[..<cut])) else { continue }
            // An end marker of a JPEG has two bytes, that of a PNG twelve, behind four of a checksum.
            #expect(cut >= end - (name.hasSuffix("png") ? 20 : 2), "\(cut) of \(end)")
            #expect(read.image == whole.image)
            #expect(read.notes.contains("the file ends early, behind the picture"))
        }
        #expect(throws: ImageError.self) { try Picture(bytes: Array(bytes[..<(end - 24)])) }
        #expect(throws: Never.self) { try Picture(bytes: Array(bytes[..<end])) }
    }

    @Test(arguments: [
        "jpeg/optimized-420.jpg", "jpeg/progressive-420.jpg", "jpeg/restart-420.jpg", "icc/display-p3.png",
    ])
    func `cut at every percent it is refused, and what is kept when asked for is what the file holds`(
        name: String
    ) throws {
        let bytes = try Fixture.bytes(name)
        let whole = try Picture(bytes: bytes)
        var options = DecodingOptions()
        options.acceptsTruncated = true
        for side in [1, 320] {
            options.side = side
            let full = try Picture(bytes: bytes, options: options)
            var count = 0
            for percent in 0..<100 {
                let cut = Array(bytes[..<(bytes.count * percent / 100)])
                #expect(throws: ImageError.self, "\(percent) %") { try Picture(bytes: cut) }
                guard let kept = try? Picture(bytes: cut, options: options) else { continue }
                count += 1
                #expect((kept.width, kept.height) == (whole.width, whole.height))
                #expect(kept.notes.contains { $0.hasPrefix("truncated: ") }, "\(percent) %")
                #expect(kept.image.height <= full.image.height)
                // A plain file's rows are those of the whole file: no gray. (At 1/8 the whole one is not
                // libjpeg's.)
                if side > 1, !name.contains("progressive") {
                    #expect(
                        kept.image.rgba == Array(full.image.rgba.prefix(kept.image.rgba.count)),
                        "\(percent) %")
                }
            }
            #expect(count >= (name.hasSuffix("png") ? 19 : 90), "kept \(count)")
        }
    }

    /// Of a PNG that is shrunk a row of means is there when all of its rows are.
    @Test(arguments: ["icc/display-p3.png", "pngsuite/basn2c08.png"])
    func `a cut PNG that is shrunk has no row more than the file holds`(name: String) throws {
        let bytes = try Fixture.bytes(name)
        var options = DecodingOptions()
        (options.acceptsTruncated, options.side, options.wholePixels) = (true, 1, 60)
        let whole = try Picture(bytes: bytes, options: options)
        let shrink = (whole.height + whole.image.height - 1) / whole.image.height
        #expect(shrink > 1)
        var kept = 0
        for percent in 1..<100 {
            let cut = Array(bytes[..<(bytes.count * percent / 100)])
            guard let picture = try? Picture(bytes: cut, options: options) else { continue }
            kept += 1
            guard case .truncated(let rows, _, _) = error(cut, options) else { continue }
            #expect(picture.image.height == rows / shrink, "\(percent) %")
            #expect(
                picture.image.rgba == Array(whole.image.rgba.prefix(picture.image.rgba.count)), "\(percent) %"
            )
        }
        #expect(kept > 3)
    }

    @Test func `the error says how much was there`() throws {
        let jpeg = try Fixture.bytes("jpeg/optimized-420.jpg")
        var options = DecodingOptions()
        options.exact = true
        guard case .truncated(let rows, 420, 1) = error(Array(jpeg.prefix(jpeg.count / 2)), options) else {
            Issue.record("not truncated")
            return
        }
        #expect((100...320).contains(rows))
        #expect(error(Array(jpeg.dropLast(2)), options) == nil)
        let last = error(Array(jpeg.dropLast(100)), options)
        guard case .truncated(let rows, 420, 1) = last, rows >= 400 else {
            Issue.record("\(String(describing: last))")
            return
        }
        #expect(
            ImageError.truncated(rows: 420, height: 420, scan: 1).description
                == "file ends before its end marker")
        #expect(
            ImageError.truncated(rows: 3, height: 420, scan: 1).description == "file ends after row 3 of 420")
        #expect(
            ImageError.truncated(rows: 3, height: 420, scan: 2).description
                == "file ends after row 3 of 420 of part 2")
        #expect(
            ImageError.truncated(rows: 420, height: 420, scan: 2).description
                == "file ends in or after part 2, before its end marker")
        let progressive = try Fixture.bytes("jpeg/progressive-420.jpg")
        guard
            case .truncated(_, 420, let scan) = error(
                Array(progressive.prefix(progressive.count * 9 / 10)), options)
        else {
            Issue.record("not truncated")
            return
        }
        #expect(scan > 1)
    }

    private func error(_ bytes: [UInt8], _ options: DecodingOptions) -> ImageError? {
        do throws(ImageError) {
            _ = try Picture(bytes: bytes, options: options)
            return nil
        } catch { return error }
    }
}

extension [UInt8] {
    /// One past the last byte a decoder needs: the end marker, or IEND's chunk.
    fileprivate func endOfPicture(_ name: String) throws -> Int {
        let end: [UInt8] =
            name.hasSuffix(".png") ? [0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82] : [0xFF, 0xD9]
        let found = try #require(indices.reversed().first { self[$0...].starts(with: end) })
        return found + end.count
    }
}
