import Foundation
import Palettes

/// Compares area palettes with the reference file: error on every pixel over the reference's error.
func printQuality(folder: String, reference: [String: Double], verbose: Bool) throws {
    var ratios: [String: [Double]] = [:]
    for path in try PPM.list(folder) {
        let name = String(path.split(separator: "/").last!.dropLast(4))
        guard reference["\(name)\t5"] != nil else { continue }
        let picture = try PPM(path: path)
        let colors = EveryColor(picture)
        let samples = [PixelSample(everyPixelOf: picture)]
        for count in [5, 8] {
            guard let best = reference["\(name)\t\(count)"] else { continue }
            var options = PaletteOptions()
            options.size = .colors(count)
            options.mode = .area
            let palette = Palette(samples, options: options)
            let exact = palette.entries.map { entry in
                SIMD3<Float>(EveryColor.point(entry.oklab))
            }
            let shown = palette.entries.map { entry in
                SIMD3<Float>(
                    EveryColor.point(
                        red: Int(entry.color.red), green: Int(entry.color.green),
                        blue: Int(entry.color.blue)))
            }
            let ratio = colors.error(exact) * 1e6 / best
            ratios["k=\(count)", default: []].append(ratio)
            ratios["k=\(count), as hex", default: []].append(colors.error(shown) * 1e6 / best)
            if verbose || palette.entries.count < count {
                print("\(name) k=\(count): \(text(ratio, 4)) \(palette.entries.count) colors")
            }
        }
    }
    for (kind, values) in ratios.sorted(by: { $0.key < $1.key }) {
        print(
            "\(kind): \(values.count) pictures, median \(text(median(values), 4)), "
                + "p90 \(text(quantile(values, 0.9), 4)), worst \(text(values.max()!, 4))")
    }
}
