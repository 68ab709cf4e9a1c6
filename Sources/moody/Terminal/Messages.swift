import Foundation
import Glibc
import MoodyIngest
import Synchronization

/// Output on stderr: problems always, notes unless `--quiet`, a progress bar on a terminal.
final class Messages: Sendable {
    private let isQuiet: Bool
    private let isVerbose: Bool
    private let showsBar: Bool
    private let bar = Mutex<Bar>(Bar())

    private struct Bar {
        var isShown = false
        var began: ContinuousClock.Instant?
        var drawn: ContinuousClock.Instant?
    }

    init(isQuiet: Bool, isVerbose: Bool = false, progress: Choice) {
        (self.isQuiet, self.isVerbose) = (isQuiet, isVerbose)
        showsBar = progress == .always || !isQuiet && progress.isOn(isatty(STDERR_FILENO) == 1)
    }

    /// `moody: PATH: what happened`
    func problem(_ path: String, _ what: String) {
        say("moody: \(path): \(what)\(Self.option(lifting: what))")
    }

    /// Which option lifts the limit that a photo passes.
    private static func option(lifting what: String) -> String {
        if what == "refused: it asks for too much" {
            return " (--max row-memory, jpeg-memory or whole-memory)"
        }
        if what.hasSuffix("its limit of scans") { return " (--max scans)" }
        if what.hasSuffix(" megapixels") || what.hasSuffix(" pixels") { return " (--max pixels)" }
        return ""
    }

    func problem(_ what: String) { say("moody: \(what)") }
    func note(_ text: String) { if !isQuiet { say(text) } }
    func verbose(_ text: String) { if isVerbose { say(text) } }

    /// Runs `body` and tells what it could not write.
    ///
    /// - Returns: whether all was written.
    func tell(_ body: () throws -> Void) rethrows -> Bool {
        do {
            try body()
            return true
        } catch let error as OutputError {
            problem("\(error)")
            return false
        }
    }

    /// Asks who sits at the terminal; anything but a yes is a no, and so is the end of the input.
    func ask(_ question: String) -> Bool {
        write("moody: \(question) [y/N] ")
        return ["y", "yes"].contains(readLine()?.lowercased())
    }

    private func say(_ text: String) {
        bar.withLock { bar in
            let clear = bar.isShown ? "\r\u{1B}[K" : ""
            bar.isShown = false
            write(clear + text + "\n")
        }
    }

    /// A bar with rate and time left, ten times a second at most. The clock begins with the first call, and
    /// anew when nothing is done yet.
    ///
    /// - Parameter photos: how many of those that are done were photos.
    func progress(_ done: Int, of count: Int, photos: Int) {
        guard showsBar, count > 0 else { return }
        bar.withLock { bar in
            let now = ContinuousClock.now
            let began = done == 0 ? now : bar.began ?? now
            bar.began = began
            if done < count, let drawn = bar.drawn, now - drawn < .milliseconds(100) { return }
            bar.drawn = now
            let seconds = max((now - began) / .seconds(1), 0.001)
            let rate = Double(photos) / seconds
            let left = done > 0 ? Int(Double(count - done) / Double(done) * seconds) : 0
            let full = done * 24 / count
            let blocks = String(repeating: "█", count: full) + String(repeating: "░", count: 24 - full)
            let time = "\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left"
            write("\r\u{1B}[K\(blocks) \(done)/\(count)  \(Int(rate.rounded())) photos/s  \(time)")
            bar.isShown = true
            if done == count {
                write("\r\u{1B}[K")
                bar.isShown = false
            }
        }
    }

    private func write(_ text: String) {
        // Whoever closed stderr does not want to know.
        try? writeAll(Array(text.utf8), to: STDERR_FILENO)
    }
}

extension Messages {
    /// The callbacks of an ingest.
    func callbacks(_ signals: Signals) -> IngestCallbacks {
        var callbacks = IngestCallbacks()
        callbacks.onProblem = { self.problem($0.description, $1) }
        callbacks.onProgress = { self.progress($0, of: $1, photos: $2) }
        callbacks.wantsAllSkips = isVerbose
        callbacks.onSkip = { path, why in
            switch why {
            case .other: self.note("moody: \(path): no picture")
            case .failedBefore: self.note("moody: \(path): failed before (--retry looks again)")
            case .excluded: self.verbose("moody: \(path): left out by default (--no-default-excludes)")
            case .leftOut: self.note("moody: \(path): its mood was deleted (--restore brings it back)")
            }
        }
        callbacks.onRetry = { self.verbose("moody: \($0.rawValue): writing again") }
        callbacks.isStopped = { signals.signal != nil }
        return callbacks
    }
}
