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

    /// What the decoder hands over for a JPEG: the mean of each 8 x 8 block, and some blocks in full.
    ///
    /// - Parameter budget: about how many pixels the blocks in full are to have.
    static func fastPath(of picture: PPM, budget: Int = 80_000) -> [PixelSample] {
        let across = (picture.width + 7) / 8, down = (picture.height + 7) / 8
        var means: [UInt8] = [], full: [UInt8] = []
        means.reserveCapacity(across * down * 4)
        let oneIn = max(1, across * down * 64 / budget)
        for block in 0..<(across * down) {
            let left = block % across * 8, top = block / across * 8
            // A fixed hash of the block's number chooses, so that the choice is the same everywhere.
            let isChosen = Int((UInt64(block) &* 0x9E37_79B9_7F4A_7C15) >> 40) % oneIn == 0
            var sums = SIMD4<Int>.zero
            for row in top..<min(top + 8, picture.height) {
                for column in left..<min(left + 8, picture.width) {
                    let at = (row * picture.width + column) * 3
                    let pixel = picture.pixels[at..<(at + 3)]
                    sums &+= SIMD4(Int(pixel[at]), Int(pixel[at + 1]), Int(pixel[at + 2]), 1)
                    if isChosen { full += [pixel[at], pixel[at + 1], pixel[at + 2], 255] }
                }
            }
            for channel in 0..<3 { means.append(UInt8((sums[channel] + sums.w / 2) / sums.w)) }
            means.append(255)
        }
        return [PixelSample(rgba: means, width: across), PixelSample(rgba: full)]
    }
}
