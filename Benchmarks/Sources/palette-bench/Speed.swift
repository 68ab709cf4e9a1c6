import Foundation
import Palettes

/// Median time of one palette on one core, from what the decoder hands over.
func printSpeed(folder: String) throws {
    var times: [String: [Double]] = [:]
    var workspace = PaletteWorkspace()
    for path in try PPM.list(folder) {
        let picture = try PPM(path: path)
        let samples = [PixelSample.decoderSample(of: picture)]
        for mode in PaletteMode.allCases {
            for count in [5, 8] {
                var options = PaletteOptions()
                options.size = .colors(count)
                options.mode = mode
                var colors = 0
                let runs = milliseconds(runs: 9) {
                    colors = Palette(samples, options: options, using: &workspace).entries.count
                }
                times["\(mode) k=\(count)", default: []].append(median(runs))
                precondition(colors > 0)
            }
        }
    }
    for (kind, values) in times.sorted(by: { $0.key < $1.key }) {
        print(
            "\(kind): \(values.count) pictures, median \(text(median(values), 3)) ms, "
                + "p90 \(text(quantile(values, 0.9), 3)), worst \(text(values.max()!, 3))")
    }
}
