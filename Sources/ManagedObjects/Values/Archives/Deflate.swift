internal import Czlib

/// Raw deflate, without the heads of zlib and gzip: how stores keep their model.
enum Deflate {
    /// The most that compressed bytes may become: a model of some thousand entities has a hundredth.
    static let greatest = 64 << 20

    /// - Throws: ``ArchiveError`` for broken bytes, and for more than ``greatest``.
    static func decompress(_ bytes: [UInt8]) throws(ArchiveError) -> [UInt8] {
        var stream = unsafe z_stream(), result: [UInt8] = []
        // Negative: without a head. zlib checks the size of the structure against its own.
        var status = unsafe inflateInit2_(
            &stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw ArchiveError("no memory for compressed data") }
        defer { unsafe inflateEnd(&stream) }
        let size = 1 << 16
        // SAFETY: both buffers outlive the calls of zlib, which reads `avail_in` bytes of the one and writes
        // at most `avail_out` of the other.
        unsafe bytes.withUnsafeBufferPointer { input in
            unsafe stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            unsafe stream.avail_in = UInt32(clamping: input.count)
            while status == Z_OK, result.count <= greatest {
                unsafe result += [UInt8](unsafeUninitializedCapacity: size) { part, count in
                    unsafe stream.next_out = part.baseAddress
                    unsafe stream.avail_out = UInt32(size)
                    status = unsafe inflate(&stream, Z_NO_FLUSH)
                    count = unsafe size - Int(stream.avail_out)
                }
            }
        }
        if result.count > greatest { throw ArchiveError("too much compressed data") }
        guard status == Z_STREAM_END else { throw ArchiveError("broken compressed data") }
        return result
    }

    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        var size = compressBound(UInt(bytes.count))
        var packed = [UInt8](repeating: 0, count: Int(size))
        // Fails without memory alone: `packed` has room for whatever it becomes.
        let status = unsafe compress2(&packed, &size, bytes, UInt(bytes.count), Z_DEFAULT_COMPRESSION)
        precondition(status == Z_OK, "no memory to compress")
        // Without zlib's head and checksum.
        return Array(packed[2..<Int(size) - 4])
    }
}
