internal import CImage

extension Image {
    /// The picture as a baseline JPEG, tagged as sRGB with an ICC profile. What is transparent lies
    /// on a checkerboard: the format has no alpha.
    ///
    /// - Parameter quality: 1...100 on libjpeg's scale; a number outside counts as the nearest one inside.
    /// - Returns: the bytes of a file.
    /// - Throws: ``ImageError/unsupported(_:)`` for a side over 65,500 pixels, which a JPEG cannot have.
    /// - Complexity: O(*w h*).
    public func jpeg(quality: Int) throws(ImageError) -> [UInt8] {
        guard width <= 65_500, height <= 65_500 else {
            throw .unsupported("a JPEG of \(width)x\(height)")
        }
        let profile = SRGBProfile.bytes
        let pixels = onCheckerboard.rgba
        let capacity = width * height * 4 + 65_536
        var outcome = cimage_jpeg_encoded()
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            // SAFETY: reads height * width * 4 bytes, which `Image` guarantees, and `profile`; writes at most
            // `capacity` and says how many.
            outcome = unsafe pixels.withUnsafeBufferPointer { pixels in
                unsafe profile.withUnsafeBufferPointer { profile in
                    unsafe cimage_jpeg_encode(
                        pixels.baseAddress, CInt(width), CInt(height), CInt(min(max(quality, 1), 100)),
                        profile.baseAddress, profile.count, buffer.baseAddress, capacity)
                }
            }
            count = outcome.status == .ok ? outcome.count : 0
        }
        guard outcome.status == .ok else { throw .unsupported(text(outcome.message)) }
        return bytes
    }
}
