#if TIFF
internal import CImage

/// Turns what libtiff hands over into a picture.
///
/// Plain samples are taken as stored, with all their bits, and inks as inks; what is rarer, from fax to
/// YCbCr, libtiff turns into R G B A. It takes the alpha beside the gray of tiles for what it is not, so that
/// tiles are taken as stored, too, where memory allows it.
final class TIFFPicture {
    private let options: DecodingOptions
    private(set) var refusal: ImageError?
    private var canvas: PixelCanvas?
    private var header = cimage_tiff_header()
    private var profile: [UInt8] = []
    private var reading = cimage_tiff_reading.stop

    init(options: DecodingOptions) { self.options = options }

    var fullHeight: Int { canvas?.fullHeight ?? 0 }
    var hasPixels: Bool { canvas?.hasPixels ?? false }

    /// Numbers of TIFF 6.0: PhotometricInterpretation, Compression, ExtraSamples.
    private enum Photometric {
        static let minIsWhite = 0, minIsBlack = 1, rgb = 2, inks = 5, lab = 8, iccLab = 9
    }
    private enum Extra { static let unspecified = 0, associated = 1, unassociated = 2 }

    func begin(_ header: cimage_tiff_header, _ profile: [UInt8]) -> cimage_tiff_reading {
        (self.header, self.profile) = (header, profile)
        reading = isPlain ? .samples : .rgba
        do throws(ImageError) {
            canvas = try PixelCanvas(
                width: Int(header.width), height: Int(header.height), inAnyOrder: false, hasAlpha: !isInk,
                options: options)
            return reading
        } catch {
            refusal = error
            return .stop
        }
    }

    private var isLab: Bool {
        [Photometric.lab, Photometric.iccLab].contains(Int(header.photometric)) && header.samples >= 3
    }

    private var colors: Int {
        switch Int(header.photometric) {
        case Photometric.lab, Photometric.iccLab: 3
        case Photometric.minIsWhite, Photometric.minIsBlack: 1
        case Photometric.rgb: 3
        case Photometric.inks where header.ink_set == 1: 4
        default: 0
        }
    }

    private var isPlain: Bool {
        // 6 and 7 are JPEG, which may hold YCbCr whatever the directory says, but of inks. Lab's a and b have
        // signs, whatever the directory says.
        header.tile_memory <= options.rowMemoryLimit && header.planar == 1
            && (header.sample_format == 1 || isLab)
            && (header.bits == 8 || header.bits == 16) && header.compression != 6
            && (header.compression != 7 || colors == 4) && colors > 0 && header.samples >= colors
    }

    private var isInk: Bool { reading == .samples && colors == 4 }

    func add(_ bytes: [UInt8], y: Int) {
        guard let width = canvas?.fullWidth, y >= 0, y < fullHeight else { return }
        if reading == .samples, isLab {
            let samples = LabSamples(
                isWide: header.bits == 16, isSigned: Int(header.photometric) == Photometric.lab,
                count: Int(header.samples))
            canvas?.add(samples.pixels(bytes, width: width), x: 0, step: 1, y: y)
            return
        }
        if reading == .samples {
            canvas?.add(pixels(bytes.eightBits(header.bits == 16), width), x: 0, step: 1, y: y)
            return
        }
        switch Int(header.extra) {
        case Extra.associated, Extra.unassociated:
            canvas?.add(bytes.unmultiplied, x: 0, step: 1, y: y)
        case Extra.unspecified: canvas?.add(bytes.opaque, x: 0, step: 1, y: y)
        default: canvas?.add(bytes, x: 0, step: 1, y: y)
        }
    }

    private func pixels(_ samples: [UInt8], _ width: Int) -> [UInt8] {
        let step = Int(header.samples), colors = colors
        let isInverted = Int(header.photometric) == Photometric.minIsWhite
        let extra = samples.count >= width * step && step > colors ? Int(header.extra) : -1
        let hasAlpha = extra == Extra.associated || extra == Extra.unassociated
        var pixels = [UInt8](repeating: 255, count: width * 4)
        for x in 0..<min(width, samples.count / step) {
            let from = x * step, to = x * 4
            switch colors {
            case 1:
                let gray = isInverted ? 255 - samples[from] : samples[from]
                for channel in to..<to + 3 { pixels[channel] = gray }
            case 3: for channel in 0..<3 { pixels[to + channel] = samples[from + channel] }
            default: for channel in 0..<4 { pixels[to + channel] = samples[from + channel] }
            }
            if colors < 4, hasAlpha { pixels[to + 3] = samples[from + colors] }
        }
        return colors < 4 && extra == Extra.associated ? pixels.unmultiplied : pixels
    }

    func finish(isCut: Bool, notes: inout [String]) throws(ImageError) -> StoredPixels {
        guard var pixels = canvas?.finish(isCut: isCut, notes: &notes) else { throw .corrupt("no header") }
        let photometric = Int(header.photometric)
        if isInk { pixels.layout = .cmyk(inverted: false) }
        guard !profile.isEmpty else { return pixels }
        switch photometric {
        case Photometric.inks where !isInk:
            notes.append("color profile ignored: the inks are stored in an unusual way")
        // sRGB has been made of it.
        case Photometric.lab, Photometric.iccLab: break
        case Photometric.minIsWhite, Photometric.minIsBlack:
            pixels.layout = .gray
            pixels.source = .profile(profile)
        default: pixels.source = .profile(profile)
        }
        return pixels
    }
}

extension [UInt8] {
    /// Samples of 8 bits, of 8 or 16 in the machine's byte order: v * 255 / 65,535 rounded to nearest.
    fileprivate func eightBits(_ areSixteen: Bool) -> [UInt8] {
        guard areSixteen else { return self }
        return (0..<count / 2).map {
            let value = UInt32(number(at: $0 * 2, 2, bigEndian: UInt16(1).bigEndian == 1))
            return UInt8((value * 255 + 32_895) >> 16)
        }
    }

    fileprivate var opaque: [UInt8] {
        var pixels = self
        for at in stride(from: 3, to: count, by: 4) { pixels[at] = 255 }
        return pixels
    }
}
#endif
