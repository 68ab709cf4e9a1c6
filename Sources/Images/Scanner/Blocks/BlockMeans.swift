/// The means of a picture's blocks of pixels, component by component.
struct BlockMeans {
    /// Blocks of pixels, across and down.
    let width: Int, height: Int
    private let first: Component, second: Component, third: Component

    private struct Component {
        let plane: DCPlane
        /// The quantisation step.
        let step: Int
        /// Columns and rows to one of the plane's.
        let wide: Int, tall: Int
    }

    init(_ picture: DCPicture, _ shares: [PatchShare]) {
        (width, height) = ((picture.frame.width + 7) / 8, (picture.frame.height + 7) / 8)
        let components = shares.indices.map { index in
            Component(
                plane: picture.planes[index], step: Int(picture.steps[index][0]), wide: shares[index].wide,
                tall: shares[index].tall)
        }
        // All three are equal in a gray picture.
        first = components[0]
        second = components.count == 3 ? components[1] : first
        third = components.count == 3 ? components[2] : first
    }

    /// Returns the means of a block of pixels, times 8.
    func mean(x: Int, y: Int) -> SIMD4<Int32> {
        func value(_ component: Component) -> Int32 {
            let index = y / component.tall * component.plane.columns + x / component.wide
            return Int32(truncatingIfNeeded: Int(component.plane.values[index]) &* component.step)
        }
        return SIMD4(value(first), value(second), value(third), 0)
    }

    /// Computes the means of a row of blocks of pixels, times 8.
    ///
    /// - Parameter means: `width` of them; the fourth numbers stay.
    func read(row y: Int, into means: inout [SIMD4<Int32>]) {
        var output = means.mutableSpan
        for (lane, component) in [first, second, third].enumerated() {
            let start = y / component.tall * component.plane.columns
            let values = component.plane.values.span.extracting(start..<start + component.plane.columns)
            var x = 0
            for value in values.indices {
                let mean = Int32(truncatingIfNeeded: Int(values[value]) &* component.step)
                for _ in 0..<component.wide where x < output.count {
                    output[x][lane] = mean
                    x += 1
                }
            }
        }
    }
}
