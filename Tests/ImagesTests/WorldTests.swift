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
