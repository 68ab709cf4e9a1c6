package import Foundation
import Glibc

/// Reads lines of any length from a file or a pipe, without their ends.
package struct LineReader: ~Copyable {
    private let file: Int32
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false
    /// A line above this is no record: thumbnails are some 20 KB.
    private static let mostBytes = 64 << 20

    package init(file: Int32) { self.file = file }

    /// - Returns: the next line, also a last one without an end; nil behind it. Empty for a line that is too
    ///   long to be a record.
    /// - Throws: ``FileError``.
    package mutating func next() throws(FileError) -> Data? {
        var searched = start, isTooLong = false
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return isTooLong ? Data() : Data(buffer[start..<end])
            }
            if isAtEnd {
                if start == buffer.count { return isTooLong ? Data() : nil }
                defer { start = buffer.count }
                return isTooLong ? Data() : Data(buffer[start...])
            }
            buffer.removeFirst(start)
            start = 0
            if buffer.count > Self.mostBytes { (buffer, isTooLong) = ([], true) }
            searched = buffer.count
            let more = try part()
            if more.isEmpty { isAtEnd = true }
            buffer += more
        }
    }

    /// Reads the bytes that a pipe has now, without waiting for more.
    private func part() throws(FileError) -> [UInt8] {
        let file = file, size = 1 << 16
        var failure: FileError?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while true {
                // SAFETY: reads at most `size` bytes into memory of that size.
                let got = unsafe Glibc.read(file, buffer.baseAddress, size)
                if got < 0 && errno == EINTR { continue }
                if got < 0 { failure = FileError(code: errno) }
                count = max(got, 0)
                return
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
