import GRDB
import GRDBSQLite

/// Adds the tests of texts, which are those of memory, so that the two cannot differ. By SQLite's interface,
/// since functions of GRDB get a text up to its first U+0000.
func addTextFunctions(to database: Database) throws {
    try unsafe add("MOODY_LOCALIZED_CONTAINS", argumentCount: 2, to: database) { context, _, values in
        guard let text = unsafe value(values, 0), let part = unsafe value(values, 1) else {
            return unsafe answer(context, false)
        }
        let holds = PredicateNode.TextTest.localizedContains.holds(.text(text), .text(part))
        unsafe answer(context, holds)
    }
    try unsafe add("MOODY_TEXT", argumentCount: 4, to: database) { context, _, values in
        guard let kind = unsafe value(values, 0).flatMap(FoldedTest.Kind.init),
            let options = unsafe value(values, 1), let text = unsafe value(values, 2),
            let pattern = unsafe value(values, 3)
        else { return unsafe answer(context, false) }
        unsafe answer(context, FoldedTest(kind, options).holds(text, pattern))
    }
}

private typealias TextFunction =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

private func add(
    _ name: String, argumentCount: Int32, to database: Database, _ function: TextFunction
) throws {
    let code = unsafe sqlite3_create_function_v2(
        database.sqliteConnection, name, argumentCount, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, function,
        nil,
        nil, nil)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
}

/// Nil for a value that is no text.
private func value(_ values: UnsafeMutablePointer<OpaquePointer?>?, _ index: Int) -> String? {
    guard let value = unsafe values?[index], unsafe sqlite3_value_type(value) == SQLITE_TEXT,
        let bytes = unsafe sqlite3_value_text(value)
    else { return nil }
    // SAFETY: SQLite calls a function with as many values as it was added for; the bytes of a value stay
    // while it runs.
    let buffer = unsafe UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value)))
    return unsafe String(decoding: buffer, as: UTF8.self)
}

private func answer(_ context: OpaquePointer?, _ truth: Bool) {
    unsafe sqlite3_result_int(context, truth ? 1 : 0)
}
