import Images
import Texts

/// A picture of a photo that is larger than the store's, read from the photo again: only from one that is
/// still what the store knows by its contents.
package struct SharpPicture: Sendable {
    /// Pixels on the long side that the store's thumbnails have.
    package static let stored = 320
    /// Pixels on the long side of a large view's picture.
    package static let large = 1600

    /// A photo, and the hash of its contents.
    package struct Source: Sendable {
        package let path: BytePath
        /// XXH3-128 in hexadecimal; nil for a photo that cannot be told from another.
        package let hash: String?
        /// Whether a picture for the large view is wanted as well.
        package var wantsLarge: Bool

        package init(path: BytePath, hash: String?, wantsLarge: Bool = false) {
            (self.path, self.hash, self.wantsLarge) = (path, hash, wantsLarge)
        }
    }

    package let sharp: [UInt8]
    /// Nil where none was wanted, or the photo is no larger than the other.
    package let large: [UInt8]?

    package init(sharp: [UInt8], large: [UInt8]? = nil) { (self.sharp, self.large) = (sharp, large) }

    /// - Parameters:
    ///   - side: pixels on the long side of what a row shows: the middle of a panorama.
    ///   - isConfined: whether a photo of any kind is decoded in a worker.
    /// - Returns: nil for a photo that is gone, changed, unreadable, or no larger than its thumbnail.
    package init?(of source: Source, side: Int, isConfined: Bool = false) {
        guard let hash = source.hash, let bytes = try? readPhoto(source.path) else { return nil }
        guard ContentDigits.of(bytes) == hash else { return nil }
        var options = PaletteSettings().turned(by: Sidecar(of: source.path)).limits
        (options.side, options.samplePixels) = (source.wantsLarge ? max(side, Self.large) : side, 0)
        options.isConfined = isConfined
        guard var picture = try? Picture(bytes: bytes, options: options) else { return nil }
        let side = Self.longSide(of: picture.image, shown: side)
        if side > options.side {
            options.side = side
            guard let larger = try? Picture(bytes: bytes, options: options) else { return nil }
            picture = larger
        }
        guard max(picture.image.width, picture.image.height) > Self.stored else { return nil }
        let image = picture.image.resized(longSide: max(side, source.wantsLarge ? Self.large : side))
        guard let sharp = try? image.resized(longSide: side).jpeg(quality: 80) else { return nil }
        let isLarger = source.wantsLarge && max(image.width, image.height) > side
        self.init(sharp: sharp, large: isLarger ? try? image.jpeg(quality: 80) : nil)
    }

    /// The long side of a picture whose part in a row, at most 3:1 or 1:2, is to have `side` pixels; at most
    /// eight times that.
    private static func longSide(of image: Image, shown side: Int) -> Int {
        let (width, height) = (max(1, image.width), max(1, image.height))
        let whole = width > height ? side * width / (3 * height) : side * height / (2 * width)
        return min(max(side, whole), 8 * side)
    }
}

/// A content hash as people and JSON have it.
package enum ContentDigits {
    /// XXH3-128 in hexadecimal.
    package static func of(_ bytes: [UInt8]) -> String {
        Hexadecimal.text(contentHash(bytes))
    }
}
