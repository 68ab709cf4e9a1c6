import Foundation
import Palettes

func options(_ count: Int, _ mode: PaletteMode) -> PaletteOptions {
    var options = PaletteOptions()
    options.size = .colors(count)
    options.mode = mode
    return options
}

/// Prints each picture's palette as score.py reads it: name, then the colors.
func printPalettes(folder: String, mode: PaletteMode, count: Int) throws {
    for path in try PPM.list(folder) {
        let palette = Palette(
            [PixelSample(everyPixelOf: try PPM(path: path))], options: options(count, mode))
        let name = path.split(separator: "/").last!.dropLast(4).split(separator: "__").last!
            .split(separator: ".")[0]
        print(([String(name)] + palette.entries.map(\.color.hex)).joined(separator: "\t"))
    }
}

/// Takes each row of swatches as a picture of as many pixels, and prints its palette as score.py reads it.
func printSwatchPalettes(table: String, mode: PaletteMode, count: Int) throws {
    for line in try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n") {
        let fields = line.split(separator: "\t").map(String.init)
        let colors = fields.dropFirst().compactMap { RGB(hex: $0) }
        if colors.isEmpty { continue }
        let sample = PixelSample(rgba: colors.flatMap { [$0.red, $0.green, $0.blue, 255] })
        let palette = Palette([sample], options: options(count, mode))
        print(([fields[0]] + palette.entries.map(\.color.hex)).joined(separator: "\t"))
    }
}

/// What the two modes give beside each other: chroma (CIELAB), closest pair, count.
func printModes(folder: String) throws {
    var chroma: [String: [Double]] = [:], closest: [String: [Double]] = [:], fewer = 0
    for path in try PPM.list(folder) {
        let samples = [PixelSample.decoderSample(of: try PPM(path: path))]
        for count in [5, 8] {
            for mode in PaletteMode.allCases {
                let palette = Palette(samples, options: options(count, mode))
                if palette.entries.count < count { fewer += 1 }
                let labs = palette.entries.map { Lab($0.color) }
                let mean = labs.map { ($0.a * $0.a + $0.b * $0.b).squareRoot() }.reduce(0, +)
                chroma["k=\(count) \(mode)", default: []].append(mean / Double(labs.count))
                var pair = Double.infinity
                for first in labs.indices {
                    for second in 0..<first { pair = min(pair, labs[first].difference(to: labs[second])) }
                }
                closest["k=\(count) \(mode)", default: []].append(pair)
                if mode == .representative && pair < 7 {
                    print("\(path) k=\(count): closest \(text(pair, 1))")
                }
            }
        }
    }
    for (kind, values) in chroma.sorted(by: { $0.key < $1.key }) {
        let pairs = closest[kind]!
        print(
            "\(kind): mean chroma \(text(values.reduce(0, +) / Double(values.count), 2)), closest pair median "
                + "\(text(median(pairs), 1)) least \(text(pairs.min()!, 1)), "
                + "\(pairs.filter { $0 < 7 }.count) of \(pairs.count) below 7")
    }
    print("palettes with fewer colors than asked for: \(fewer)")
}

/// How far colors move when the picture is handed over at half its size: nearest partners, both ways.
func printHalves(folder: String, halves: String) throws {
    for mode in PaletteMode.allCases {
        for count in [5, 8] {
            var moves: [Double] = []
            for path in try PPM.list(folder) {
                let name = path.split(separator: "/").last!
                let whole = Palette(
                    [PixelSample.decoderSample(of: try PPM(path: path))], options: options(count, mode))
                let half = Palette(
                    [PixelSample.decoderSample(of: try PPM(path: "\(halves)/\(name)"))],
                    options: options(count, mode))
                let first = whole.entries.map { Lab($0.color) }, second = half.entries.map { Lab($0.color) }
                let there = first.map { color in second.map { color.difference(to: $0) }.min()! }
                let back = second.map { color in first.map { color.difference(to: $0) }.min()! }
                moves.append((there + back).max()!)
            }
            let steady = moves.filter { $0 <= 2 }.count
            print(
                "\(mode) k=\(count): \(steady) of \(moves.count) move by at most 2; median "
                    + "\(text(median(moves), 2)), p95 \(text(quantile(moves, 0.95), 2)), "
                    + "worst \(text(moves.max()!, 2))")
        }
    }
}

/// Prints, for scripts/benchmarks/palettes, each picture's area palette with the median time it took.
func printTimed(folder: String, count: Int) throws {
    var workspace = PaletteWorkspace()
    for path in try PPM.list(folder) {
        let sample = PixelSample(everyPixelOf: try PPM(path: path))
        var palette = Palette(entries: [])
        let runs = milliseconds(runs: 5) {
            palette = Palette([sample], options: options(count, .area), using: &workspace)
        }
        let name = String(path.split(separator: "/").last!.dropLast(4))
        print(([name, text(median(runs))] + palette.entries.map(\.color.hex)).joined(separator: "\t"))
    }
}
