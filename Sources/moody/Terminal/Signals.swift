import Dispatch
import Foundation
import Glibc
import Synchronization

/// Ctrl-C, SIGTERM, and the end of the terminal: the first one asks for an end, a second one ends at once.
final class Signals: Sendable {
    private let received = Atomic<Int32>(0)
    private let sources = Mutex<[Source]>([])

    /// @unchecked Sendable: dispatch sources may be used from any thread, and this one is only kept alive.
    private struct Source: @unchecked Sendable { let source: any DispatchSourceSignal }

    /// - Parameter onFirst: called on some thread, with its number, when the first one comes.
    init(onFirst: @escaping @Sendable (Int32) -> Void = { _ in }) {
        // A serial queue has a thread of its own when it needs one. The threads of the global queue are as
        // many as cores, and an ingest keeps them all: a signal would be heard when everything is done.
        let queue = DispatchQueue(label: "moody.signals")
        let ready = DispatchSemaphore(value: 0)
        // nohup(1) has it ignored, and means it.
        var hangup = sigaction()
        let answer = unsafe sigaction(SIGHUP, nil, &hangup)
        let isUsual = unsafe hangup.__sigaction_handler.sa_handler == nil
        let numbers = [SIGINT, SIGTERM] + (answer == 0 && isUsual ? [SIGHUP] : [])
        for number in numbers {
            Glibc.signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { [weak self] in
                guard let self else { return }
                let first = self.received.compareExchange(expected: 0, desired: number, ordering: .relaxed)
                if !first.exchanged { _exit(128 + number) }
                onFirst(number)
            }
            source.setRegistrationHandler { ready.signal() }
            source.resume()
            let kept = Source(source: source)
            sources.withLock { $0.append(kept) }
        }
        // A source listens some time after it was told to, and a signal that comes before is lost.
        for _ in numbers { _ = ready.wait(timeout: .now() + 1) }
    }

    /// The signal that asked for an end; nil as long as none did.
    var signal: Int32? {
        let number = received.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }
}
