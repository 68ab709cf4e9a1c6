internal import Glibc

extension [UInt8] {
    /// The next byte FF at or after `start`, by the C library's vectorised search.
    func nextFF(from start: Int) -> Int? {
        guard start >= 0, start < count else { return nil }
        // SAFETY: searches the `count - start` bytes from `start`; the result is only compared with the base.
        return unsafe withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress,
                let found = unsafe memchr(base + start, 0xFF, bytes.count - start)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - base
        }
    }
}
