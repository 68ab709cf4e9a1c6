internal import Glibc

/// The entropy-coded data of one scan without its stuffing: bits one after the other, and where each restart
/// interval begins.
///
/// - Source: ITU-T T.81 B.1.1.5 (FF 00 stands for FF), F.1.2.3 (padding), E.1.4 (restart markers count modulo
///   8).
struct EntropyData {
    /// Zero bytes behind the data, so that a reader may run over its end by a few symbols.
    static let padding = 128

    /// The data and the padding. As a `RawSpan` it counts as unsafe, because other types have bytes between
    /// their elements; every `unsafe` before `bytes.span.bytes` in this folder says that these have none.
    let bytes: [UInt8]
    /// Where each restart interval begins, in bytes, and at last where the data ends.
    let segments: [Int]
    /// Where in the file the marker behind the scan lies, or the file's end.
    let end: Int

    /// Bytes of data.
    var count: Int { segments[segments.count - 1] }

    /// Copies a scan's data from `file[start...]`.
    ///
    /// Nil when restart markers do not count up.
    ///
    /// - Complexity: O(*n*): one search for FF and one copy a run between two of them.
    init?(_ file: [UInt8], from start: Int) {
        var segments = [0], end = file.count, inOrder = true
        bytes = unsafe [UInt8](unsafeUninitializedCapacity: file.count - start + EntropyData.padding) {
            copy, count in
            var read = start
            while true {
                let found = file.nextFF(from: read) ?? file.count
                // SAFETY: `read...found` lies in the file; what was copied so far is at most `read - start`
                // bytes, so the run fits. The padding below fits too: at most `file.count - start` bytes
                // precede it.
                unsafe file.withUnsafeBufferPointer {
                    guard let target = copy.baseAddress, let source = $0.baseAddress else { return }
                    unsafe memcpy(target + count, source + read, found - read)
                }
                count += found - read
                guard found + 1 < file.count else {
                    end = file.count
                    break
                }
                let next = file[found + 1]
                read = found + 2
                if next == 0 {
                    unsafe copy[count] = 0xFF
                    count += 1
                } else if (0xD0...0xD7).contains(next) {
                    if Int(next & 7) != (segments.count - 1) & 7 { inOrder = false }
                    segments.append(count)
                } else if next == 0xFF {
                    read = found + 1
                } else {
                    end = found
                    break
                }
            }
            segments.append(count)
            for _ in 0..<EntropyData.padding {
                unsafe copy[count] = 0
                count += 1
            }
        }
        self.segments = segments
        self.end = end
        guard inOrder else { return nil }
    }
}
