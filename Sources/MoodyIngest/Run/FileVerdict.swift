/// The result of a run for a file, or for a stored photo whose file is gone. Every file has one, which is
/// counted once, after the commit.
enum FileVerdict: Sendable, Equatable {
    case new, changed, moved, unchanged
    /// The photo was missing or unreadable, and is there again with the bytes that its mood was made of.
    case back
    case missing, missingBefore, pruned
    /// Its mood was deleted on purpose.
    case leftOut
    case failed(reason: String)
    /// It failed in an earlier run and was not opened.
    case failedBefore
    /// It is no picture.
    case other
    /// It is still being written, or came back during the run: left for a later look.
    case unsettled
}

extension IngestReport {
    mutating func count(_ verdict: FileVerdict) {
        switch verdict {
        case .new: new += 1
        case .changed: changed += 1
        case .moved: moved += 1
        case .unchanged: unchanged += 1
        case .back: back += 1
        case .missing: missing += 1
        case .missingBefore: missingBefore += 1
        case .pruned: pruned += 1
        case .leftOut: leftOut += 1
        case .failed: failed += 1
        case .failedBefore: failedBefore += 1
        case .other: others += 1
        case .unsettled: unsettled += 1
        }
    }
}
