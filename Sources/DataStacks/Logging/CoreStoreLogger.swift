/// Told what stacks do, and what went wrong where no caller is left to throw to.
///
/// Methods are called on the thread of the call that they are about, so that a debugger shows who made it: a
/// logger must be safe to call from any thread.
///
/// - Source: CoreStore's protocol of this name.
public protocol CoreStoreLogger: Sendable {
    /// Logs a message.
    ///
    /// - Parameters:
    ///   - level: the importance of the message.
    ///   - message: what is logged.
    ///   - fileName: the file of the call that the message is about.
    ///   - lineNumber: the call's line.
    ///   - functionName: the function with the call.
    func log(
        level: LogLevel, message: String, fileName: StaticString, lineNumber: Int, functionName: StaticString
    )

    /// Handles an error: one without a caller to throw to, such as that of an asynchronous commit or of a
    /// merge, with the place of the call that began it.
    func handleError(
        error: StackError, message: String, fileName: StaticString, lineNumber: Int,
        functionName: StaticString
    )

    /// Checks a condition that only a mistake of the program breaks, and may stop the program. When it
    /// returns, the call does nothing, and the transaction's commit throws.
    func assert(
        _ condition: @autoclosure () -> Bool, message: String, fileName: StaticString,
        lineNumber: Int, functionName: StaticString
    )
}

/// How important a message is.
public enum LogLevel: Sendable, Comparable, CaseIterable {
    case trace, notice, warning, fatal
}

extension CoreStoreLogger {
    /// Logs a condition that does not hold as ``LogLevel/fatal``, and returns.
    public func assert(
        _ condition: @autoclosure () -> Bool, message: String, fileName: StaticString,
        lineNumber: Int, functionName: StaticString
    ) {
        if condition() { return }
        log(
            level: .fatal, message: message, fileName: fileName, lineNumber: lineNumber,
            functionName: functionName)
    }
}

/// The place of a program's call, for logs.
struct CallSite: Sendable {
    let fileName: StaticString
    let lineNumber: Int
    let functionName: StaticString
}

extension CoreStoreLogger {
    func log(_ level: LogLevel, _ message: String, _ site: CallSite) {
        log(
            level: level, message: message, fileName: site.fileName, lineNumber: site.lineNumber,
            functionName: site.functionName)
    }

    func handle(_ error: StackError, _ message: String, _ site: CallSite) {
        handleError(
            error: error, message: message, fileName: site.fileName, lineNumber: site.lineNumber,
            functionName: site.functionName)
    }

    func fail(_ message: String, _ site: CallSite) {
        assert(
            false, message: message, fileName: site.fileName, lineNumber: site.lineNumber,
            functionName: site.functionName)
    }
}
