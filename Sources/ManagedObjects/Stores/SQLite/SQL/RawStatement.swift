import Foundation
import GRDB
import GRDBSQLite

/// A prepared statement, bound and read column by column, without a value in between.
///
/// Rows of a hundred thousand objects are why. GRDB prepares the statement, keeps it and owns the
/// connection; this only steps it.
struct RawStatement: ~Copyable {
    private let statement: Statement
    private let database: Database

    /// In bytes. What is longer is a chain of conditions that nobody asks twice.
    private static let longestKept = 16_384

    /// A statement that the connection keeps; its text is looked up, not prepared again.
    init(_ sql: String, in database: Database) throws {
        statement =
            sql.utf8.count > Self.longestKept
            ? try database.makeStatement(sql: sql) : try database.cachedStatement(sql: sql)
        self.database = database
        unsafe sqlite3_reset(statement.sqliteStatement)
    }

    deinit { unsafe sqlite3_reset(statement.sqliteStatement) }

    /// The columns from `first` on, of whichever row it stands at; not beyond the statement's life.
    func columns(from first: Int) -> RawColumns {
        RawColumns(unsafe SQLiteHandle(pointer: statement.sqliteStatement), from: first)
    }

    /// - Parameter index: from 1.
    func bind(_ value: StoredValue, at index: Int) {
        let handle = unsafe statement.sqliteStatement, index = Int32(index)
        switch value {
        case .null: unsafe sqlite3_bind_null(handle, index)
        case .int(let value): unsafe sqlite3_bind_int64(handle, index, value)
        case .double(let value): unsafe sqlite3_bind_double(handle, index, value)
        case .id(let id): unsafe sqlite3_bind_int64(handle, index, id.key)
        case .external: bind(ExternalFiles.column(value), at: Int(index))
        case .text(var value):
            // SAFETY: SQLite copies the bytes before it returns (SQLITE_TRANSIENT). A String has an address
            // for its bytes even when there are none; a null one would bind null.
            value.withUTF8 { bytes in
                _ = unsafe bytes.withMemoryRebound(to: CChar.self) { text in
                    unsafe sqlite3_bind_text(handle, index, text.baseAddress, Int32(text.count), transient)
                }
            }
        case .blob(let value):
            // SAFETY: as above. A zero-length blob has no address, and a null address would bind null.
            if value.isEmpty {
                unsafe sqlite3_bind_zeroblob(handle, index, 0)
            } else {
                unsafe value.withUnsafeBytes { bytes in
                    _ = unsafe sqlite3_bind_blob(
                        handle, index, bytes.baseAddress, Int32(bytes.count), transient)
                }
            }
        }
    }

    func bind(_ values: [StoredValue]) {
        for (index, value) in values.enumerated() { bind(value, at: index + 1) }
    }

    /// Goes to the next row.
    ///
    /// - Returns: false behind the last.
    /// - Throws: `DatabaseError`.
    func next() throws -> Bool {
        switch unsafe sqlite3_step(statement.sqliteStatement) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            throw DatabaseError(
                resultCode: database.lastErrorCode, message: database.lastErrorMessage, sql: statement.sql)
        }
    }

    /// Runs a statement that has no rows, and gets ready to run it again.
    func run() throws {
        defer { unsafe sqlite3_reset(statement.sqliteStatement) }
        while try next() {}
    }

    /// Runs a kept statement that has no rows.
    static func run(_ sql: String, _ values: [StoredValue], in database: Database) throws {
        let statement = try RawStatement(sql, in: database)
        statement.bind(values)
        try statement.run()
    }

    /// Returns the number in the first column of the first row; nil for null and where there is no row.
    static func number(_ sql: String, _ values: [StoredValue] = [], in database: Database) throws -> Int64? {
        let statement = try RawStatement(sql, in: database)
        statement.bind(values)
        return try statement.next() && !statement.isNull(0) ? statement.int(0) : nil
    }

    func reset() { unsafe sqlite3_reset(statement.sqliteStatement) }

    /// - Parameter column: from 0.
    func int(_ column: Int) -> Int64 { unsafe sqlite3_column_int64(statement.sqliteStatement, Int32(column)) }

    func isNull(_ column: Int) -> Bool {
        unsafe sqlite3_column_type(statement.sqliteStatement, Int32(column)) == SQLITE_NULL
    }

    func value(_ column: Int) -> StoredValue {
        let handle = unsafe statement.sqliteStatement, column = Int32(column)
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .int(unsafe sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .double(unsafe sqlite3_column_double(handle, column))
        case SQLITE_TEXT:
            guard let text = unsafe sqlite3_column_text(handle, column) else { return .text("") }
            let count = Int(unsafe sqlite3_column_bytes(handle, column))
            // SAFETY: the bytes stay until the next step, and there are `count` of them.
            return unsafe .text(
                String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self))
        case SQLITE_BLOB:
            let count = Int(unsafe sqlite3_column_bytes(handle, column))
            guard count > 0, let bytes = unsafe sqlite3_column_blob(handle, column) else {
                return .blob(Data())
            }
            // SAFETY: as above.
            return unsafe .blob(Data(bytes: bytes, count: count))
        default: return .null
        }
    }
}

/// Tells SQLite to copy what it is given.
///
/// - Source: SQLITE_TRANSIENT in sqlite3.h, which is a cast that Swift does not import.
private let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
