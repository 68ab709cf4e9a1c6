import Foundation
import MoodyIngest

/// Pictures for a page that are larger than the store's: read from the photos again, on all cores, and only
/// from photos that are still what the store knows by their contents.
struct SharpPictures {
    /// Pixels on the long side.
    let side: Int

    /// - Parameters:
    ///   - kept: a picture that an earlier page has, asked for on any thread.
    ///   - sink: called in order; nil for a photo that is gone, changed, unreadable, or no larger than its
    ///     thumbnail.
    func read(
        _ sources: [SharpPicture.Source], _ messages: Messages,
        kept: @escaping @Sendable (Int) -> SharpPicture? = { _ in nil },
        sink: (Int, SharpPicture?) throws -> Void
    ) throws {
        let side = side, jobs = ProcessInfo.processInfo.activeProcessorCount
        var done = 0
        try pipeline(
            count: sources.count, width: jobs, window: jobs * 4,
            work: { kept($0) ?? SharpPicture(of: sources[$0], side: side) },
            sink: { made in
                try sink(done, made)
                done += 1
                messages.progress(done, of: sources.count, photos: done)
            })
    }
}
