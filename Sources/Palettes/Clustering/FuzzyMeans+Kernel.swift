// The hot loop, alone in its file.

internal import CLanes

extension FuzzyMeans {
    /// Sums up the points for each center, by their shares of it.
    ///
    /// Of a point and the centers' inverse squared distances v, with S the sum of their squares (of their
    /// fourth powers, where edges are sharp): the share of a center is v^2 / S (v^4 / S), it counts by
    /// share^1.5 = v^3 / S^1.5 (share^1.25 = v^5 / S^1.25), and the point adds its weight / S^0.5 (S^0.25) to
    /// the error. Eight points go through together; every lane keeps its own sums to the end, so the answer
    /// does not depend on the processor's width.
    ///
    /// - Parameters:
    ///   - centers: 1...``PaletteSize/limit``.
    ///   - points: padding weighs nothing.
    /// - Returns: (Σwx, Σwy, Σwz, Σw) of each center, and the error.
    /// - Complexity: O(*n k*), a division for every eight points and center.
    @inline(never)
    static func pass(
        _ centers: [SIMD4<Float>], over points: ColorPoints, _ edges: Edges = .soft
    ) -> (sums: [SIMD4<Double>], error: Double) {
        edges == .sharp
            ? pass(centers, over: points, isSharp: true) : pass(centers, over: points, isSharp: false)
    }

    @inline(__always)
    private static func pass(
        _ centers: [SIMD4<Float>], over points: ColorPoints, isSharp: Bool
    ) -> (sums: [SIMD4<Double>], error: Double) {
        let zero = SIMD8<Float>.zero, count = centers.count
        // Per center: its inverse squared distance, and four sums.
        return unsafe withUnsafeTemporaryAllocation(of: SIMD8<Float>.self, capacity: 5 * count) { inverse in
            unsafe inverse.initialize(repeating: zero)
            let sums = unsafe UnsafeMutableBufferPointer(rebasing: inverse[count...])
            var error = zero
            for block in 0..<points.blockCount {
                let x = points.x[block], y = points.y[block], z = points.z[block]
                let weight = points.weights[block]
                var squares = zero
                for index in 0..<count {
                    // A point on a center: as if a thousandth away, some twentieth of what can be seen.
                    let center = centers[index]
                    let near = lanes_inverse_squares(x, y, z, center.x, center.y, center.z, 1e-6)
                    unsafe inverse[index] = near
                    let square = near * near
                    squares += isSharp ? square * square : square
                }
                var root = lanes_square_roots(squares)
                if isSharp { root = lanes_square_roots(root) }
                let scale = weight / (squares * root)
                error += weight / root
                for index in 0..<count {
                    let near = unsafe inverse[index], square = near * near
                    let share = (isSharp ? square * square * near : square * near) * scale
                    unsafe sums[4 &* index] += share * x
                    unsafe sums[4 &* index &+ 1] += share * y
                    unsafe sums[4 &* index &+ 2] += share * z
                    unsafe sums[4 &* index &+ 3] += share
                }
            }
            let totals = (0..<count).map { index in
                unsafe total(sums[4 * index], sums[4 * index + 1], sums[4 * index + 2], sums[4 * index + 3])
            }
            return (totals, total(error, zero, zero, zero).x)
        }
    }

    /// Four sums over the lanes, from the first to the last. Without labels, as the initializer of `SIMD4`.
    private static func total(
        _ x: SIMD8<Float>, _ y: SIMD8<Float>, _ z: SIMD8<Float>, _ w: SIMD8<Float>
    ) -> SIMD4<Double> {
        var sum = SIMD4<Double>.zero
        for lane in 0..<8 {
            sum += SIMD4(Double(x[lane]), Double(y[lane]), Double(z[lane]), Double(w[lane]))
        }
        return sum
    }
}
