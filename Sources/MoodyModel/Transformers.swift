import Foundation
import ManagedObjects
import Palettes

/// Three bytes a colour: red, green, blue; the largest share first.
///
/// Where colours have Display P3 values these follow, four bytes each: place, red, green, blue; then a 0 if the
/// whole would else be a multiple of three bytes, how many they are, and "P3". Earlier versions take what
/// follows for more colours, and leave them out as they have no shares.
enum ColorsTransformer: ValueTransforming {
    static var placeholder: MoodColors { [] }

    private static let mark = Array("P3".utf8)

    static func encode(_ colors: MoodColors) -> Data {
        var bytes = colors.flatMap { [$0.red, $0.green, $0.blue] }
        let wide = colors.wide.sorted { $0.key < $1.key }.filter { $0.key < 256 }
        guard !wide.isEmpty else { return Data(bytes) }
        for (place, color) in wide { bytes += [UInt8(place), color.red, color.green, color.blue] }
        if bytes.count % 3 == 0 { bytes.append(0) }
        return Data(bytes + [UInt8(wide.count)] + mark)
    }

    /// Bytes after the last whole colour are left out.
    static func decode(_ data: Data) -> MoodColors {
        let bytes = [UInt8](data)
        var end = bytes.count - bytes.count % 3
        var wide: [Int: DisplayP3] = [:]
        if bytes.count % 3 != 0, bytes.suffix(2) == mark[...], let start = startOfWide(bytes) {
            end = start
            for at in stride(from: start, to: bytes.count - 6, by: 4) {
                wide[Int(bytes[at])] = DisplayP3(
                    red: bytes[at + 1], green: bytes[at + 2], blue: bytes[at + 3])
            }
        }
        let colors = stride(from: 0, to: end, by: 3).map {
            RGB(red: bytes[$0], green: bytes[$0 + 1], blue: bytes[$0 + 2])
        }
        return MoodColors(colors, displayP3: wide.filter { $0.key < colors.count })
    }

    /// Behind the last colour.
    private static func startOfWide(_ bytes: [UInt8]) -> Int? {
        guard bytes.count > 3 else { return nil }
        let start = bytes.count - 3 - 4 * Int(bytes[bytes.count - 3])
        return start < 0 || start % 3 == 2 ? nil : start - start % 3
    }
}

/// Eight bytes a share, little-endian IEEE 754: as many as there are colours, in their order.
enum SharesTransformer: ValueTransforming {
    static var placeholder: [Double] { [] }

    static func encode(_ shares: [Double]) -> Data {
        Data(
            shares.flatMap { share in (0..<8).map { UInt8(truncatingIfNeeded: share.bitPattern >> ($0 * 8)) }
            })
    }

    /// Bytes after the last whole share are left out.
    static func decode(_ data: Data) -> [Double] {
        let bytes = [UInt8](data)
        return stride(from: 0, to: bytes.count - bytes.count % 8, by: 8).map { start in
            Double(bitPattern: (0..<8).reduce(0) { $0 | UInt64(bytes[start + $1]) << ($1 * 8) })
        }
    }
}
