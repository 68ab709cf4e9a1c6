public import ArgumentParser
public import Images

/// Options of decoding: truncated photos, the limits of decoders, and how these are confined.
struct DecodingArguments: ParsableArguments {
    @Flag(help: "Accept truncated photos: use the part that is there, with a note.")
    var acceptTruncated = false

    @Option(
        help: ArgumentHelp(
            """
            Raise or lower a limit of the decoders; separate several with commas. Defaults: pixels=268M, \
            jpeg-pixels=40M (progressive JPEGs beyond the fast path), jpeg-memory=268M, row-memory=134M, \
            whole-memory=268M (HEIC and AVIF without tiles, JPEG XL, lossless WebP), \
            chunk=62M (bytes), scans=200, \
            warnings=100, seconds=10, unpacked=1000G (bytes of an archive).
            """, valueName: "what=number"))
    var max: [DecodingLimits] = []

    @Option(
        help: ArgumentHelp(
            """
            Decode what C libraries read in processes that can do nothing else: auto (with what the system \
            offers), require (fail without seccomp), or off.
            """, valueName: "mode"))
    var sandbox = Confinement.Mode.auto

    /// Whether a photo may pass that usually fails.
    var isUnusual: Bool { acceptTruncated || !max.isEmpty }

    var options: DecodingOptions {
        var options = DecodingOptions()
        options.acceptsTruncated = acceptTruncated
        for limits in max {
            for (limit, number) in limits.numbers { options[keyPath: limit.keyPath] = number }
        }
        return options
    }
}

extension Confinement.Mode: ExpressibleByArgument {}

/// A command that says how decoders are confined. Others confine them as far as the system can.
protocol DecodingCommand {
    var decoding: DecodingArguments { get }
    var message: MessageOptions { get }
}

extension DecodingCommand {
    /// Confines decoders from now on.
    ///
    /// - Throws: ``Confinement/Missing``.
    func confineDecoders() throws {
        let messages = Messages(isQuiet: message.quiet, progress: .never)
        try Confinement.begin(decoding.sandbox) { messages.note("moody: note: \($0)") }
    }
}

/// `pixels=500M,scans=1000`
struct DecodingLimits: ExpressibleByArgument {
    enum Limit: String, CaseIterable {
        case pixels, jpegPixels = "jpeg-pixels", jpegMemory = "jpeg-memory", rowMemory = "row-memory",
            wholeMemory = "whole-memory", chunk, scans, warnings, seconds, unpacked

        var keyPath: WritableKeyPath<DecodingOptions, Int> {
            switch self {
            case .pixels: \.pixelLimit
            case .jpegPixels: \.progressivePixelLimit
            case .jpegMemory: \.coefficientMemoryLimit
            case .rowMemory: \.rowMemoryLimit
            case .wholeMemory: \.wholeMemoryLimit
            case .chunk: \.chunkLimit
            case .scans: \.scanLimit
            case .warnings: \.warningLimit
            case .seconds: \.secondLimit
            case .unpacked: \.unpackedLimit
            }
        }
    }

    let numbers: [(limit: Limit, number: Int)]

    init?(argument: String) {
        var numbers: [(limit: Limit, number: Int)] = []
        for part in argument.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard sides.count == 2, let limit = Limit(rawValue: sides[0]), let number = Self.number(sides[1])
            else {
                return nil
            }
            numbers.append((limit, number))
        }
        self.numbers = numbers
    }

    /// 40, 40k, 40M, 40G: thousands. At most what a memory can hold, so that no product of two overflows.
    private static func number(_ text: String) -> Int? {
        let units: [Character: Int] = ["k": 1_000, "K": 1_000, "M": 1_000_000, "G": 1_000_000_000]
        let unit = text.last.flatMap { units[$0] }
        guard let number = Int(unit == nil ? text : String(text.dropLast())), number > 0, number <= 1 << 40
        else { return nil }
        let (product, overflows) = number.multipliedReportingOverflow(by: unit ?? 1)
        return overflows || product > 1 << 40 ? nil : product
    }
}
