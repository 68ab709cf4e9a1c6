import Foundation

/// The value below which `share` of the values lie, between the two nearest; NaN for none.
func quantile(_ values: [Double], _ share: Double) -> Double {
    guard !values.isEmpty else { return .nan }
    let sorted = values.sorted(), place = share * Double(values.count - 1)
    let low = Int(place), high = min(low + 1, values.count - 1)
    return sorted[low] + (sorted[high] - sorted[low]) * (place - Double(low))
}

func median(_ values: [Double]) -> Double { quantile(values, 0.5) }

func text(_ value: Double, _ digits: Int = 3) -> String { String(format: "%.\(digits)f", value) }

/// Milliseconds that each of `runs` calls of `body` takes, after one that does not count.
func milliseconds(runs: Int, _ body: () -> Void) -> [Double] {
    body()
    return (0..<runs).map { _ in
        let clock = ContinuousClock(), start = clock.now
        body()
        let duration = (clock.now - start).components
        return Double(duration.seconds) * 1e3 + Double(duration.attoseconds) / 1e15
    }
}
