extension Image {
    /// The picture as JPEG and PNG show it: nothing lets anything through.
    public var opaque: Image { onCheckerboard }

    /// The picture over a checkerboard of white and light gray, by which people know what is transparent;
    /// itself when nothing is.
    ///
    /// The squares are a fortieth of the long side, so that the same picture in another size has the same
    /// ones; colors are mixed as they are stored, as browsers do it.
    ///
    /// - Complexity: O(*w h*).
    var onCheckerboard: Image {
        if isOpaque { return self }
        let square = max(1, longSide / 40)
        var pixels = rgba
        for y in 0..<height {
            for x in 0..<width {
                let at = (y * width + x) * 4, alpha = Int(rgba[at + 3])
                if alpha == 255 { continue }
                let ground = (x / square + y / square) % 2 == 0 ? 255 : 204
                for channel in at..<at + 3 {
                    let mixed = Int(rgba[channel]) * alpha + ground * (255 - alpha)
                    pixels[channel] = UInt8((mixed + 127) / 255)
                }
                pixels[at + 3] = 255
            }
        }
        return Image(checkedWidth: width, height: height, rgba: pixels)
    }
}
