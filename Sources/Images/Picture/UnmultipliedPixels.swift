extension [UInt8] {
    /// R G B A with the color divided by alpha.
    var unmultiplied: [UInt8] {
        var pixels = self
        for at in stride(from: 0, to: count - 3, by: 4) {
            let alpha = Int(self[at + 3])
            guard alpha > 0, alpha < 255 else { continue }
            for channel in at..<at + 3 {
                pixels[channel] = UInt8(Swift.min(255, (Int(self[channel]) * 255 + alpha / 2) / alpha))
            }
        }
        return pixels
    }
}
