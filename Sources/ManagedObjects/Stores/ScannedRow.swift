import Foundation
import GRDBSQLite

/// A row of a scan, as it lies in the store: no array, no tuple and no copy of its bytes is made for it.
///
/// The object stands for each row in turn, and only while the scan's closure runs. Scans over a hundred
/// thousand rows are why: a row's values one by one are six allocations.
package final class ScannedRow {
    private enum Source {
        case values(CompactValues)
        case statement(RawColumns)
    }

    private var source: Source
    /// The store and entity of the row that a statement's column names.
    private let homes: [StoreEntity?]

    /// - Parameter columns: of a statement that outlives this object.
    init(_ columns: RawColumns, _ homes: [StoreEntity?]) {
        (source, self.homes) = (.statement(columns), homes)
    }

    init() { (source, homes) = (.values([]), []) }

    /// Goes to the next row of a store that has no statement.
    func adopt(_ values: CompactValues) { source = .values(values) }

    package func isNull(_ column: Int) -> Bool {
        switch source {
        case .values(let values): if case .null = values[column] { true } else { false }
        case .statement(let columns): columns.isNull(column)
        }
    }

    /// 0 for what is no whole number.
    package func int(_ column: Int) -> Int64 {
        switch source {
        case .values(let values): if case .int(let value) = values[column] { value } else { 0 }
        case .statement(let columns): columns.int(column)
        }
    }

    /// 0 for what is no number.
    package func double(_ column: Int) -> Double {
        switch source {
        case .values(let values):
            switch values[column] {
            case .double(let value): value
            case .int(let value): Double(value)
            default: 0
            }
        case .statement(let columns): columns.double(column)
        }
    }

    /// The key of the row that the column names; 0 for none, and for what no row can have.
    package func key(_ column: Int) -> Int64 {
        switch source {
        case .values(let values): if case .id(let id) = values[column] { id.key } else { 0 }
        case .statement(let columns):
            (1...StoredNumber.greatest).contains(columns.int(column)) ? columns.int(column) : 0
        }
    }

    /// The row that the column names; nil for none.
    package func id(_ column: Int) -> ManagedObjectID? {
        switch source {
        case .values(let values): if case .id(let id) = values[column] { return id } else { return nil }
        case .statement(let columns):
            guard !columns.isNull(column), let home = homes[column] else { return nil }
            return try? ManagedObjectID(home, stored: columns.int(column))
        }
    }

    /// The bytes of a text; none for what is no text.
    package func utf8(_ column: Int) -> [UInt8] {
        switch source {
        case .values(let values): if case .text(let text) = values[column] { Array(text.utf8) } else { [] }
        case .statement(let columns): unsafe Array(columns.text(column))
        }
    }

    /// None for what is no blob.
    package func bytes(_ column: Int) -> [UInt8] { unsafe withBytes(column) { unsafe [UInt8]($0) } }

    /// A blob as numbers of 32 bits, the lowest byte of each first.
    package func numbers(_ column: Int) -> [UInt32] {
        unsafe withBytes(column) { bytes in
            // SAFETY: each is loaded from four bytes of the blob.
            (0..<bytes.count / 4).map { at in
                UInt32(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: at * 4, as: UInt32.self))
            }
        }
    }

    /// Whether the blob is these bytes.
    package func holds(_ bytes: [UInt8], at column: Int) -> Bool {
        unsafe withBytes(column) { found in
            // SAFETY: both have that many bytes.
            unsafe found.count == bytes.count
                && bytes.withUnsafeBytes { known in
                    guard let a = found.baseAddress, let b = known.baseAddress else { return true }
                    return unsafe memcmp(a, b, known.count) == 0
                }
        }
    }

    /// A blob of 16 bytes, the first ones highest; nil for anything else.
    package func words(_ column: Int) -> (high: UInt64, low: UInt64)? {
        unsafe withBytes(column) { bytes in
            guard bytes.count == 16 else { return nil }
            // SAFETY: two words are 16 bytes.
            return unsafe (
                UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    private func withBytes<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch source {
        case .statement(let columns): return unsafe body(columns.blob(column))
        case .values(let values):
            if case .blob(let data) = values[column] {
                return unsafe data.withUnsafeBytes { unsafe body($0) }
            }
            return unsafe body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }
}

/// The columns of the row that a statement stands at.
struct RawColumns {
    private let handle: SQLiteHandle
    private let first: Int32

    /// - Parameter first: the column that is called 0.
    init(_ handle: SQLiteHandle, from first: Int) { (self.handle, self.first) = (handle, Int32(first)) }

    func isNull(_ column: Int) -> Bool {
        unsafe sqlite3_column_type(handle.pointer, first + Int32(column)) == SQLITE_NULL
    }

    func int(_ column: Int) -> Int64 {
        unsafe sqlite3_column_int64(handle.pointer, first + Int32(column))
    }

    func double(_ column: Int) -> Double {
        unsafe sqlite3_column_double(handle.pointer, first + Int32(column))
    }

    /// Valid until the next step, and until the column is asked for as something else.
    @unsafe func text(_ column: Int) -> UnsafeBufferPointer<UInt8> {
        let pointer = unsafe handle.pointer, index = first + Int32(column)
        guard unsafe sqlite3_column_type(pointer, index) == SQLITE_TEXT else {
            return unsafe UnsafeBufferPointer(start: nil, count: 0)
        }
        return unsafe UnsafeBufferPointer(
            start: sqlite3_column_text(pointer, index), count: Int(sqlite3_column_bytes(pointer, index)))
    }

    /// Valid until the next step, and until the column is asked for as something else.
    @unsafe func blob(_ column: Int) -> UnsafeRawBufferPointer {
        let pointer = unsafe handle.pointer, index = first + Int32(column)
        guard unsafe sqlite3_column_type(pointer, index) == SQLITE_BLOB else {
            return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return unsafe UnsafeRawBufferPointer(
            start: sqlite3_column_blob(pointer, index), count: Int(sqlite3_column_bytes(pointer, index)))
    }
}

/// A prepared statement, as SQLite names it.
@safe struct SQLiteHandle {
    let pointer: OpaquePointer
}
