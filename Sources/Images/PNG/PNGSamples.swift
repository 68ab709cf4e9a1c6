/// Turns a PNG's samples into bytes of sRGB.
struct PNGSamples {
    /// Bytes a sample, 1 or 2.
    let size: Int
    /// The byte for each sample value, for files with a gamma of their own; alpha is never gamma-coded.
    private let table: [UInt8]?

    init(depth: Int, table: [UInt8]?) {
        size = depth == 16 ? 2 : 1
        self.table = table
    }

    /// R G B A bytes of a row.
    func pixels(_ row: UnsafeRawBufferPointer) -> [UInt8] {
        // SAFETY: reads inside the buffer, by its own count; two-byte samples are aligned to two bytes by the
        // shim, and unaligned loads would do no harm.
        let samples: [UInt8]
        if size == 1 {
            samples = unsafe Array(row)
            guard let table else { return samples }
            return samples.enumerated().map { $0.offset & 3 == 3 ? $0.element : table[Int($0.element)] }
        }
        let wide = (0..<row.count / 2).map {
            unsafe row.loadUnaligned(fromByteOffset: $0 * 2, as: UInt16.self)
        }
        return wide.enumerated().map { index, value in
            // v * 255 / 65,535 rounded to nearest.
            if index & 3 != 3, let table { return table[Int(value)] }
            return UInt8((UInt32(value) * 255 + 32_895) >> 16)
        }
    }
}
