extension Lab {
    /// The CIEDE2000 color difference: about 1 is just visible side by side, 2.3 is noticed, 10 is another
    /// shade, black and white are 100 apart. Symmetric; 0 only for equal colors.
    ///
    /// - Source: Sharma, Wu and Dalal, "The CIEDE2000 color-difference formula: implementation notes", 2005.
    ///   Hues are kept as directions, not as angles: the mean hue is the sum of two unit vectors, its
    ///   multiples come from the addition theorems, and the notes' cases for angles that wrap disappear. Only
    ///   opposite hues need a rule, and there a tolerance decides, not the last bit of an arc tangent.
    public func difference(to other: Lab) -> Double {
        let meanChroma =
            ((a * a + b * b).squareRoot() + (other.a * other.a + other.b * other.b).squareRoot()) / 2
        let stretch = 1 + 0.5 * (1 - chromaShare(meanChroma))
        let first = Hue(x: a * stretch, y: b), second = Hue(x: other.a * stretch, y: other.b)

        let lightnessStep = other.lightness - lightness
        let chromaStep = second.length - first.length
        let (hue, halfSine) = Hue.between(first, second)
        let hueStep = 2 * (first.length * second.length).squareRoot() * halfSine

        let level = (lightness + other.lightness) / 2 - 50
        let chroma = (first.length + second.length) / 2
        let lightnessScale = 1 + 0.015 * level * level / (20 + level * level).squareRoot()
        let chromaScale = 1 + 0.045 * chroma
        let hueScale = 1 + 0.015 * chroma * hue.unevenness
        let turn = -sine(hue.blueness) * 2 * chromaShare(chroma)

        let l = lightnessStep / lightnessScale, c = chromaStep / chromaScale, h = hueStep / hueScale
        return max(0, l * l + c * c + h * h + turn * c * h).squareRoot()
    }
}

/// sqrt(C^7 / (C^7 + 25^7)): 0 for grays, almost 1 for strong colors.
private func chromaShare(_ chroma: Double) -> Double {
    let cube = chroma * chroma * chroma
    let seventh = cube * cube * chroma
    return (seventh / (seventh + 6_103_515_625)).squareRoot()
}

/// A hue as a direction (cos, sin) of length 1, with the chroma it was taken from; (1, 0) for grays.
private struct Hue {
    var x: Double, y: Double, length: Double

    init(x: Double, y: Double) {
        length = (x * x + y * y).squareRoot()
        self.x = length > 0 ? x / length : 1
        self.y = length > 0 ? y / length : 0
    }

    /// The hue half-way along the shorter arc, and the sine of half the angle from `first` to `second`,
    /// signed. A gray has no hue: the other's is taken and the angle is 0.
    static func between(_ first: Hue, _ second: Hue) -> (Hue, halfSine: Double) {
        if first.length == 0 { return (second, 0) }
        if second.length == 0 { return (first, 0) }
        let gap = ((first.x - second.x) * (first.x - second.x) + (first.y - second.y) * (first.y - second.y))
            .squareRoot()
        let sumX = first.x + second.x, sumY = first.y + second.y
        if sumX * sumX + sumY * sumY < 1e-18 {
            // Opposite hues: the notes average the angles 0..<360 as they stand, which is a quarter turn on
            // from the one in the upper half.
            let firstIsUpper = first.y > 0 || (first.y == 0 && first.x > 0)
            let upper = firstIsUpper ? first : second
            return (Hue(x: -upper.y, y: upper.x), firstIsUpper ? 1 : -1)
        }
        let counterclockwise = first.x * second.y - first.y * second.x >= 0
        return (Hue(x: sumX, y: sumY), counterclockwise ? gap / 2 : -gap / 2)
    }

    /// T in the notes: 1 - 0.17 cos(h - 30) + 0.24 cos 2h + 0.32 cos(3h + 6) - 0.20 cos(4h - 63).
    var unevenness: Double {
        let x2 = x * x - y * y, y2 = 2 * x * y
        let x3 = x2 * x - y2 * y, y3 = y2 * x + x2 * y
        let x4 = x2 * x2 - y2 * y2, y4 = 2 * x2 * y2
        return 1 - 0.17 * (0.8660254037844386 * x + 0.5 * y) + 0.24 * x2
            + 0.32 * (0.9945218953682733 * x3 - 0.10452846326765347 * y3)
            - 0.20 * (0.45399049973954675 * x4 + 0.8910065241883678 * y4)
    }

    /// 2 * 30 degrees * exp(-((h - 275) / 25)^2) in radians: felt only among the blues.
    var blueness: Double {
        let offset = (degrees(x: x, y: y) - 275) / 25
        return 1.0471975511965976 * exponentialDecay(offset * offset)
    }
}
