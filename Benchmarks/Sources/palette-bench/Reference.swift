import Foundation

/// k-means as a textbook has it, on every pixel: seeded k-means++ starts, Lloyd's passes until the error stands
/// still, the best of all starts. Slow; shares no code with the room it is there to judge.
struct Reference {
    let colors: EveryColor
    private var random: UInt64

    init(_ colors: EveryColor, seed: UInt64) {
        self.colors = colors
        random = seed
    }

    mutating func best(_ count: Int, starts: Int) -> (error: Double, centers: [SIMD3<Float>]) {
        var found: [(error: Double, centers: [SIMD3<Float>])] = []
        for _ in 0..<starts {
            found.append(settle(plusPlus(count), until: 1e-5))
            found.sort { $0.error < $1.error }
            found = Array(found.prefix(5))
        }
        return found.map { settle($0.centers, until: 1e-8) }.min { $0.error < $1.error }!
    }

    private func settle(
        _ start: [SIMD3<Float>], until gain: Double
    ) -> (error: Double, centers: [SIMD3<Float>]) {
        var centers = start, last = Double.infinity
        var sums = [SIMD4<Double>](repeating: .zero, count: centers.count)
        for _ in 0..<300 {
            let error = colors.assign(centers, &sums)
            if error >= last * (1 - gain) { return (min(error, last), centers) }
            last = error
            for index in centers.indices where sums[index].w > 0 {
                let mean = sums[index] / sums[index].w
                centers[index] = SIMD3(Float(mean.x), Float(mean.y), Float(mean.z))
            }
        }
        return (colors.error(centers), centers)
    }

    private mutating func plusPlus(_ count: Int) -> [SIMD3<Float>] {
        var distance = [SIMD8<Float>](repeating: SIMD8(repeating: 1), count: colors.x.count)
        var centers: [SIMD3<Float>] = []
        while centers.count < count {
            var total = 0.0
            for block in distance.indices {
                let mass = distance[block] * colors.weight[block]
                for lane in 0..<8 { total += Double(mass[lane]) }
            }
            var target = fraction() * total, chosen = colors.count - 1
            search: for block in distance.indices {
                let mass = distance[block] * colors.weight[block]
                for lane in 0..<8 {
                    target -= Double(mass[lane])
                    if target < 0 {
                        chosen = min(block * 8 + lane, colors.count - 1)
                        break search
                    }
                }
            }
            let center = SIMD3<Float>(colors.point(chosen))
            for block in distance.indices {
                let dx = colors.x[block] - center.x, dy = colors.y[block] - center.y
                let dz = colors.z[block] - center.z
                let new = dx * dx + dy * dy + dz * dz
                distance[block] =
                    centers.isEmpty
                    ? new : new.replacing(with: distance[block], where: distance[block] .< new)
            }
            centers.append(center)
        }
        return centers
    }

    private mutating func fraction() -> Double {
        random &+= 0x9E37_79B9_7F4A_7C15
        var z = random
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((z ^ (z >> 31)) >> 11) / 9_007_199_254_740_992
    }
}

/// Prints a line for each picture and k that `known` lacks: name, k, error in millionths, starts.
func printReference(folder: String, starts: Int, known: Set<String>) throws {
    for path in try PPM.list(folder) {
        let name = String(path.split(separator: "/").last!.dropLast(4))
        let wanted = [5, 8].filter { !known.contains("\(name)\t\($0)") }
        if wanted.isEmpty { continue }
        let colors = EveryColor(try PPM(path: path))
        for count in wanted {
            var reference = Reference(colors, seed: 20_261_121)
            let (error, _) = reference.best(count, starts: starts)
            let line = "\(name)\t\(count)\t\(text(error * 1e6, 4))\t\(starts)\n"
            try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
        }
    }
}
