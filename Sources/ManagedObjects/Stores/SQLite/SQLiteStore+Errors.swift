import GRDB
import GRDBSQLite

/// Runs `body` and turns GRDB's errors into ``StoreError``.
func sqlite<Value>(_ body: () throws -> Value) throws -> Value {
    do { return try body() } catch let error as DatabaseError { throw StoreError(error) }
}

extension StoreError {
    fileprivate init(_ error: DatabaseError) {
        switch error.resultCode {
        case .SQLITE_NOTADB: self = .notAStore
        case .SQLITE_BUSY, .SQLITE_LOCKED: self = .inUse
        default:
            self = .sqlite(
                code: error.resultCode.rawValue, message: Self.message(of: error),
                sql: error.sql)
        }
    }

    /// SQLite's last error is "not an error" where only a code was returned.
    private static func message(of error: DatabaseError) -> String {
        if let message = error.message, message != "not an error" { return message }
        // SAFETY: a text of SQLite's own, which stays.
        return unsafe String(cString: sqlite3_errstr(error.resultCode.rawValue))
    }

    /// The columns of a broken uniqueness constraint, as SQLite names them: "ZPHOTO.ZFOLDER, ZPHOTO.ZNAME".
    static func constrainedColumns(_ error: DatabaseError) -> [String]? {
        let start = "UNIQUE constraint failed: "
        guard error.resultCode == .SQLITE_CONSTRAINT, let message = error.message, message.hasPrefix(start)
        else { return nil }
        return message.dropFirst(start.count).split(separator: ",").map {
            String($0.drop { $0 == " " }.split(separator: ".").last ?? "")
        }
    }
}
