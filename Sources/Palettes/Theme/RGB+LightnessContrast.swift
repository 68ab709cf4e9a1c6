extension RGB {
    /// Lightness contrast Lc of this color as text: above 0 for text darker than its ground, below 0 for
    /// lighter text, 0 for contrasts too small to be seen; at most about 108.
    ///
    /// A second measure beside ``contrast(with:)``, which overstates the contrast of two dark colors.
    ///
    /// - Source: the equation and the constants of APCA 0.0.98G-4g (Myndex/SAPC-APCA, "APCA in a Nutshell").
    public func lightnessContrast(on ground: RGB) -> Double {
        let text = perceivedLight
        let back = ground.perceivedLight
        if abs(back - text) < 0.0005 { return 0 }
        if back > text {
            let contrast = (power(back, 0.56) - power(text, 0.57)) * 1.14
            return contrast < 0.1 ? 0 : (contrast - 0.027) * 100
        }
        let contrast = (power(back, 0.65) - power(text, 0.62)) * 1.14
        return contrast > -0.1 ? 0 : (contrast + 0.027) * 100
    }

    /// The light of a screen, 0...1, with the glare that lifts what is nearly black.
    private var perceivedLight: Double {
        let light =
            0.2126729 * screenLight[Int(red)] + 0.7151522 * screenLight[Int(green)]
            + 0.0721750 * screenLight[Int(blue)]
        return light >= 0.022 ? light : light + power(0.022 - light, 1.414)
    }
}

/// The 2.4th power of each channel value, 0...1.
private let screenLight: [Double] = (0...255).map { power(Double($0) / 255, 2.4) }
