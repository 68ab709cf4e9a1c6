/// The kinds of file this room knows. JPEG and PNG are always read, each of the others in builds with its
/// ``trait``.
public enum ImageFormat: String, Sendable, CaseIterable {
    case jpeg, png, webp, heic, avif, jxl, tiff, gif
    /// A camera's raw file, of any maker: read through its embedded preview.
    case raw

    /// As people write it.
    public var name: String {
        switch self {
        case .jpeg: "JPEG"
        case .png: "PNG"
        case .webp: "WebP"
        case .heic: "HEIC"
        case .avif: "AVIF"
        case .jxl: "JPEG XL"
        case .tiff: "TIFF"
        case .gif: "GIF"
        case .raw: "RAW"
        }
    }

    /// The trait of the package that builds it in; nil: none is needed.
    public var trait: String? {
        switch self {
        case .jpeg, .png: nil
        case .webp: "WebP"
        case .heic: "HEIF"
        case .avif: "AVIF"
        case .jxl: "JXL"
        case .tiff: "TIFF"
        case .gif: "GIF"
        case .raw: "RAW"
        }
    }

    /// This build reads it.
    public var isBuiltIn: Bool {
        switch self {
        case .jpeg, .png: return true
        case .webp:
            #if WebP
            return true
            #else
            return false
            #endif
        case .heic:
            #if HEIF
            return true
            #else
            return false
            #endif
        case .avif:
            #if AVIF
            return true
            #else
            return false
            #endif
        case .jxl:
            #if JXL
            return true
            #else
            return false
            #endif
        case .tiff:
            #if TIFF
            return true
            #else
            return false
            #endif
        case .gif:
            #if GIF
            return true
            #else
            return false
            #endif
        case .raw:
            #if RAW
            return true
            #else
            return false
            #endif
        }
    }

    /// Ends of the names such files usually have, lower case, without the dot. What a file is its bytes say,
    /// never these.
    public var fileNameExtensions: [String] {
        switch self {
        case .jpeg: ["jpg", "jpeg", "jpe", "jfif"]
        case .png: ["png"]
        case .webp: ["webp"]
        case .heic: ["heic", "heif", "hif"]
        case .avif: ["avif"]
        case .jxl: ["jxl"]
        case .tiff: ["tif", "tiff"]
        case .gif: ["gif"]
        case .raw:
            [
                "3fr", "arw", "cr2", "cr3", "crw", "dcr", "dng", "erf", "iiq", "kdc", "mef", "mos", "mrw",
                "nef", "nrw", "orf", "pef", "raf", "raw", "rw2", "rwl", "sr2", "srf", "srw", "x3f",
            ]
        }
    }
}
