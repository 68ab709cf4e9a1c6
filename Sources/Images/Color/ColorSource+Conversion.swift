extension ColorSource {
    /// Turns pixels into sRGB R G B A, picture and sample with one transform. A profile that cannot be used
    /// is noted and the pixels count as sRGB, or as plain inks.
    ///
    /// - Returns: a sample of the pixels, as sRGB and as Display P3, where the profile is wider than sRGB.
    /// - Complexity: O(pixels); nothing but a probe when the profile says sRGB.
    func convert(_ image: inout [UInt8], _ sample: inout [UInt8], layout: PixelLayout, notes: inout [String])
        -> WideSample?
    {
        switch conversion(layout) {
        case .nothingToDo: break
        case .useless(let why): notes.append("color profile ignored: \(why)")
        case .useful(let transform):
            apply(transform, to: &image, &sample, layout)
            return nil
        case .wide(let transform, let toDisplayP3):
            var displayP3 = image.spread(WideSample.limit)
            toDisplayP3.apply(to: &displayP3)
            if layout.isCMYK { displayP3.makeOpaque() }
            apply(transform, to: &image, &sample, layout)
            return WideSample(srgb: image.spread(WideSample.limit), displayP3: displayP3)
        }
        if case .cmyk(let inverted) = layout {
            image.mixInks(inverted: inverted)
            sample.mixInks(inverted: inverted)
        }
        return nil
    }

    private func apply(
        _ transform: ColorTransform, to image: inout [UInt8], _ sample: inout [UInt8], _ layout: PixelLayout
    ) {
        transform.apply(to: &image)
        transform.apply(to: &sample)
        if layout.isCMYK {
            image.makeOpaque()
            sample.makeOpaque()
        }
    }

    /// By a probe. Most profiles say sRGB: it comes back as it went in.
    private func conversion(_ layout: PixelLayout) -> ColorConversions.Conversion {
        guard self != .srgb else { return .nothingToDo }
        return ColorConversions.shared.conversion(of: self, layout) {
            let original = layout.probe, transform: ColorTransform
            do throws(ColorTransform.Refusal) {
                transform = try ColorTransform(from: self, layout)
            } catch { return .useless(error.reason) }
            var probe = original
            transform.apply(to: &probe)
            let isChanged = zip(original, probe).contains { abs(Int($0) - Int($1)) > 1 }
            guard layout.isCMYK || isChanged else { return .nothingToDo }
            guard let toDisplayP3 = try? ColorTransform(from: self, layout, to: .displayP3) else {
                return .useful(transform)
            }
            var wide = original
            toDisplayP3.apply(to: &wide)
            return wide.hasMoreThanSRGB ? .wide(transform, toDisplayP3: toDisplayP3) : .useful(transform)
        }
    }
}

extension PixelLayout {
    fileprivate var isCMYK: Bool {
        if case .cmyk = self { true } else { false }
    }

    /// Pixels all over the layout's space: 6 x 6 x 6 colors, 52 grays, or one mix of inks.
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
            // A mix, and each ink alone at its strongest.
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

    /// Every so many-th pixel, about `count` of them.
    fileprivate func spread(_ wanted: Int) -> [UInt8] {
        let step = Swift.max(1, count / 4 / wanted)
        var some: [UInt8] = []
        for at in stride(from: 0, to: count - 3, by: step * 4) { some += self[at..<at + 4] }
        return some
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
