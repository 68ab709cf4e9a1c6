import Foundation
import ManagedObjects
import Palettes

/// Three bytes a color: red, green, blue; the largest share first.
///
/// Where colors have Display P3 values these follow, four bytes each: index, red, green, blue; then a 0 if
/// the whole would else be a multiple of three bytes, how many they are, and "P3".
///
/// Where colors were not to count, the last are: a 0 if the whole would else be a multiple of three bytes;
/// what was ignored, a bit each from the lowest: white, black, gray, border, and whether there is a
/// background; the background's red, green, blue; how many zeros stand in front, and "IG". Earlier versions
/// take what follows the colors for more of them, and leave them out as they have no shares.
enum ColorsTransformer: ValueTransforming {
    static var placeholder: MoodColors { [] }

    private static let mark = Array("P3".utf8), leftOutMark = Array("IG".utf8)
    private static let ignorable: [PaletteIgnore] = [.white, .black, .grey, .border]

    static func encode(_ colors: MoodColors) -> Data {
        var bytes = colors.flatMap { [$0.red, $0.green, $0.blue] }
        let wide = colors.wide.sorted { $0.key < $1.key }.filter { $0.key < 256 }
        if !wide.isEmpty {
            for (index, color) in wide { bytes += [UInt8(index), color.red, color.green, color.blue] }
            if bytes.count % 3 == 0 { bytes.append(0) }
            bytes += [UInt8(wide.count)] + mark
        }
        if !colors.leftOut.isEmpty { bytes += encoded(colors.leftOut, behind: bytes.count) }
        return Data(bytes)
    }

    private static func encoded(_ leftOut: LeftOutColors, behind count: Int) -> [UInt8] {
        // Seven bytes more, one more than a multiple of three.
        let zeros = count % 3 == 2 ? 1 : 0
        var bits: UInt8 = leftOut.background == nil ? 0 : 16
        for (bit, kind) in ignorable.enumerated() where leftOut.ignore.contains(kind) { bits |= 1 << bit }
        let background = leftOut.background ?? .black
        return Array(repeating: 0, count: zeros)
            + [bits, background.red, background.green, background.blue, UInt8(zeros)] + leftOutMark
    }

    /// Takes what stands behind the colors off their end.
    private static func consumeLeftOut(_ bytes: inout [UInt8]) -> LeftOutColors {
        guard bytes.count % 3 != 0, bytes.count >= 7, bytes.suffix(2) == leftOutMark[...] else {
            return LeftOutColors()
        }
        let tail = Array(bytes.suffix(7))
        bytes.removeLast(min(7 + Int(tail[4]), bytes.count))
        let ignored = ignorable.enumerated().filter { tail[0] & 1 << $0.offset != 0 }.map(\.element)
        let background = RGB(red: tail[1], green: tail[2], blue: tail[3])
        return LeftOutColors(ignore: Set(ignored), background: tail[0] & 16 != 0 ? background : nil)
    }

    /// Bytes after the last whole color are left out.
    static func decode(_ data: Data) -> MoodColors {
        var bytes = [UInt8](data)
        let leftOut = consumeLeftOut(&bytes)
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
        return MoodColors(
            colors, displayP3: wide.filter { $0.key < colors.count }, leavingOut: leftOut)
    }

    /// Behind the last color.
    private static func startOfWide(_ bytes: [UInt8]) -> Int? {
        guard bytes.count > 3 else { return nil }
        let start = bytes.count - 3 - 4 * Int(bytes[bytes.count - 3])
        return start < 0 || start % 3 == 2 ? nil : start - start % 3
    }
}

/// Eight bytes a share, little-endian IEEE 754: as many as there are colors, in their order.
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
