extension Lab {
    /// How different two colors look, also beyond the range in which CIEDE2000 holds.
    ///
    /// Its difference up to 5; from there on more and more HyAB's, scaled so that both agree for differences
    /// of about 10 between colors of middling chroma, and from 10 on the larger of the two. Never less than
    /// CIEDE2000, which takes a gray for near to a strong color whose hue is opposite.
    ///
    /// - Source: Abasi, Amani Tehran and Fairchild, "Distance metrics for very large color differences",
    ///   2020, for HyAB.
    public func distance(to other: Lab) -> Double {
        let near = snapped.difference(to: other.snapped)
        return near <= 5 ? near : Self.distance(near, hyab(to: other))
    }

    /// - Parameters:
    ///   - near: CIEDE2000.
    ///   - hyab: the other difference. The result grows with either.
    static func distance(_ near: Double, _ hyab: Double) -> Double {
        let far = hyabScale * hyab
        return near <= 5 || far <= near ? near : near + (far - near) * min(1, (near - 5) / 5)
    }

    private static let hyabScale = 0.3

    /// A gray without the traces of a hue that conversions leave, which CIEDE2000 would make much of.
    private var snapped: Lab { abs(a) < 1e-9 && abs(b) < 1e-9 ? Lab(lightness: lightness, a: 0, b: 0) : self }

    /// The city-block sum of the difference in lightness and of that in a and b.
    private func hyab(to other: Lab) -> Double {
        let a = a - other.a, b = b - other.b
        return abs(lightness - other.lightness) + (a * a + b * b).squareRoot()
    }
}
