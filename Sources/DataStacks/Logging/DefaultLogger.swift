import Foundation
public import Logging

/// Prints warnings and errors to stderr, with their places. In debug builds a mistake of the program stops
/// it.
public struct DefaultLogger: CoreStoreLogger {
    /// The least important messages that are printed.
    public let minimumLevel: LogLevel

    /// - Parameter minimumLevel: the least important messages to print.
    public init(minimumLevel: LogLevel = .warning) { self.minimumLevel = minimumLevel }

    /// Writes a message to the log.
    public func log(
        level: LogLevel, message: String, fileName: StaticString, lineNumber: Int, functionName: StaticString
    ) {
        if level < minimumLevel { return }
        Self.print(
            "\(level): \(message)", fileName: fileName, lineNumber: lineNumber, functionName: functionName)
    }

    /// Writes an error to the log.
    public func handleError(
        error: StackError, message: String, fileName: StaticString, lineNumber: Int,
        functionName: StaticString
    ) {
        Self.print(
            "error: \(message): \(error)", fileName: fileName, lineNumber: lineNumber,
            functionName: functionName)
    }

    /// Stops a debug build, and writes to the log in a release build.
    public func assert(
        _ condition: @autoclosure () -> Bool, message: String, fileName: StaticString,
        lineNumber: Int, functionName: StaticString
    ) {
        if condition() { return }
        let text = message
        Self.print(
            "assertion failed: \(text)", fileName: fileName, lineNumber: lineNumber,
            functionName: functionName)
        Swift.assertionFailure(text, file: fileName, line: UInt(lineNumber))
    }

    private static func print(
        _ text: String, fileName: StaticString, lineNumber: Int, functionName: StaticString
    ) {
        let line = "CoreStore: \(text) (\(fileName):\(lineNumber) \(functionName))\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}

/// Hands messages to a logger of swift-log; mistakes of the program are logged as critical.
public struct SwiftLogLogger: CoreStoreLogger {
    private let logger: Logger

    /// Creates a logger that writes to a logger of swift-log.
    public init(_ logger: Logger) { self.logger = logger }

    /// Writes a message to the log.
    public func log(
        level: LogLevel, message: String, fileName: StaticString, lineNumber: Int, functionName: StaticString
    ) {
        let swiftLevel: Logger.Level =
            switch level {
            case .trace: .debug
            case .notice: .notice
            case .warning: .warning
            case .fatal: .critical
            }
        logger.log(
            level: swiftLevel, "\(message)", file: "\(fileName)", function: "\(functionName)",
            line: UInt(lineNumber))
    }

    /// Writes an error to the log.
    public func handleError(
        error: StackError, message: String, fileName: StaticString, lineNumber: Int,
        functionName: StaticString
    ) {
        logger.error(
            "\(message): \(error)", file: "\(fileName)", function: "\(functionName)", line: UInt(lineNumber))
    }
}
