import Dispatch
import Synchronization

/// Something to wait for that any thread may ring. Rung before the wait, it ends the wait at once; rung
/// often, it counts once.
package final class WakeupSignal: Sendable {
    private let isRung = Mutex(false)
    private let semaphore = DispatchSemaphore(value: 0)

    package init() {}

    package func ring() {
        let wasRung = isRung.withLock { isRung in
            defer { isRung = true }
            return isRung
        }
        if !wasRung { semaphore.signal() }
    }

    /// Waits until the bell rings, `seconds` at most; nil waits as long as it takes. One caller at a time.
    package func wait(seconds: Double?) {
        if let seconds {
            if semaphore.wait(timeout: .now() + seconds) == .timedOut { return }
        } else {
            semaphore.wait()
        }
        isRung.withLock { $0 = false }
    }
}
