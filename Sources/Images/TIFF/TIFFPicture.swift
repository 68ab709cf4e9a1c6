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
    private enum Extra { static let none = -1, unspecified = 0, associated = 1, unassociated = 2 }

    func begin(_ header: cimage_tiff_header, _ profile: [UInt8]) -> cimage_tiff_reading {
        (self.header, self.profile) = (header, profile)
        // Of a file that does not say how colors are stored, their number does.
        if header.photometric < 0 {
            self.header.photometric = CInt(header.samples >= 3 ? Photometric.rgb : Photometric.minIsBlack)
        }
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
        header.tile_memory <= options.rowMemoryLimit && (header.planar == 1 || hasReadablePlanes)
            && (isLab ? !isFloat && (header.bits == 8 || header.bits == 16) : hasReadableSamples)
            && header.compression != 6
            && (header.compression != 7 || colors == 4) && colors > 0 && header.samples >= colors
    }

    /// Planes apart of which libtiff makes no colors.
    private var hasReadablePlanes: Bool {
        header.planar == 2 && !header.tiled && !isLab && header.bits % 8 == 0
            && (isFloat || header.bits > 16)
    }

    private var isFloat: Bool { header.sample_format == 3 }

    /// What libtiff makes no colors of is read here: whole numbers of up to 32 bits, and numbers with a
    /// fraction of 16 or 32.
    private var hasReadableSamples: Bool {
        let bits = Int(header.bits)
        if isFloat { return bits == 16 || bits == 32 }
        // Of few bits libtiff makes gray; pixels of tiles that are no whole bytes are rare.
        return header.sample_format == 1 && (1...32).contains(bits) && (colors > 1 || bits > 4)
            && (!header.tiled || bits * Int(header.samples) % 8 == 0)
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
            let count = width * Int(header.samples)
            let samples = bytes.eightBits(Int(header.bits), isFloat: isFloat, count: count)
            canvas?.add(pixels(samples, width), x: 0, step: 1, y: y)
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
        let extra = samples.count >= width * step && step > colors ? Int(header.extra) : Extra.unspecified
        // One that the file says nothing of is alpha, as Pillow and libvips have it.
        let hasAlpha = extra != Extra.unspecified && (extra != Extra.none || step == colors + 1)
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
    /// Samples of 8 bits, rounded to nearest. Those of whole bytes are in the machine's byte order; others
    /// are packed, most significant bit first. 1.0 is the most of those with a fraction.
    fileprivate func eightBits(_ bits: Int, isFloat: Bool, count: Int) -> [UInt8] {
        let isBig = UInt16(1).bigEndian == 1, size = bits / 8
        if isFloat {
            return (0..<Swift.min(count, self.count / size)).map {
                let word = number(at: $0 * size, size, bigEndian: isBig)
                let value = size == 2 ? half(word) : Float(bitPattern: UInt32(truncatingIfNeeded: word))
                return value > 0 ? UInt8(Swift.min(value, 1) * 255 + 0.5) : 0
            }
        }
        if bits == 8 { return self }
        let most = 1 << bits - 1
        if bits % 8 == 0 {
            return (0..<Swift.min(count, self.count / size)).map {
                UInt8((number(at: $0 * size, size, bigEndian: isBig) * 255 + most / 2) / most)
            }
        }
        return (0..<Swift.min(count, self.count * 8 / bits)).map { index in
            var value = 0
            for bit in index * bits..<(index + 1) * bits {
                value = value << 1 | Int(self[bit >> 3] >> UInt8(7 - bit & 7) & 1)
            }
            return UInt8((value * 255 + most / 2) / most)
        }
    }

    /// IEEE 754's binary16.
    private func half(_ word: Int) -> Float {
        let exponent = word >> 10 & 31, fraction = Float(word & 1023) / 1024
        let size =
            exponent == 0
            ? fraction / 16_384
            : exponent == 31
                ? (fraction == 0 ? .infinity : .nan)
                : (1 + fraction) * Float(sign: .plus, exponent: exponent - 15, significand: 1)
        return word & 0x8000 == 0 ? size : -size
    }

    fileprivate var opaque: [UInt8] {
        var pixels = self
        for at in stride(from: 3, to: count, by: 4) { pixels[at] = 255 }
        return pixels
    }
}
#endif
