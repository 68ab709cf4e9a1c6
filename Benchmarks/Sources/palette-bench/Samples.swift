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

    /// As many pixels as a decoder hands over for a large photo, from all over it.
    static func decoderSample(of picture: PPM) -> PixelSample {
        let count = picture.width * picture.height, step = max(1, count / 65_536)
        var some: [UInt8] = []
        // Beginning elsewhere in each row, as the decoder does.
        for row in 0..<picture.height {
            for column in stride(from: row * 7_919 % step, to: picture.width, by: step) {
                let at = (row * picture.width + column) * 3
                some += [picture.pixels[at], picture.pixels[at + 1], picture.pixels[at + 2], 255]
            }
        }
        return PixelSample(rgba: some)
    }
}
