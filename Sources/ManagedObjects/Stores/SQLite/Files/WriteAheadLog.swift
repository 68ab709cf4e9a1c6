import Foundation
import Glibc

/// The `-wal` beside a store, as a file: which one it is, and how many transactions it holds.
///
/// - Source: <https://www.sqlite.org/fileformat2.html>, section 4, "The Write-Ahead Log".
struct WriteAheadLog {
    /// Two random numbers at the start of a log, 8 bytes, which SQLite draws anew whenever it begins the log
    /// again; empty without a log.
    private(set) var salts: [UInt8]
    /// The number of transactions. A transaction that is being written may count already.
    private(set) var transactions: Int64

    /// Whether a store has a log with something in it.
    static func isBegun(besideStoreAt url: URL) -> Bool {
        var status = stat()
        return unsafe stat(url.path + "-wal", &status) == 0 && status.st_size > 0
    }

    /// Reads the log of a store; a missing log holds nothing.
    ///
    /// - Returns: nil when the log cannot be read.
    /// - Complexity: a read of 24 bytes for each page in the log.
    init?(besideStoreAt url: URL) {
        let file = unsafe open(url.path + "-wal", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        if file < 0 && errno != ENOENT { return nil }
        (salts, transactions) = ([], 0)
        if file < 0 { return }
        defer { close(file) }
        var offset: off_t = 0, isFailure = false
        func read(_ count: Int) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            let got = unsafe pread(file, &bytes, count, offset)
            if got < 0 { isFailure = true }
            return got == count ? bytes : nil
        }
        func word(_ bytes: [UInt8], _ index: Int) -> UInt32 {
            bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        if let header = read(32) {
            salts = Array(header[16..<24])
            let page = off_t(word(header, 8))
            offset = 32
            // A transaction's last page has the size of the store; pages of an earlier log have other salts.
            while page >= 512, let frame = read(24), frame[8..<16].elementsEqual(salts) {
                if word(frame, 4) > 0 { transactions += 1 }
                offset += 24 + page
            }
        }
        if isFailure { return nil }
    }
}
