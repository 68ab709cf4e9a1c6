internal import CImage

extension ColorSource {
    /// Turns pixels into sRGB R G B A, picture and sample with one transform. A profile that cannot be used
    /// is noted and the pixels count as sRGB, or as plain inks.
    ///
    /// - Returns: a sample of the pixels, as sRGB and as Display P3, where the profile is wider than sRGB.
    /// - Complexity: O(pixels); nothing but a probe when the profile says sRGB.
    func convert(_ image: inout [UInt8], _ sample: inout [UInt8], layout: PixelLayout, notes: inout [String])
        -> WideSample?
    {
        let verdict = verdict(layout)
        switch verdict {
        case .nothingToDo: break
        case .useless(let why): notes.append("colour profile ignored: \(why)")
        case .useful, .wide:
            let wide = verdict == .wide ? wideSample(image, layout) : nil
            _ = transform(&image, &sample, layout: layout)
            if layout.isCMYK {
                image.makeOpaque()
                sample.makeOpaque()
            }
            return wide
        }
        if case .cmyk(let inverted) = layout {
            image.mixInks(inverted: inverted)
            sample.mixInks(inverted: inverted)
        }
        return nil
    }

    /// Every so many-th pixel twice.
    private func wideSample(_ image: [UInt8], _ layout: PixelLayout) -> WideSample {
        let step = max(1, image.count / 4 / WideSample.limit)
        var srgb: [UInt8] = [], nothing: [UInt8] = []
        for at in stride(from: 0, to: image.count - 3, by: step * 4) { srgb += image[at..<at + 4] }
        var displayP3 = srgb
        _ = transform(&srgb, &nothing, layout: layout)
        _ = transform(&displayP3, &nothing, layout: layout, to: .display_p3)
        if layout.isCMYK { srgb.makeOpaque() }
        return WideSample(srgb: srgb, displayP3: displayP3)
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
            guard layout.isCMYK || isChanged else { return .nothingToDo }
            var wide = original
            let isRead = transform(&wide, &nothing, layout: layout, to: .display_p3).status == .ok
            return isRead && wide.hasMoreThanSRGB ? .wide : .useful
        }
    }

    private func transform(
        _ image: inout [UInt8], _ sample: inout [UInt8], layout: PixelLayout, to target: cimage_target = .srgb
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
                                profile.baseAddress, profile.count, layout.cimage, target,
                                jobs.baseAddress, jobs.count)
                        }
                    case .primaries(let primaries, let exponent):
                        return unsafe primaries.withUnsafeBufferPointer { primaries in
                            unsafe cimage_color_from_primaries(
                                primaries.baseAddress, exponent ?? 0, target, jobs.baseAddress, jobs.count)
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
        case .cmyk:
            // One mix, and each ink alone at its strongest.
            return [64, 128, 192, 32, 255, 0, 0, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 255, 255, 255]
        }
    }
}

extension [UInt8] {
    /// Display P3 pixels, some of which sRGB does not have: a channel of linear sRGB light lies below 0 or
    /// above 1 by more than rounding.
    fileprivate var hasMoreThanSRGB: Bool {
        let table = SRGBCurve.light
        return stride(from: 0, to: count, by: 4).contains { at in
            let r = table[Int(self[at])], g = table[Int(self[at + 1])], b = table[Int(self[at + 2])]
            // SMPTE EG 432-1 to IEC 61966-2-1, both D65.
            let light = [
                1.2249401 * r - 0.2249404 * g, -0.0420569 * r + 1.0420571 * g,
                -0.0196376 * r - 0.0786361 * g + 1.0982735 * b,
            ]
            return light.contains { $0 < -0.002 || $0 > 1.02 }
        }
    }

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
