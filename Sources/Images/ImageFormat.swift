/// The kinds of file this room reads.
public enum ImageFormat: String, Sendable, CaseIterable {
    case jpeg, png

    /// Tells the kind by the first bytes, never by a name.
    ///
    /// - Source: ITU-T T.81 B.1.1.3 (SOI); PNG 1.2, 3.1 (signature).
    public init?(bytes: [UInt8]) {
        if bytes.starts(with: [0xFF, 0xD8]) {
            self = .jpeg
        } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else {
            return nil
        }
    }
}
