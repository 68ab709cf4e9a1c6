/// A color by lightness, chroma, and hue of Oklab, to be moved along one of them.
struct LightnessChromaHue: Equatable {
    /// 0...1.
    var lightness: Double
    /// 0 for grays, up to about 0.32 inside sRGB.
    var chroma: Double
    /// Degrees, 0..<360.
    var hue: Double

    init(lightness: Double, chroma: Double, hue: Double) {
        self.lightness = lightness
        self.chroma = chroma
        self.hue = hue
    }

    init(_ color: RGB) {
        let oklab = Oklab(color)
        self.init(lightness: oklab.lightness, chroma: oklab.chroma, hue: oklab.hue)
    }

    /// The color of this lightness and hue whose chroma is the nearest that sRGB has.
    var color: RGB {
        let turn = direction(hue)
        func light(_ chroma: Double) -> SIMD4<Double> {
            Oklab(lightness: lightness, a: chroma * turn.cosine, b: chroma * turn.sine).linear
        }
        let wanted = light(chroma)
        if wanted.isInsideSRGB { return RGB(linear: wanted) }
        var inside = 0.0
        var outside = chroma
        for _ in 0..<16 {
            let middle = (inside + outside) / 2
            if light(middle).isInsideSRGB { inside = middle } else { outside = middle }
        }
        return RGB(linear: light(inside))
    }

    /// Moves the lightness toward `end`, 0 or 1, as little as `isEnough` needs, to a millionth.
    ///
    /// What `isEnough` of a lightness must hold of all that are nearer to `end`, and of `end` itself.
    func moved(toward end: Double, until isEnough: (RGB) -> Bool) -> LightnessChromaHue {
        if isEnough(color) { return self }
        var near = lightness
        var far = self
        far.lightness = end
        var middle = self
        for _ in 0..<20 {
            middle.lightness = (near + far.lightness) / 2
            if isEnough(middle.color) { far = middle } else { near = middle.lightness }
        }
        return far
    }

    /// Degrees from `center` to this hue along the shorter arc, -180..<180.
    func turn(from center: Double) -> Double {
        let turn = hue - center
        return turn >= 180 ? turn - 360 : turn < -180 ? turn + 360 : turn
    }
}

extension SIMD4<Double> {
    /// Linear light that needs no cutting: 0...1 but for what conversions lose.
    fileprivate var isInsideSRGB: Bool {
        let least = Swift.min(x, y, z)
        let most = Swift.max(x, y, z)
        return least >= -1e-6 && most <= 1 + 1e-6
    }
}
