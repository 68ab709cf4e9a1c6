import Foundation
import Images

/// How a terminal takes pictures.
enum TerminalPicture {
    /// kitty's graphics protocol.
    case kitty
    /// DEC's, of the VT340 manual.
    case sixel

    /// The bytes that show a picture where the cursor is, and move the cursor below it.
    func text(_ image: Image) -> String {
        switch self {
        case .kitty: Self.kitty(image) + "\n"
        case .sixel: Self.sixel(image) + "\n"
        }
    }

    /// RGBA in base64, in the pieces of 4,096 that the protocol wants; no answer is asked for.
    static func kitty(_ image: Image) -> String {
        let data = Array(Data(image.rgba).base64EncodedString().utf8), piece = 4096
        var text = ""
        for start in stride(from: 0, to: data.count, by: piece) {
            let end = min(start + piece, data.count)
            let head = start == 0 ? "a=T,f=32,s=\(image.width),v=\(image.height),q=2," : ""
            let part = String(decoding: data[start..<end], as: UTF8.self)
            text += "\u{1B}_G\(head)m=\(end < data.count ? 1 : 0);\(part)\u{1B}\\"
        }
        return text
    }

    /// 216 colors, what each pixel lacks handed on to its neighbors (Floyd and Steinberg 1976); bands of
    /// six rows, each color of a band once, equal columns counted.
    static func sixel(_ image: Image) -> String {
        let (width, height) = (image.width, image.height), numbers = dithered(image)
        var text = "\u{1B}Pq\"1;1;\(width);\(height)"
        for number in Set(numbers).sorted() {
            let levels = [number / 36, number / 6 % 6, number % 6].map { "\($0 * 20)" }
            text += "#\(number);2;\(levels.joined(separator: ";"))"
        }
        for top in stride(from: 0, to: height, by: 6) {
            let rows = top..<min(top + 6, height)
            let used = Set(numbers[rows.lowerBound * width..<rows.upperBound * width]).sorted()
            for number in used {
                text += "#\(number)"
                var last: UInt8 = 0, times = 0
                for column in 0..<width {
                    var bits: UInt8 = 0
                    for row in rows where numbers[row * width + column] == number {
                        bits |= 1 << UInt8(row - top)
                    }
                    if bits != last { text += run(last, times) }
                    (last, times) = bits == last ? (bits, times + 1) : (bits, 1)
                }
                if last != 0 { text += run(last, times) }
                text += "$"
            }
            text += "-"
        }
        return text + "\u{1B}\\"
    }

    /// Six pixels are one letter from "?" on; more than three times the same with their number before them.
    private static func run(_ bits: UInt8, _ times: Int) -> String {
        let letter = String(UnicodeScalar(63 + bits))
        return times > 3 ? "!\(times)\(letter)" : String(repeating: letter, count: times)
    }

    /// The color of each pixel as an index into a cube of 6 x 6 x 6.
    private static func dithered(_ image: Image) -> [Int] {
        let width = image.width
        var numbers = [Int](repeating: 0, count: width * image.height)
        // The error passed on to the row below, with an extra pixel at both ends.
        var owed = [Int](repeating: 0, count: (width + 2) * 3)
        for row in 0..<image.height {
            var next = [Int](repeating: 0, count: owed.count), right = [0, 0, 0]
            for column in 0..<width {
                var number = 0
                for channel in 0..<3 {
                    let own = Int(image.rgba[(row * width + column) * 4 + channel]) * 16
                    let wanted = own + right[channel] + owed[(column + 1) * 3 + channel]
                    let level = min(5, max(0, (wanted + 408) / 816))
                    number = number * 6 + level
                    let rest = max(-2040, min(2040, wanted - level * 816))
                    right[channel] = rest * 7 / 16
                    next[column * 3 + channel] += rest * 3 / 16
                    next[(column + 1) * 3 + channel] += rest * 5 / 16
                    next[(column + 2) * 3 + channel] += rest / 16
                }
                numbers[row * width + column] = number
            }
            owed = next
        }
        return numbers
    }
}
