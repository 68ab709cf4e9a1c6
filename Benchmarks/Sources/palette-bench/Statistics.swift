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

/// Milliseconds of one core that each of `runs` calls of `body` takes, after one that does not count.
///
/// The thread's own time, not the wall's: other programs on the machine do not count.
func milliseconds(runs: Int, _ body: () -> Void) -> [Double] {
    func now() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
    body()
    return (0..<runs).map { _ in
        let start = now()
        body()
        return now() - start
    }
}
