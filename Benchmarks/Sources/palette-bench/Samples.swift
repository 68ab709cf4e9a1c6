import Palettes

extension PixelSample {
    /// Every pixel of a picture.
    init(everyPixelOf picture: PPM) {
        var rgba = [UInt8](repeating: 255, count: picture.width * picture.height * 4)
        for index in 0..<(picture.width * picture.height) {
            for channel in 0..<3 { rgba[index * 4 + channel] = picture.pixels[index * 3 + channel] }
        }
        self.init(rgba: rgba, width: picture.width)
    }

    /// What the decoder hands over for a JPEG: the mean of each 8 x 8 block, and every fourth pixel of some blocks.
    ///
    /// Of `blocks` blocks, at most, that is. Whole-number steps of the plastic number's powers (Roberts' R2
    ///   sequence) spread them evenly over the picture, the same everywhere.
    static func fastPath(of picture: PPM, blocks: Int = 3_125) -> [PixelSample] {
        let across = (picture.width + 7) / 8, down = (picture.height + 7) / 8
        let share = min(1, Double(blocks) / Double(across * down))
        let limit = UInt32(share * Double(UInt32.max))
        var means: [UInt8] = [], some: [UInt8] = []
        means.reserveCapacity(across * down * 4)
        for block in 0..<(across * down) {
            let left = block % across * 8, top = block / across * 8
            let place =
                UInt32(truncatingIfNeeded: block % across) &* 3_242_174_889
                &+ UInt32(truncatingIfNeeded: block / across) &* 2_447_445_414
            var sums = SIMD4<Int>.zero
            for row in top..<min(top + 8, picture.height) {
                for column in left..<min(left + 8, picture.width) {
                    let at = (row * picture.width + column) * 3
                    let (red, green, blue) = (
                        picture.pixels[at], picture.pixels[at + 1], picture.pixels[at + 2]
                    )
                    sums &+= SIMD4(Int(red), Int(green), Int(blue), 1)
                    if place <= limit && (row + 2 * column) & 3 == 0 { some += [red, green, blue, 255] }
                }
            }
            for channel in 0..<3 { means.append(UInt8((sums[channel] + sums.w / 2) / sums.w)) }
            means.append(255)
        }
        return [PixelSample(rgba: means, width: across), PixelSample(rgba: some, weight: 3)]
    }
}
