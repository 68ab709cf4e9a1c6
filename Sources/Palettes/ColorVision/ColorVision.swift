import CTables

/// Which of the three kinds of cones somebody sees with differently, and how colors look then.
///
/// - Source: Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision
///   deficiency", 2009: matrices on linear light for severities in tenths; linear between them.
public enum ColorVision: String, CaseIterable, Sendable {
    /// The usual three kinds of cones.
    case normal
    /// Differences of the cones for long, middle, and short waves: the first two mix up red and green.
    case protan, deutan, tritan

    /// A color as it looks to somebody with a deficiency.
    ///
    /// - Parameter severity: 0...1; 0 is normal vision, 1 a kind of cones that is missing.
    public func seen(_ color: RGB, severity: Double) -> Lab {
        let light = color.linear
        guard let matrices = Self.matrices[self], severity > 0 else { return Lab(linear: light) }
        let tenths = min(severity, 1) * 10
        let lower = min(9, Int(tenths))
        let part = tenths - Double(lower)
        let first = Self.product(matrices[lower], light)
        let second = Self.product(matrices[lower + 1], light)
        return Lab(linear: (first + (second - first) * part).clamped(lowerBound: .zero, upperBound: .one))
    }

    private static func product(_ rows: [SIMD4<Double>], _ light: SIMD4<Double>) -> SIMD4<Double> {
        SIMD4((rows[0] * light).sum(), (rows[1] * light).sum(), (rows[2] * light).sum(), 0)
    }

    /// The three rows of the matrices of each severity, 0 to 10 tenths.
    private static let matrices: [ColorVision: [[SIMD4<Double>]]] = {
        // SAFETY: a table has that many bytes, and stays.
        let table = unsafe moody_color_vision()
        let bytes = unsafe UnsafeBufferPointer(start: table.bytes, count: table.count)
        var matrices: [ColorVision: [[SIMD4<Double>]]] = [:]
        for line in unsafe String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let cells = line.split(separator: "\t")
            guard let vision = ColorVision(rawValue: String(cells[0])) else { continue }
            let numbers = cells.dropFirst(2).compactMap { Double($0) }
            let rows = stride(from: 0, to: 9, by: 3).map {
                SIMD4(numbers[$0], numbers[$0 + 1], numbers[$0 + 2], 0)
            }
            matrices[vision, default: []].append(rows)
        }
        return matrices
    }()
}
