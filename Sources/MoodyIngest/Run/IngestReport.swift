/// A planned change of a file.
package enum PlannedChange: String, Sendable {
    case new, changed, moved, back, missing, prune, unchanged
    case leftOut = "left out"
}

/// How a run went, counted in files.
package struct IngestReport: Sendable, Equatable {
    package var new = 0, changed = 0, moved = 0, unchanged = 0, missing = 0, failed = 0
    /// Photos that were missing or unreadable, and are there again as they were.
    package var back = 0
    /// Photos that an earlier run found to be missing, and that still are.
    package var missingBefore = 0
    /// Photos that are gone, and whose moods went, since another photo was moved to where they were.
    package var replaced = 0
    /// Missing photos that were taken out of the store.
    package var pruned = 0
    /// Photos whose moods were deleted on purpose.
    package var leftOut = 0
    /// Files that failed in an earlier run and were not opened again.
    package var failedBefore = 0
    /// Files that are no pictures.
    package var others = 0
    /// Files and folders that are skipped by default.
    package var excluded = 0
    /// Paths and folders that could not be looked at, so that the run is not complete.
    package var problems = 0
    /// Files that were left for a later look, since they are still being written.
    package var unsettled = 0
    /// AVIF photos that were read again only since an older version found their palettes wrong.
    package var outdated = 0
    /// The run was stopped before it was through.
    package var wasStopped = false
    /// Files that had to be looked into, and how many of them are done.
    package var planned = 0, done = 0

    package init() {}

    /// Files that are or were photos.
    package var photos: Int {
        new + changed + moved + back + unchanged + missing + missingBefore + failed + leftOut + pruned
            + failedBefore
    }

    /// Whether there is something to say.
    var hasChanges: Bool {
        new + changed + moved + back + missing + replaced + pruned + failed + problems > 0
    }

    /// Whether everything that was asked for was done.
    package var isComplete: Bool { failed == 0 && problems == 0 }
}

extension IngestReport: CustomStringConvertible {
    /// `412 photos: 12 new, 3 changed, 1 moved, 393 unchanged, 1 missing, 2 failed; 18 other files`
    package var description: String {
        let parts = [
            (new, "new"), (changed, "changed"), (moved, "moved"), (back, "back"), (unchanged, "unchanged"),
            (missing + missingBefore, "missing"), (replaced, "replaced"), (pruned, "pruned"),
            (leftOut, "left out"), (failed, "failed"),
            (failedBefore, "failed before (--retry)"),
        ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        let head = "\(photos) \(photos == 1 ? "photo" : "photos")"
        var body = parts.isEmpty ? head : head + ": " + parts.joined(separator: ", ")
        if outdated > 0 { body += "; \(outdated) AVIF read again, which older versions read wrong" }
        if others > 0 { body += "; \(others) other \(others == 1 ? "file" : "files")" }
        return excluded == 0 ? body : body + "; \(excluded) left out by default"
    }
}

extension IngestReport {
    /// "interrupted: 9,467 of 20,000 files are done; the next run goes on from there"; nil for a run that was
    /// not.
    package var interruption: String? {
        if !wasStopped { return nil }
        return
            "interrupted: \(grouped(done)) of \(grouped(planned)) files are done; the next run goes on "
            + "from there"
    }
}

/// 9,467
package func grouped(_ number: Int) -> String {
    number < 1000 ? "\(number)" : grouped(number / 1000) + "," + String(1000 + number % 1000).dropFirst()
}
