import Synchronization

/// The logger of a stack that was made without one: ``CoreStore/logger``, as it is at each call.
struct SharedLogger: CoreStoreLogger {
    private static let shared = Mutex<any CoreStoreLogger>(DefaultLogger())

    static var current: any CoreStoreLogger {
        get { shared.withLock(\.self) }
        set { shared.withLock { $0 = newValue } }
    }

    func log(
        level: LogLevel, message: String, fileName: StaticString, lineNumber: Int, functionName: StaticString
    ) {
        Self.current.log(
            level: level, message: message, fileName: fileName, lineNumber: lineNumber,
            functionName: functionName)
    }

    func handleError(
        error: StackError, message: String, fileName: StaticString, lineNumber: Int,
        functionName: StaticString
    ) {
        Self.current.handleError(
            error: error, message: message, fileName: fileName, lineNumber: lineNumber,
            functionName: functionName)
    }

    func assert(
        _ condition: @autoclosure () -> Bool, message: String, fileName: StaticString,
        lineNumber: Int, functionName: StaticString
    ) {
        Self.current.assert(
            condition(), message: message, fileName: fileName, lineNumber: lineNumber,
            functionName: functionName)
    }
}
