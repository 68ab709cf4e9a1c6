import Foundation
import Images
import Testing

/// Files beside the tests, and the numbers `Fixtures/make.py` wrote about them with other decoders.
enum Fixture {
    static func bytes(_ name: String) throws -> [UInt8] {
        let folder = try #require(Bundle.module.resourceURL)
        return [UInt8](try Data(contentsOf: folder.appendingPathComponent("Fixtures/\(name)")))
    }

    /// Names of the files of a folder of fixtures, sorted.
    static func names(in folder: String) -> [String] {
        guard let root = Bundle.module.resourceURL else { return [] }
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: root.appendingPathComponent("Fixtures/\(folder)").path)
        return (names ?? []).sorted()
    }

    /// The folder of the larger shared data, from the environment variable MOODY_DATA.
    static let shared = ProcessInfo.processInfo.environment["MOODY_DATA"].map { URL(fileURLWithPath: $0) }

    static func sharedBytes(_ name: String) throws -> [UInt8] {
        let folder = try #require(shared)
        return [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    static let golden: Golden? = {
        guard let bytes = try? bytes("golden.json") else { return nil }
        return try? JSONDecoder().decode(Golden.self, from: Data(bytes))
    }()
}

/// What other decoders see; see `Fixtures/make.py`.
struct Golden: Decodable {
    struct Grid: Decodable {
        let size: [Int]
        /// Mean R G B of 4 x 3 tiles, row by row.
        let grid: [[Int]]
        let metadata: Metadata?
    }
    /// exiftool's, numeric.
    struct Metadata: Decodable {
        let DateTimeOriginal: String?, OffsetTimeOriginal: String?
        let GPSLatitude: Double?, GPSLongitude: Double?
        let Model: String?
        let Orientation: Int?
    }
    struct Resized: Decodable {
        let height: Int
        let rgb: [Int]
    }
    struct Suite: Decodable {
        let width: Int, height: Int, hash: String

        init(from decoder: any Decoder) throws {
            var values = try decoder.unkeyedContainer()
            width = try values.decode(Int.self)
            height = try values.decode(Int.self)
            hash = try values.decode(String.self)
        }
    }

    let pngsuite: [String: Suite]
    let grids: [String: Grid], shared: [String: Grid]
    let metadata: [String: Metadata]
    let resized: [String: Resized]
}

extension Image {
    /// Mean R G B of 4 x 3 tiles, weighting pixels on a border by the part that lies inside.
    var grid: [[Double]] {
        var sums = [[Double]](repeating: [0, 0, 0, 0], count: 12)
        func parts(_ index: Int, _ size: Int, _ tiles: Int) -> [(tile: Int, weight: Double)] {
            let start = Double(index * tiles) / Double(size), end = Double((index + 1) * tiles) / Double(size)
            return (Int(start)...min(tiles - 1, Int(end))).compactMap { tile in
                let weight = min(end, Double(tile + 1)) - max(start, Double(tile))
                return weight > 0 ? (tile, weight) : nil
            }
        }
        let columns = (0..<width).map { parts($0, width, 4) }
        for y in 0..<height {
            for row in parts(y, height, 3) {
                for x in 0..<width {
                    for column in columns[x] {
                        let weight = row.weight * column.weight, tile = row.tile * 4 + column.tile
                        for channel in 0..<3 {
                            sums[tile][channel] += weight * Double(rgba[(y * width + x) * 4 + channel])
                        }
                        sums[tile][3] += weight
                    }
                }
            }
        }
        return sums.map { sum in sum[0..<3].map { $0 / sum[3] } }
    }

    /// The largest difference of a tile's mean from what another decoder sees.
    func distance(to golden: Golden.Grid) -> Double {
        zip(grid, golden.grid).flatMap { zip($0, $1).map { abs($0 - Double($1)) } }.max() ?? .infinity
    }
}

extension Sequence<UInt8> {
    /// FNV-1a, 64 bits.
    var fnv: String {
        let value = reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

extension Fixture {
    /// Every file of the shared data, sorted.
    static var sharedNames: [String] {
        guard let shared, let files = FileManager.default.enumerator(atPath: shared.path) else { return [] }
        return files.compactMap { $0 as? String }.sorted()
    }
}
