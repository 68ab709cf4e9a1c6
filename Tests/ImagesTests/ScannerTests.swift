internal import CImage
import Foundation
import Testing

@testable import Images

/// The DC scanner against libjpeg's own coefficients.
@Suite struct ScannerTests {

    /// With one stream and with three, which photos of this size would not get.
    @Test(arguments: Fixture.names(in: "jpeg").filter { $0 != "arithmetic.jpg" }, [0, Int.max])
    func `every DC value equals libjpeg's`(name: String, manyStreamsFrom: Int) throws {
        let bytes = try Fixture.bytes("jpeg/\(name)")
        let picture = try #require(DCPicture(bytes, manyStreamsFrom: manyStreamsFrom))
        #expect(picture.values == libjpeg(bytes)?.values)
    }

    @Test func `arithmetic coding is left to libjpeg`() throws {
        let bytes = try Fixture.bytes("jpeg/arithmetic.jpg")
        #expect(DCPicture(bytes) == nil)
        #expect(throws: Never.self) { try Picture(bytes: bytes) }
    }

    /// Bytes changed in turn: the scanner leaves the file to libjpeg, or reads what libjpeg reads without a
    /// warning. Damage inside the AC scans of a progressive file it does not notice; the DC values are
    /// libjpeg's.
    @Test(
        arguments: [("jpeg/q1.jpg", 1), ("jpeg/restart.jpg", 7), ("jpeg/411-progressive.jpg", 5)],
        [0, Int.max])
    func `of a damaged file the scanner reads nothing, or what libjpeg reads`(
        file: (name: String, step: Int), manyStreamsFrom: Int
    ) throws {
        let sound = try Fixture.bytes(file.name)
        var silent = 0
        for at in stride(from: 0, to: sound.count, by: file.step) {
            var bytes = sound
            bytes[at] ^= [0x01, 0x40, 0xFF, 0x08][at / file.step % 4]
            guard let picture = DCPicture(bytes, manyStreamsFrom: manyStreamsFrom) else { continue }
            silent += 1
            let truth = libjpeg(bytes)
            #expect(picture.values == truth?.values, "byte \(at)")
            if picture.frame.coding == .baseline { #expect(truth?.warnings == 0, "byte \(at)") }
        }
        #expect(silent > 0)
    }

    /// The sample of all MCUs is every pixel, in MCU order.
    @Test(arguments: [
        "sub-444.jpg", "sub-420.jpg", "sub-422.jpg", "gray.jpg", "restart-420.jpg", "odd-size-422.jpg",
    ])
    func `details are libjpeg's pixels`(name: String) throws {
        let bytes = try Fixture.bytes("jpeg/\(name)")
        let picture = try #require(DCPicture(bytes))
        let colors = try #require(picture.colors(hasJFIF: true, adobeTransform: nil))
        let detail = picture.detail(colors, pixels: .max)
        var options = DecodingOptions()
        options.exact = true
        let whole = try Picture(bytes: bytes, options: options).image
        try #require(detail.count == whole.rgba.count)
        let isAlone = picture.frame.components.count == 1
        let mcuWidth = isAlone ? 8 : 8 * picture.frame.maxHorizontal,
            mcuHeight = isAlone ? 8 : 8 * picture.frame.maxVertical
        var at = 0, sum = 0, worstLuma = 0
        for top in stride(from: 0, to: whole.height, by: mcuHeight) {
            for left in stride(from: 0, to: whole.width, by: mcuWidth) {
                for y in top..<min(top + mcuHeight, whole.height) {
                    for x in left..<min(left + mcuWidth, whole.width) {
                        let other = (y * whole.width + x) * 4
                        let luma = { (rgb: ArraySlice<UInt8>) -> Int in
                            let rgb = rgb.map { Int($0) }
                            return (299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2]) / 1000
                        }
                        let differences = (0..<4).map {
                            abs(Int(detail[at + $0]) - Int(whole.rgba[other + $0]))
                        }
                        sum += differences.reduce(0, +)
                        let isInside = (detail[at..<at + 3] + whole.rgba[other..<other + 3]).allSatisfy {
                            (1...254).contains($0)
                        }
                        if isInside {
                            worstLuma = max(
                                worstLuma,
                                abs(luma(detail[at..<at + 3]) - luma(whole.rgba[other..<other + 3])))
                        }
                        at += 4
                    }
                }
            }
        }
        // Luma is exact but for rounding; colour of lesser resolution is repeated here and interpolated
        // there.
        #expect(worstLuma <= 2)
        #expect(
            Double(sum) / Double(whole.width * whole.height) < (name == "sub-444.jpg" || isAlone ? 1 : 12))
    }

    @Test func `details are a share of the pixels, the same every time`() throws {
        let bytes = try Fixture.bytes("jpeg/optimized-420.jpg")
        var options = DecodingOptions()
        (options.side, options.detailPixels) = (80, 640 * 420 / 4)
        let picture = try Picture(bytes: bytes, options: options)
        #expect((45_000...90_000).contains(picture.detail.count / 4))
        #expect(try Picture(bytes: bytes, options: options).detail == picture.detail)
        options.side = 320
        #expect(try Picture(bytes: bytes, options: options).detail == [])
    }

    @Test(arguments: ["jpeg/sub-420.jpg", "jpeg/restart-420.jpg", "jpeg/progressive-420.jpg"])
    func `a file cut anywhere is left to libjpeg`(name: String) throws {
        let bytes = try Fixture.bytes(name)
        for cut in stride(from: 0, to: bytes.count, by: 7) {
            #expect(DCPicture(Array(bytes[..<cut])) == nil, "cut at byte \(cut)")
        }
    }

    /// All photos of the shared data.
    @Test(.enabled(if: Fixture.shared != nil, "MOODY_DATA is not set"))
    func `every DC value of the shared photos equals libjpeg's`() throws {
        var read = 0
        for name in Fixture.sharedNames
        where ["jpg", "jpeg"].contains(name.split(separator: ".").last?.lowercased()) {
            let bytes = try Fixture.sharedBytes(name)
            guard let picture = DCPicture(bytes), let truth = libjpeg(bytes) else {
                if !name.hasPrefix("hostile") { print("left to libjpeg: \(name)") }
                continue
            }
            read += 1
            #expect(picture.values == truth.values, "\(name)")
        }
        #expect(read >= 100)
    }
}

extension DCPicture {
    init?(_ bytes: [UInt8], manyStreamsFrom: Int = BaselineScan.manyStreamsFrom) {
        self.init(JPEGMarkers(bytes), scanLimit: 200, manyStreamsFrom: manyStreamsFrom)
    }

    /// The values of the blocks libjpeg keeps: those that hold pixels.
    var values: [[Int16]] {
        zip(planes, frame.components).map { plane, component in
            let (columns, rows) = frame.blocks(of: component)
            return (0..<rows).flatMap { plane.values[$0 * plane.columns..<$0 * plane.columns + columns] }
        }
    }
}

/// libjpeg's DC coefficients by component, and how often it had to guess; nil when it refuses the file.
func libjpeg(_ bytes: [UInt8]) -> (values: [[Int16]], warnings: Int)? {
    var values: [[Int16]] = [], warnings = 0, components = 1, component = 0
    while component < components {
        var result = cimage_jpeg_result()
        // The frame says how many blocks there can be at most.
        var markers = JPEGMarkers(bytes)
        _ = markers.next()
        guard let frame = markers.frame else { return nil }
        let capacity = frame.mcuColumns * frame.mcuRows * 16
        let blocks = unsafe [Int16](unsafeUninitializedCapacity: capacity) { buffer, count in
            // SAFETY: the shim writes at most `capacity` values, width * height of them.
            result = unsafe bytes.withUnsafeBufferPointer {
                unsafe cimage_jpeg_coefficients(
                    $0.baseAddress, $0.count, CInt(component), buffer.baseAddress, capacity)
            }
            count =
                result.status == .ok || result.status == .truncated ? Int(result.width * result.height) : 0
        }
        guard result.status == .ok || result.status == .truncated else { return nil }
        values.append(blocks)
        warnings += Int(result.warnings) + (result.status == .truncated ? 1 : 0)
        components = frame.components.count
        component += 1
    }
    return (values, warnings)
}
