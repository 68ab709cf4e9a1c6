import Foundation
import Images
import MoodyGallery
import MoodyIngest

/// Pictures for a page that are larger than the store's: read from the photos again, on all cores, and only
/// from photos that are still what the store knows by their contents.
struct SharpPictures {
    /// Pixels on the long side that the store's thumbnails have.
    static let stored = 320

    /// One photo, and what its contents were.
    struct Source: Sendable {
        let path: BytePath
        /// XXH3-128 in hexadecimal; nil for a photo that cannot be told from another.
        let hash: String?
    }

    /// Pixels on the long side.
    let side: Int

    /// - Parameters:
    ///   - kept: a picture that an earlier page has, asked for on any thread.
    ///   - sink: called in order; nil for a photo that is gone, changed, unreadable, or no larger than its
    ///     thumbnail.
    func read(
        _ sources: [Source], _ messages: Messages, kept: @escaping @Sendable (Int) -> [UInt8]? = { _ in nil },
        sink: (Int, [UInt8]?) throws -> Void
    ) throws {
        let side = side, jobs = ProcessInfo.processInfo.activeProcessorCount
        var done = 0
        try pipeline(
            count: sources.count, width: jobs, window: jobs * 4,
            work: { kept($0) ?? Self.picture(of: sources[$0], side: side) },
            sink: { picture in
                try sink(done, picture)
                done += 1
                messages.progress(done, of: sources.count, photos: done)
            })
    }

    private static func picture(of source: Source, side: Int) -> [UInt8]? {
        guard let hash = source.hash, let bytes = try? readPhoto(source.path) else { return nil }
        let digits = contentHash(bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        guard digits.joined() == hash else { return nil }
        var options = PaletteSettings().limits
        (options.side, options.samplePixels) = (side, 0)
        guard let picture = try? Picture(bytes: bytes, options: options),
            max(picture.image.width, picture.image.height) > stored
        else { return nil }
        return try? picture.image.resized(longSide: side).jpeg(quality: 80)
    }
}
