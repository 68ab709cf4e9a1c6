internal import CArchives
internal import CImage

/// The libraries behind this room.
public enum Codecs {
    /// Name and version of each, for `--version` and for the record: pixels can differ between versions.
    /// That of libjpeg-turbo is of the build: the library does not tell while running.
    public static var versions: [(name: String, version: String)] {
        (0..<cimage_codec_count()).map { index in
            let version = unsafe cimage_codec_version(index)
            // SAFETY: `name` is a string literal of the shim.
            return unsafe (String(cString: version.name), text(version.version))
        } + archives
    }

    private static var archives: [(name: String, version: String)] {
        // SAFETY: a string literal of libarchive: `libarchive 3.6.2`.
        let words = unsafe carchives_version().map { unsafe String(cString: $0) }
        return words.map { [("libarchive", String($0.split(separator: " ").last ?? ""))] } ?? []
    }
}
