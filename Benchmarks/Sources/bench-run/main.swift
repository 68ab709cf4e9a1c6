// Runs two shell commands in turn, A B A B ..., and prints the median wall time of each and the median of the
// ratios A/B pair by pair: on a machine that others use too, a ratio holds where a time does not.
//
// usage: bench-run RUNS 'A' 'B' ['BEFORE EACH A']

import Dispatch
import Foundation

let arguments = CommandLine.arguments
guard (4...5).contains(arguments.count), let runs = Int(arguments[1]), runs > 0 else {
    FileHandle.standardError.write(Data("usage: bench-run RUNS 'A' 'B' ['BEFORE EACH A']\n".utf8))
    exit(64)
}

/// Wall time in milliseconds; the program ends when the command cannot be run.
func time(_ command: String) throws -> Double {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    process.standardOutput = FileHandle.nullDevice
    // `waitUntilExit` looks every 50 ms only.
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    let clock = ContinuousClock(), start = clock.now
    try process.run()
    ended.wait()
    let milliseconds = (clock.now - start) / .milliseconds(1)
    // 1: done, but a photo of the list is broken.
    guard process.terminationStatus <= 1 else {
        FileHandle.standardError.write(
            Data("bench-run: status \(process.terminationStatus): \(command)\n".utf8))
        exit(2)
    }
    return milliseconds
}

func median(_ numbers: [Double]) -> Double {
    let sorted = numbers.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
}

func text(_ number: Double, _ digits: Int = 1) -> String { String(format: "%.\(digits)f", number) }

var a: [Double] = [], b: [Double] = []
for run in 0...runs {
    if arguments.count == 5 { _ = try time(arguments[4]) }
    let (first, second) = (try time(arguments[2]), try time(arguments[3]))
    // The first pair warms the file cache.
    if run == 0 { continue }
    a.append(first)
    b.append(second)
}
let ratios = zip(a, b).map { $0 / $1 }
print("A      median \(text(median(a))) ms  (\(text(a.min() ?? 0)) ... \(text(a.max() ?? 0)))")
print("B      median \(text(median(b))) ms  (\(text(b.min() ?? 0)) ... \(text(b.max() ?? 0)))")
print(
    "A / B  median \(text(median(ratios), 3))  (\(text(ratios.min() ?? 0, 3)) ... \(text(ratios.max() ?? 0, 3))), \(runs) runs"
)
