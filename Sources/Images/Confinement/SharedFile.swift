internal import CSandbox

/// A file in memory that the program and a worker have.
struct SharedFile {
    private let file: Int32

    init(_ file: Int32) { self.file = file }

    /// Returns a copy of bytes, which no other process can change; nil when there are fewer.
    func read(_ count: Int, at offset: Int) -> [UInt8]? {
        guard count >= 0, offset >= 0 else { return nil }
        var isRead = false
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            // SAFETY: writes `count` bytes, for which there is room, or fails.
            let error = count == 0 ? 0 : unsafe csandbox_get(file, buffer.baseAddress, count, offset)
            isRead = error == 0
            initialized = isRead ? count : 0
        }
        return isRead ? bytes : nil
    }

    /// Returns whether all bytes were written.
    func write(_ bytes: [UInt8], at offset: Int) -> Bool {
        // SAFETY: reads the array's own bytes.
        unsafe bytes.withUnsafeBufferPointer {
            unsafe $0.isEmpty || csandbox_put(file, $0.baseAddress, $0.count, offset) == 0
        }
    }

    /// Writes the bytes of options, which the same executable reads.
    func write(_ options: DecodingOptions) -> Bool {
        precondition(_isPOD(DecodingOptions.self), "options hold references")
        // SAFETY: the bytes of a value that lives as long as the closure.
        return write(unsafe withUnsafeBytes(of: options) { unsafe Array($0) }, at: 0)
    }
}
