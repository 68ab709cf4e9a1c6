internal import CImage

/// The XXH3 hash of a file's bytes: what tells that two photos are the same file.
///
/// - Returns: 16 bytes, the 128-bit hash in xxHash's canonical order, most significant byte first.
/// - Complexity: O(*n*), several GB/s.
public func contentHash(_ bytes: [UInt8]) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 16) { hash, count in
        // SAFETY: reads `count` bytes, writes 16.
        unsafe bytes.withUnsafeBufferPointer {
            unsafe cimage_hash($0.baseAddress, $0.count, hash.baseAddress)
        }
        count = 16
    }
}
