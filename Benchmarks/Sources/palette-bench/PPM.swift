import Foundation

/// A binary PPM (P6, 8 bits): how the pictures reach these programs, so that no decoder is measured with them.
struct PPM {
    let width: Int, height: Int
    /// Red, green, blue, row by row.
    let pixels: [UInt8]

    init(path: String) throws {
        let data = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        var numbers: [Int] = [], index = 2, value = -1
        while numbers.count < 3 {
            let byte = data[index]
            if (48...57).contains(byte) {
                value = max(value, 0) * 10 + Int(byte) - 48
            } else if value >= 0 {
                numbers.append(value)
                value = -1
            }
            index += 1
        }
        (width, height) = (numbers[0], numbers[1])
        pixels = Array(data[index..<(index + width * height * 3)])
    }

    /// The PPM files of a folder, by name.
    static func list(_ folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
            .filter { $0.hasSuffix(".ppm") }.sorted().map { folder + "/" + $0 }
    }
}
