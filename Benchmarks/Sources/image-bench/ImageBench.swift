internal import CTurbo
import Foundation
internal import Images

/// Reading JPEGs at 1/8: Images against libjpeg-turbo, the same files in the same run.
///
///     swift run -c release --package-path Benchmarks image-bench FILE...
///
/// Each file is read nine times by each, in turns, and the median counts, so that a busy machine slows all
/// alike.
@main struct ImageBench {
    static func main() throws {
        // As the command does; it holds for libjpeg-turbo too.
        WorkingMemory.keep()
        var sums: [String: Sum] = [:]
        for path in CommandLine.arguments.dropFirst() {
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            guard let result = try? measure(bytes), !result.kind.isEmpty else {
                print("not measured: \(path)")
                continue
            }
            sums[result.kind, default: Sum()].add(result)
            print(line(result, of: 1), (path as NSString).lastPathComponent)
        }
        for (_, sum) in sums.sorted(by: { $0.key < $1.key }) {
            print(line(sum.total, of: sum.files), "in all")
        }
    }

    struct Result {
        var kind = "", megabytes = 0.0
        /// Milliseconds.
        var turbo = 0.0, plain = 0.0, sampled = 0.0
    }

    struct Sum {
        var total = Result(), files = 0

        mutating func add(_ result: Result) {
            total.kind = result.kind
            total.megabytes += result.megabytes
            total.turbo += result.turbo
            total.plain += result.plain
            total.sampled += result.sampled
            files += 1
        }
    }

    static func measure(_ bytes: [UInt8]) throws -> Result {
        var plain = DecodingOptions(), sampled = DecodingOptions()
        (plain.side, plain.samplePixels, sampled.side) = (1, 0, 1)
        let picture = try Picture(bytes: bytes, options: plain)
        var pixels = [UInt8](repeating: 0, count: picture.image.rgba.count + 4096)
        var times: [[Double]] = [[], [], []]
        for _ in 0..<9 {
            times[0].append(
                milliseconds {
                    let rows = unsafe bytes.withUnsafeBufferPointer { input in
                        unsafe pixels.withUnsafeMutableBufferPointer {
                            unsafe turbo_eighth(input.baseAddress, input.count, $0.baseAddress, $0.count)
                        }
                    }
                    precondition(rows > 0)
                })
            times[1].append(
                milliseconds { precondition((try? Picture(bytes: bytes, options: plain)) != nil) })
            times[2].append(
                milliseconds { precondition((try? Picture(bytes: bytes, options: sampled)) != nil) })
        }
        let medians = times.map { $0.sorted()[4] }
        return Result(
            kind: kind(bytes), megabytes: Double(bytes.count) / 1e6, turbo: medians[0],
            plain: medians[1], sampled: medians[2])
    }

    /// By the frame's marker, from segment to segment.
    static func kind(_ bytes: [UInt8]) -> String {
        var at = 2
        while at + 4 <= bytes.count, bytes[at] == 0xFF {
            switch bytes[at + 1] {
            case 0xC0, 0xC1: return "baseline"
            case 0xC2: return "progressive"
            default: at += 2 + (Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
            }
        }
        return ""
    }

    static func milliseconds(_ body: () -> Void) -> Double {
        let start = ContinuousClock.now
        body()
        let time = start.duration(to: .now).components
        return Double(time.seconds) * 1e3 + Double(time.attoseconds) / 1e15
    }

    static func line(_ result: Result, of files: Int) -> String {
        String(
            format:
                "%-11@ %3d %6.1f MB  turbo/8 %7.2f ms  picture %7.2f (%4.1f x)  with sample %7.2f (%4.1f x)",
            result.kind as NSString, files, result.megabytes, result.turbo, result.plain,
            result.turbo / result.plain, result.sampled, result.turbo / result.sampled)
    }
}
