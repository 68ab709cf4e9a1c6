internal import CImage

extension ImageError {
    /// Returns the error for a library's status when no part of the picture is kept.
    ///
    /// - Parameters:
    ///   - status: `ok` too, when what came is no whole picture all the same.
    ///   - message: the library's own words.
    ///   - rows: of `height`, in scan `scan`: how far it came when the data ended early.
    init(_ status: cimage_status, _ message: String, rows: Int = 0, height: Int = 0, scan: Int = 1) {
        self =
            switch status {
            case .ok, .corrupt, .stopped: .corrupt(message)
            case .truncated: .truncated(rows: rows, height: height, scan: scan)
            case .unsupported: .unsupported(message)
            case .too_large: .pastLimit(message)
            }
    }
}
