import Glibc

/// Writes all of it, however many calls that takes; waits for a slow reader.
///
/// - Returns: 0, or the `errno` of the call that failed: EPIPE when nobody reads any more.
package func writeAll(_ bytes: RawSpan, to file: Int32) -> Int32 {
    var sent = 0
    while sent < bytes.byteCount {
        // SAFETY: write(2) reads no more than the length of what is left.
        let count = unsafe bytes.extracting(droppingFirst: sent).withUnsafeBytes {
            unsafe Glibc.write(file, $0.baseAddress, $0.count)
        }
        if count >= 0 {
            sent += count
        } else if errno == EAGAIN {
            // A pipe or a terminal that somebody made non-blocking.
            var wanted = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
            _ = unsafe poll(&wanted, 1, -1)
        } else if errno != EINTR {
            return errno
        }
    }
    return 0
}
