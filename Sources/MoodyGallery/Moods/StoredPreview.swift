import DataStacks
import ManagedObjects
import MoodyModel

/// The larger picture of a photo, as far as the store has one.
package enum StoredPreview: Sendable, Equatable {
    /// Nobody asked for one.
    case none
    case jpeg([UInt8])
    /// There was one, and its file beside the store cannot be read.
    case lost

    /// - Throws: ``StoreError``, but not for the preview's own file.
    init(of mood: Mood, in view: StackView) throws {
        if let preview = mood.preview {
            self = .jpeg([UInt8](preview))
            return
        }
        // A value whose file is lost reads as nil.
        self = .none
        for error in view.takeFaultErrors() {
            guard case StoreError.file = error else { throw error }
            self = .lost
        }
    }
}
