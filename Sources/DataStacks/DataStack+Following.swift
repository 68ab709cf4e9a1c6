import Dispatch
import Logging
import ManagedObjects

/// Keeps a stack's reader up to date with other processes; ends when it is released.
///
/// Unchecked, since any thread may cancel a timer.
public final class StackFollower: @unchecked Sendable {
    private let timer: any DispatchSourceTimer

    fileprivate init(_ timer: any DispatchSourceTimer) { self.timer = timer }
    deinit { timer.cancel() }
}

extension DataStack {
    /// Looks four times a second whether other stacks, processes or programs have written to the stores, and
    /// has the reader take it in: its lists report that like any commit. What cannot be read is logged and
    /// read with the next look.
    ///
    /// While nobody writes, a look asks SQLite for its version of the data and nothing else.
    ///
    /// - Returns: what keeps the looking going.
    public func followOthers() -> StackFollower {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "moody.follower"))
        timer.schedule(deadline: .now(), repeating: .milliseconds(250), leeway: .milliseconds(20))
        timer.setEventHandler { [weak self] in self?.takeInOthers() }
        timer.resume()
        return StackFollower(timer)
    }

    /// Looks once, and returns when the reader's lists have reported what was found.
    public func takeInOthers() {
        do {
            let changes = try coordinator.changesByOthers()
            if changes.isEmpty { return }
            try reader.performAndWait { try $0.mergeChanges(byOthers: changes) }
            logger.debug("took in what others wrote")
        } catch { logger.error("the reader could not follow what others wrote: \(error)") }
    }
}
