import Foundation
import Glibc

/// The `-wal` beside a store, as a file: which one it is, and how many transactions it holds.
///
/// - Source: <https://www.sqlite.org/fileformat2.html>, section 4, "The Write-Ahead Log".
struct WriteAheadLog {
    /// Two random numbers that a log begins with. SQLite draws others when it begins it anew.
    let salts: [UInt8]
    /// One that is being written may count already.
    let transactions: Int64

    /// Whether a store has a log with something in it.
    static func isBegun(besideStoreAt url: URL) -> Bool {
        var status = stat()
        return unsafe stat(url.path + "-wal", &status) == 0 && status.st_size > 0
    }

    /// Nil where there is no log, or one that holds nothing.
    ///
    /// - Complexity: a read of 24 bytes for each page in the log.
    init?(besideStoreAt url: URL) {
        let file = unsafe open(url.path + "-wal", O_RDONLY | O_CLOEXEC)
        if file < 0 { return nil }
        defer { close(file) }
        var offset: off_t = 0
        func read(_ count: Int) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            return unsafe pread(file, &bytes, count, offset) == count ? bytes : nil
        }
        func word(_ bytes: [UInt8], _ index: Int) -> UInt32 {
            bytes[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        guard let header = read(32) else { return nil }
        let page = off_t(word(header, 8)), salts = Array(header[16..<24])
        var transactions: Int64 = 0
        offset = 32
        // A transaction's last page has the size of the store; pages of an earlier log have other salts.
        while page >= 512, let frame = read(24), frame[8..<16].elementsEqual(salts) {
            if word(frame, 4) > 0 { transactions += 1 }
            offset += 24 + page
        }
        (self.salts, self.transactions) = (salts, transactions)
    }
}
