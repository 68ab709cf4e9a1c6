package import DataStacks
import Foundation
import Images

/// Options of an ingest run.
package struct IngestOptions: Sendable {
    package var settings = PaletteSettings()
    package var filter = FileFilter()
    /// Photos worked on at once.
    package var jobs = ProcessInfo.processInfo.activeProcessorCount
    /// Compute all palettes again, changed or not.
    package var recompute = false
    /// Look again at files that failed.
    package var retry = false
    /// Compare the contents of files whose size and time are what they were, too.
    package var verify = false
    /// Take missing photos out of the store.
    package var prune = false
    /// Photos whose moods were deleted on purpose come back.
    package var restore = false
    /// Whether deletions that can be taken back are left to another part of the program.
    package var keepsMarks = false
    /// Say what would be done; nothing is written.
    package var isDryRun = false
    /// Paths never looked at: the store's own.
    package var skipped: Set<BytePath> = []

    package init() {}

    /// Whether a palette that the store has of the same contents is what this run would compute: what is
    /// asked of this run only is remembered by no mood.
    var sharesPalettes: Bool {
        // Where a photo is decoded changes no color.
        var limits = settings.limits
        limits.isConfined = false
        return !recompute && !settings.exact && settings.crop == nil && settings.previewSide == nil
            && limits == PaletteSettings().limits
    }
}

/// Callbacks of an ingest run, called on the caller's thread, except `isStopped`, which any thread may
/// call.
package struct IngestCallbacks {
    /// Called for each failure: a path as the user would write it, and the reason.
    package var onProblem: (BytePath, String) -> Void = { _, _ in }
    /// Called for each file that was opened and did not fail: a path as the user would write it.
    package var onRead: (BytePath) -> Void = { _ in }
    /// How many of how many files are through, and how many of them were photos; first of all when none is.
    package var onProgress: (Int, Int, Int) -> Void = { _, _, _ in }
    /// A file that a dry run would do something with: its path from `/`, the path as the user would write it,
    /// and what would be done.
    package var onPlan: (BytePath, String, PlannedChange) -> Void = { _, _, _ in }
    /// Files that nothing is done with, and why: those that the user named and whose moods were deleted, and,
    /// if they are wanted, all others.
    package var onSkip: (String, SkipReason) -> Void = { _, _ in }
    package var wantsAllSkips = false
    /// There is something to write to the store, and it is about to begin. What it throws ends the run.
    package var willWrite: (DataStack) throws -> Void = { _ in }
    /// A transaction was thrown away and is made again, and why.
    package var onRetry: (RetryReason) -> Void = { _ in }
    /// Asked now and then; once true what was begun is finished and saved, and the run ends.
    package var isStopped: @Sendable () -> Bool = { false }

    package init() {}
}

/// Why a transaction is made again.
package enum RetryReason: String, Sendable {
    /// Another process wrote what this one was about to write.
    case writtenByOthers = "another process has written meanwhile"
    /// Another process held the store for as long as a connection waits for it.
    case heldByOthers = "another process holds the store"
}

/// Why nothing is done with a file.
package enum SkipReason: Sendable {
    /// It is no picture.
    case other
    /// It failed in an earlier run, and has not changed since.
    case failedBefore
    /// Its mood was deleted on purpose.
    case leftOut
    /// It is skipped by default, as a NAS's thumbnails are.
    case excluded
}

/// The inputs of a run.
struct IngestInputs {
    var found: FoundFiles
    /// Paths of which one that is no folder counts as a photo, whatever is there.
    var named: Set<BytePath> = []
    /// The stored photos, if they have been read already.
    var stored: Result<PhotoCatalog, any Error>?
    /// The files that `recompute`, `retry`, `verify` and `restore` are meant for; nil for all.
    var askedAnew: Set<BytePath>?
    /// Whether a file is whole: one that is still being written is left for a later look.
    var isSettled: (FoundFile) -> Bool = { _ in true }
    /// Most photos in one transaction.
    var batchSize = 256
    /// Longest wait of a finished photo for its transaction, in seconds.
    var batchTime = 0.5
}
