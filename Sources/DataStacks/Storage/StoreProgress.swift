public import Foundation
import ManagedObjects
import Synchronization

/// The progress of a migration, with the texts that Foundation has on other systems only.
final class StoreProgress: Progress, @unchecked Sendable {
    // @unchecked Sendable as its superclass; what it adds is behind a mutex.
    private struct State {
        var handler: (@MainActor @Sendable (Progress) -> Void)?
        var stepsDone = 0
    }

    private let state = Mutex(State())
    private let steps: Int

    init(steps: Int) {
        self.steps = steps
        super.init(parent: nil, userInfo: nil)
        // A thousand units a step, so that a long step is seen to go on.
        totalUnitCount = Int64(steps) * 1000
        isCancellable = true
    }

    override var localizedDescription: String! {
        get { "\(Int(fractionCompleted * 100))% completed" }
        set {}
    }

    override var localizedAdditionalDescription: String! {
        get { "\(state.withLock { $0.stepsDone }) of \(steps)" }
        set {}
    }

    fileprivate func setHandler(_ new: (@MainActor @Sendable (Progress) -> Void)?) {
        state.withLock { $0.handler = new }
    }

    func update(_ now: MigrationProgress) {
        let part = now.objectCount == 0 ? 1 : Double(now.objectsDone) / Double(now.objectCount)
        completedUnitCount = Int64((Double(now.step - 1) + part) * 1000)
        let handler = state.withLock { state in
            state.stepsDone = now.stepsDone
            return state.handler
        }
        guard let handler else { return }
        Task { @MainActor in handler(self) }
    }
}

extension Progress {
    /// Calls a closure on the main actor as the progress goes on; nil ends that. Only for the progress that
    /// `addStorage(_:completion:)` returns.
    public func setProgressHandler(_ handler: (@MainActor @Sendable (Progress) -> Void)?) {
        (self as? StoreProgress)?.setHandler(handler)
    }
}
