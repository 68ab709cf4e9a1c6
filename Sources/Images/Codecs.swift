internal import CImage

/// The libraries behind this room.
public enum Codecs {
    /// Name and version of each, for `--version` and for the record: pixels can differ between versions.
    /// Those of libjpeg-turbo and libexif are of the build; the libraries do not tell while running.
    public static var versions: [(name: String, version: String)] {
        (0..<CInt(CIMAGE_CODECS)).map { index in
            let version = unsafe cimage_codec_version(index)
            // SAFETY: `name` is a string literal of the shim.
            return unsafe (String(cString: version.name), text(version.version))
        }
    }
}
