import Images
import Testing

@Suite struct MetadataTests {
    /// exiftool's reading: `Fixtures/make.py`.
    @Test(arguments: (Fixture.golden?.metadata ?? [:]).keys.sorted())
    func `date, place, camera and orientation are as exiftool reads them`(name: String) throws {
        let golden = try #require(Fixture.golden?.metadata[name])
        let metadata = try Picture(bytes: try Fixture.bytes("exif/\(name)")).metadata
        metadata.expect(golden, name)
    }

    @Test func `fractions and offsets come along`() throws {
        let date = try #require(
            try Picture(bytes: try Fixture.bytes("exif/nikon-fraction-offset.jpg")).metadata.captured)
        #expect(date.nanosecond == 230_000_000)
        #expect(date.offsetMinutes == 390)
        #expect(date.source == .original)
    }

    @Test func `without an EXIF date the XMP packet's counts, and says so`() throws {
        let date = try #require(
            try Picture(bytes: try Fixture.bytes("exif/gps-place-xmp-date.jpg")).metadata.captured)
        #expect((date.year, date.month, date.day, date.hour, date.minute) == (2023, 11, 15, 12, 30))
        #expect(date.source == .xmp)
        #expect(date.offsetMinutes == 0)
    }

    @Test func `a maker that the model repeats is left out`() throws {
        #expect(try camera("iphone-4s.jpg") == "Apple iPhone 4S")
        #expect(try camera("png-exif.png") == "Canon PowerShot S40")
        #expect(try camera("nikon-fraction-offset.jpg") == "NIKON D7500")
    }

    private func camera(_ name: String) throws -> String? {
        try Picture(bytes: try Fixture.bytes("exif/\(name)")).metadata.camera
    }
}

extension PhotoMetadata {
    func expect(_ golden: Golden.Metadata, _ name: String) {
        if let date = golden.DateTimeOriginal, let captured {
            let parts = date.split { ":  ".contains($0) }.compactMap { Int($0) }
            let read = [
                captured.year, captured.month, captured.day, captured.hour, captured.minute, captured.second,
            ]
            #expect(Array(parts.prefix(6)) == read, "\(name)")
        }
        #expect((captured?.source == .original) == (golden.DateTimeOriginal != nil), "\(name)")
        if let north = golden.GPSLatitude, let east = golden.GPSLongitude {
            #expect(abs((latitude ?? .infinity) - north) < 1e-9, "\(name)")
            #expect(abs((longitude ?? .infinity) - east) < 1e-9, "\(name)")
        }
        if let model = golden.Model { #expect(camera?.hasSuffix(model) == true, "\(name)") }
        #expect(orientation == golden.Orientation ?? 1, "\(name)")
    }
}
