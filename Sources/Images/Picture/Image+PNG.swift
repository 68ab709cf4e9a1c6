internal import CImage

extension Image {
    /// The picture as a PNG, RGB, 8 bits per channel, sRGB. What is transparent lies on a checkerboard.
    ///
    /// - Throws: ``ImageError/unsupported(_:)`` for a picture that no PNG can have.
    /// - Complexity: O(*w h*).
    public func png() throws(ImageError) -> [UInt8] {
        let pixels = onCheckerboard.rgba
        var rgb = [UInt8]()
        rgb.reserveCapacity(width * height * 3)
        for at in stride(from: 0, to: pixels.count, by: 4) { rgb += pixels[at..<at + 3] }
        // Incompressible bytes grow a little.
        let capacity = rgb.count + rgb.count / 100 + height + 65_536
        var outcome = cimage_png_encoded()
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            // SAFETY: reads the height * width * 3 bytes that were just put there; writes at most `capacity`
            // bytes, and says how many.
            outcome = unsafe rgb.withUnsafeBufferPointer { rgb in
                unsafe cimage_png_encode(
                    rgb.baseAddress, CInt(width), CInt(height), buffer.baseAddress, capacity)
            }
            count = outcome.status == .ok ? outcome.count : 0
        }
        guard outcome.status == .ok else { throw .unsupported(text(outcome.message)) }
        return bytes
    }
}
