internal import CImage

extension ColorSource {
    /// Turns pixels into sRGB R G B A, picture and sample with one transform. A profile that cannot be used
    /// is noted and the pixels count as sRGB, or as plain inks.
    ///
    /// - Complexity: O(pixels); nothing but a probe when the profile says sRGB.
    func convert(_ image: inout [UInt8], _ sample: inout [UInt8], layout: PixelLayout, notes: inout [String])
    {
        switch verdict(layout) {
        case .nothingToDo: break
        case .useless(let why): notes.append("colour profile ignored: \(why)")
        case .useful:
            _ = transform(&image, &sample, layout: layout)
            if layout.isCMYK {
                image.makeOpaque()
                sample.makeOpaque()
            }
            return
        }
        if case .cmyk(let inverted) = layout {
            image.mixInks(inverted: inverted)
            sample.mixInks(inverted: inverted)
        }
    }

    /// What became of a probe. Most profiles say sRGB: it comes back as it went in.
    private func verdict(_ layout: PixelLayout) -> ProfileVerdicts.Verdict {
        guard self != .srgb else { return .nothingToDo }
        return ProfileVerdicts.shared.verdict(on: self, layout) {
            let original = layout.probe
            var probe = original, nothing: [UInt8] = []
            let trial = transform(&probe, &nothing, layout: layout)
            if trial.status != .ok { return .useless(text(trial.message)) }
            let isChanged = zip(original, probe).contains { abs(Int($0) - Int($1)) > 1 }
            return layout.isCMYK || isChanged ? .useful : .nothingToDo
        }
    }

    private func transform(
        _ image: inout [UInt8], _ sample: inout [UInt8], layout: PixelLayout
    ) -> cimage_color_result {
        // SAFETY: each job is an array's own bytes, four a pixel; the profile's bytes and the eight numbers
        // of the primaries are only read; lcms keeps none of the pointers.
        unsafe image.withUnsafeMutableBufferPointer { image in
            unsafe sample.withUnsafeMutableBufferPointer { sample in
                let jobs = unsafe [
                    cimage_color_job(pixels: image.baseAddress, count: image.count / 4),
                    cimage_color_job(pixels: sample.baseAddress, count: sample.count / 4),
                ]
                return unsafe jobs.withUnsafeBufferPointer { jobs in
                    switch self {
                    case .srgb: return cimage_color_result()
                    case .profile(let profile):
                        return unsafe profile.withUnsafeBufferPointer { profile in
                            unsafe cimage_color_from_profile(
                                profile.baseAddress, profile.count, layout.cimage, jobs.baseAddress,
                                jobs.count)
                        }
                    case .primaries(let primaries, let exponent):
                        return unsafe primaries.withUnsafeBufferPointer { primaries in
                            unsafe cimage_color_from_primaries(
                                primaries.baseAddress, exponent ?? 0, jobs.baseAddress, jobs.count)
                        }
                    }
                }
            }
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

    fileprivate var isCMYK: Bool {
        if case .cmyk = self { true } else { false }
    }

    /// Pixels all over the layout's space: 6 x 6 x 6 colours, 52 greys, or one mix of inks.
    fileprivate var probe: [UInt8] {
        switch self {
        case .rgba:
            return (0..<216).flatMap { (index: Int) -> [UInt8] in
                [UInt8(index / 36 * 51), UInt8(index / 6 % 6 * 51), UInt8(index % 6 * 51), 255]
            }
        case .gray:
            return (0..<52).flatMap { (index: Int) -> [UInt8] in
                [UInt8(index * 5), UInt8(index * 5), UInt8(index * 5), 255]
            }
        case .cmyk: return [64, 128, 192, 32]
        }
    }
}

extension [UInt8] {
    /// Without a profile, inks filter light one after the other.
    fileprivate mutating func mixInks(inverted: Bool) {
        for at in stride(from: 0, to: count, by: 4) {
            let black = Int(inverted ? self[at + 3] : 255 - self[at + 3])
            for channel in at..<at + 3 {
                let ink = Int(inverted ? self[channel] : 255 - self[channel])
                self[channel] = UInt8((ink * black + 127) / 255)
            }
            self[at + 3] = 255
        }
    }

    fileprivate mutating func makeOpaque() {
        for at in stride(from: 3, to: count, by: 4) { self[at] = 255 }
    }
}
