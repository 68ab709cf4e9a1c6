extension RGB {
    /// The light this color gives, relative to white: 0...1.
    ///
    /// - Source: WCAG 2.2, "relative luminance". Its threshold of 0.03928 and the standard's of 0.04045 give
    ///   the same for every 8-bit value.
    public var luminance: Double {
        let light = linear
        return 0.2126 * light.x + 0.7152 * light.y + 0.0722 * light.z
    }

    /// The WCAG contrast ratio, 1 (the same luminance) to 21 (black and white); symmetric. Text wants at
    /// least 4.5, large text 3.
    public func contrast(with other: RGB) -> Double {
        let first = luminance, second = other.luminance
        return (max(first, second) + 0.05) / (min(first, second) + 0.05)
    }

    /// Black or white, whichever is easier to read on this color. One of them always has at least 4.5.
    public var textColor: RGB {
        contrast(with: .black) >= contrast(with: .white) ? .black : .white
    }
}
