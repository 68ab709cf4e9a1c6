import Foundation
import Palettes

/// Every color of a picture with how often it occurs, in the space palettes are found in: Oklab with the color axes
/// taken twice and CIELAB's straight foot. Worked out with the C library's powers and roots, not with the room's
/// tables.
struct EveryColor {
    /// Structure of arrays; filled up to a multiple of 8 with weight 0.
    var x: [SIMD8<Float>] = [], y: [SIMD8<Float>] = [], z: [SIMD8<Float>] = [], weight: [SIMD8<Float>] = []
    let count: Int
    /// Pixels.
    let total: Double

    init(_ picture: PPM) {
        var counts = [UInt32](repeating: 0, count: 1 << 24)
        for index in stride(from: 0, to: picture.pixels.count, by: 3) {
            let code =
                Int(picture.pixels[index]) << 16 | Int(picture.pixels[index + 1]) << 8
                | Int(picture.pixels[index + 2])
            counts[code] += 1
        }
        let codes = counts.indices.filter { counts[$0] > 0 }
        count = codes.count
        total = Double(picture.width * picture.height)
        x = Array(repeating: .zero, count: (count + 7) / 8)
        y = x
        z = x
        weight = x
        for (index, code) in codes.enumerated() {
            let point = Self.point(red: code >> 16, green: code >> 8 & 255, blue: code & 255)
            x[index / 8][index % 8] = Float(point.x)
            y[index / 8][index % 8] = Float(point.y)
            z[index / 8][index % 8] = Float(point.z)
            weight[index / 8][index % 8] = Float(counts[code])
        }
    }

    static func point(red: Int, green: Int, blue: Int) -> SIMD3<Double> {
        let r = light[red], g = light[green], b = light[blue]
        return point(
            l: 0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b,
            m: 0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b,
            s: 0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
    }

    private static func footed(_ t: Double) -> Double {
        t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116
    }

    static func point(_ color: Oklab) -> SIMD3<Double> {
        let l = pow(color.lightness + 0.3963377774 * color.a + 0.2158037573 * color.b, 3)
        let m = pow(color.lightness - 0.1055613458 * color.a - 0.0638541728 * color.b, 3)
        let s = pow(color.lightness - 0.0894841775 * color.a - 1.2914855480 * color.b, 3)
        return point(l: l, m: m, s: s)
    }

    private static func point(l: Double, m: Double, s: Double) -> SIMD3<Double> {
        let l = footed(l), m = footed(m), s = footed(s)
        return SIMD3(
            0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            2 * (1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s),
            2 * (0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s))
    }

    private static let light: [Double] = (0..<256).map { value in
        let c = Double(value) / 255
        return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4)
    }

    func point(_ index: Int) -> SIMD3<Double> {
        SIMD3(
            Double(x[index / 8][index % 8]), Double(y[index / 8][index % 8]), Double(z[index / 8][index % 8]))
    }

    /// The mean squared distance of a pixel to the nearest center; the sum of what it assigns goes to `sums`.
    func assign(_ centers: [SIMD3<Float>], _ sums: inout [SIMD4<Double>]) -> Double {
        var error = 0.0
        for index in sums.indices { sums[index] = .zero }
        var partial = [SIMD4<Float>](repeating: .zero, count: centers.count)
        for start in stride(from: 0, to: x.count, by: 64) {
            var lost = SIMD8<Float>.zero
            for block in start..<min(start + 64, x.count) {
                let px = x[block], py = y[block], pz = z[block], w = weight[block]
                var nearest = SIMD8<Float>(repeating: .infinity), winner = SIMD8<Int32>.zero
                for index in 0..<centers.count {
                    let dx = px - centers[index].x, dy = py - centers[index].y, dz = pz - centers[index].z
                    let distance = dx * dx + dy * dy + dz * dz
                    let closer = distance .< nearest
                    nearest.replace(with: distance, where: closer)
                    winner.replace(with: Int32(truncatingIfNeeded: index), where: closer)
                }
                lost += nearest * w
                for lane in 0..<8 {
                    partial[Int(winner[lane])] += SIMD4(px[lane], py[lane], pz[lane], 1) * w[lane]
                }
            }
            for lane in 0..<8 { error += Double(lost[lane]) }
            for index in partial.indices {
                sums[index] += SIMD4<Double>(partial[index])
                partial[index] = .zero
            }
        }
        return error / total
    }

    func error(_ centers: [SIMD3<Float>]) -> Double {
        var sums = [SIMD4<Double>](repeating: .zero, count: centers.count)
        return assign(centers, &sums)
    }
}
