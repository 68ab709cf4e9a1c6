internal import CImage

/// How pixels of one color space become those of another. Any thread may use it, several at once.
@safe final class ColorTransform: @unchecked Sendable {
    // SAFETY: lcms only reads it while it is applied, and it is freed with the last reference.
    private let transform: OpaquePointer

    enum Target {
        case srgb, displayP3
    }

    /// Why there is no transform: lcms's words.
    struct Refusal: Error {
        let reason: String
    }

    /// Creates a transform from a profile or primaries to sRGB or Display P3.
    ///
    /// - Throws: a refusal for what is no profile, or one for other pixels.
    /// - Complexity: some 2 ms: the photos of a folder share a few, see ``ColorConversions``.
    init(
        from source: ColorSource, _ layout: PixelLayout, to target: Target = .srgb
    ) throws(Refusal) {
        let target: cimage_target = target == .srgb ? .srgb : .display_p3
        let result =
            switch source {
            case .srgb: unsafe cimage_color_result()
            case .profile(let profile):
                // SAFETY: the bytes are only read, and lcms keeps no pointer to them.
                unsafe profile.withUnsafeBufferPointer {
                    unsafe cimage_transform_from_profile($0.baseAddress, $0.count, layout.cimage, target)
                }
            case .primaries(let primaries, let exponent):
                // SAFETY: eight numbers, only read.
                unsafe primaries.withUnsafeBufferPointer {
                    unsafe cimage_transform_from_primaries($0.baseAddress, exponent ?? 0, target)
                }
            }
        guard let made = unsafe result.transform else { throw Refusal(reason: text(unsafe result.message)) }
        unsafe transform = made
    }

    deinit { unsafe cimage_transform_free(transform) }

    /// Converts pixels, four bytes each, where they lie.
    func apply(to pixels: inout [UInt8]) {
        // SAFETY: an array's own bytes, four a pixel.
        unsafe pixels.withUnsafeMutableBufferPointer {
            unsafe cimage_transform_apply(transform, $0.baseAddress, $0.count / 4)
        }
    }
}

extension PixelLayout {
    fileprivate var cimage: cimage_layout {
        switch self {
        case .rgba: .rgba
        case .gray: .gray
        case .cmyk(let inverted): inverted ? .cmyk_inverted : .cmyk
        }
    }
}
