import Foundation
import Images
import MoodyGallery
import MoodyIngest

/// Pictures for a page that are larger than the store's: read from the photos again, on all cores, and only
/// from photos that are still what the store knows by their contents.
struct SharpPictures {
    /// Pixels on the long side that the store's thumbnails have.
    static let stored = 320

    /// A photo, and the hash of its contents.
    struct Source: Sendable {
        let path: BytePath
        /// XXH3-128 in hexadecimal; nil for a photo that cannot be told from another.
        let hash: String?
        /// Whether a picture for the large view is wanted as well.
        var wantsLarge = false
    }

    /// The picture made of a photo.
    struct Made: Sendable {
        let sharp: [UInt8]
        /// Nil where none was wanted, or the photo is no larger than the other.
        var large: [UInt8]?
    }

    /// Pixels on the long side of a large view's picture.
    static let large = 1600

    /// Pixels on the long side.
    let side: Int

    /// - Parameters:
    ///   - kept: a picture that an earlier page has, asked for on any thread.
    ///   - sink: called in order; nil for a photo that is gone, changed, unreadable, or no larger than its
    ///     thumbnail.
    func read(
        _ sources: [Source], _ messages: Messages, kept: @escaping @Sendable (Int) -> Made? = { _ in nil },
        sink: (Int, Made?) throws -> Void
    ) throws {
        let side = side, jobs = ProcessInfo.processInfo.activeProcessorCount
        var done = 0
        try pipeline(
            count: sources.count, width: jobs, window: jobs * 4,
            work: { kept($0) ?? Self.made(of: sources[$0], side: side) },
            sink: { made in
                try sink(done, made)
                done += 1
                messages.progress(done, of: sources.count, photos: done)
            })
    }

    private static func made(of source: Source, side: Int) -> Made? {
        guard let hash = source.hash, let bytes = try? readPhoto(source.path) else { return nil }
        let digits = contentHash(bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        guard digits.joined() == hash else { return nil }
        var options = PaletteSettings().limits
        (options.side, options.samplePixels) = (source.wantsLarge ? max(side, large) : side, 0)
        guard let picture = try? Picture(bytes: bytes, options: options),
            max(picture.image.width, picture.image.height) > stored
        else { return nil }
        let image = picture.image.resized(longSide: max(side, source.wantsLarge ? large : side))
        guard let sharp = try? image.resized(longSide: side).jpeg(quality: 80) else { return nil }
        let isLarger = max(image.width, image.height) > side
        return Made(sharp: sharp, large: isLarger ? try? image.jpeg(quality: 80) : nil)
    }
}
