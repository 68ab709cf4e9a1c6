internal import CImage

/// Turns the rows of a PNG into a picture.
///
/// A class because C holds a pointer to it while libpng reads.
final class PNGPicture {
    private let options: DecodingOptions
    private(set) var refusal: ImageError?
    private var canvas: PixelCanvas?
    private var samples = PNGSamples(depth: 8, table: nil)
    private var source = ColorSource.srgb
    private var isGray = false
    /// The metadata in the text chunks.
    var words = PNGWords()
    /// The file ended early; see ``finish(notes:)``.
    var isCut = false

    /// libpng handed over a profile.
    private(set) var hasProfile = false
    private let codePoints: CodePoints?
    private var colorNote: String?

    init(options: DecodingOptions, codePoints: CodePoints?) {
        (self.options, self.codePoints) = (options, codePoints)
    }

    var fullHeight: Int { canvas?.fullHeight ?? 0 }

    /// Checks the limits and makes room.
    ///
    /// - Returns: false, and ``refusal`` says why, when the file is not to be read.
    func begin(_ header: cimage_png_header, profile: [UInt8]) -> Bool {
        do throws(ImageError) {
            canvas = try PixelCanvas(
                width: Int(header.width), height: Int(header.height), inAnyOrder: header.interlaced,
                options: options)
        } catch {
            refusal = error
            return false
        }
        isGray = header.gray
        let colors = PNGColors(header, codePoints: codePoints, profile: profile)
        (source, colorNote) = (colors.source, colors.note)
        hasProfile = !profile.isEmpty
        samples = PNGSamples(depth: Int(header.depth), table: colors.table(depth: Int(header.depth)))
        return true
    }

    /// Takes a row, or a part of one.
    ///
    /// - Parameters:
    ///   - row: which pixels.
    ///   - start: `row.count` pixels of four samples.
    @unsafe func add(_ row: cimage_png_row, samples start: UnsafePointer<UInt8>?) {
        let y = Int(row.y), count = Int(row.count)
        guard let fullWidth = canvas?.fullWidth, y >= 0, y < fullHeight, count > 0, row.step > 0, row.x >= 0,
            Int(row.x) + (count - 1) * Int(row.step) < fullWidth
        else { return }
        // SAFETY: the shim promises `count` pixels of four samples, valid during this call.
        let raw = unsafe UnsafeRawBufferPointer(start: start, count: count * 4 * samples.size)
        let pixels = unsafe samples.pixels(raw)
        canvas?.add(pixels, x: Int(row.x), step: Int(row.step), y: y)
    }

    /// There is something to show of a file that was cut.
    var hasPixels: Bool { canvas?.hasPixels ?? false }

    /// The finished picture. Of a file that was cut, the rows that came.
    func finish(notes: inout [String]) throws(ImageError) -> StoredPixels {
        if let colorNote { notes.append(colorNote) }
        guard var pixels = canvas?.finish(isCut: isCut, notes: &notes) else { throw .corrupt("no header") }
        pixels.layout = isGray && source.isProfile ? .gray : .rgba
        pixels.source = source
        return pixels
    }
}
