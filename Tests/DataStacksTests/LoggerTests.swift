import DataStacks
import Foundation
import Glibc
import Logging
import ManagedObjects
import Testing

/// Who is told, with which place, on which thread.
@Suite struct LoggerTests {
    @Test func `each method comes with the place of the call, on the thread of the call`() throws {
        let logger = RecordingLogger()
        let stack = try Fixture.emptyStack("Config1", logger: logger)
        let here = UInt(pthread_self())
        let line = #line + 1
        try stack.beginSynchronous { $0.create(Into<Sample>()).testEntityID = 1 }
        let warning = try #require(logger.entries.first { $0.level == .warning })
        #expect(warning.file == "\(#fileID)" && warning.line == line && warning.thread == here)
        #expect(warning.function.contains("each method comes"))
        let second = #line + 1
        try stack.beginSynchronous { transaction throws in
            try transaction.commit()
            transaction.create(Into<Sample>()).testEntityID = 2
        }
        let assertion = try #require(logger.entries.first { $0.kind == "assert" })
        #expect(assertion.line == second && assertion.thread == here)
        let third = #line + 1
        stack.beginAsynchronous { _ in throw Refusal() }
        try stack.beginSynchronous { _ in }
        let error = try #require(logger.entries.first { $0.kind == "handleError" })
        #expect(error.error == .user(Refusal()) && error.line == third && error.file == "\(#fileID)")
        #expect(error.thread != 0)
    }

    @Test func `an asynchronous commit that fails goes to handleError, with the place of its begin`() throws {
        let logger = RecordingLogger(), results = Collected<SaveResult>()
        let stack = try Fixture.emptyStack("Config1", logger: logger)
        let line = #line + 1
        stack.beginAsynchronous { transaction in
            transaction.create(Into<Sample>()).testString = "a\u{0}b"
            transaction.commit { results.add($0) }
        }
        #expect(results.wait(for: 1).count == 1)
        let error = try #require(logger.entries.first { $0.kind == "handleError" })
        guard case .store(.textWithNUL) = error.error else {
            Issue.record("\(String(describing: error.error))")
            return
        }
        #expect(error.line == line)
    }

    @Test func `messages go to swift-log with their level and their place`() {
        let handler = RecordingHandler()
        let logger = SwiftLogLogger(Logger(label: "moody") { _ in handler })
        for level in LogLevel.allCases {
            logger.log(
                level: level, message: "\(level)!", fileName: "a.swift", lineNumber: 7, functionName: "f()")
        }
        logger.handleError(
            error: .user(Refusal()), message: "lost", fileName: "b.swift", lineNumber: 8, functionName: "g()")
        let wanted = [
            "debug trace! a.swift:7 f()", "notice notice! a.swift:7 f()", "warning warning! a.swift:7 f()",
            "critical fatal! a.swift:7 f()", "error lost: Refusal() b.swift:8 g()",
        ]
        #expect(handler.lines.values == wanted)
    }

    @Test func `a stack without a logger uses the shared one, and the default one prints`() async throws {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let stack = DataStack(model: try Fixture.model())
                try stack.addInMemoryStorage()
                stack.beginAsynchronous { _ in throw Refusal() }
                try stack.beginSynchronous { _ in }
                let logger = RecordingLogger()
                CoreStore.logger = logger
                stack.beginAsynchronous { _ in throw Refusal() }
                try stack.beginSynchronous { _ in }
                #expect(logger.errors == [.user(Refusal())])
            })
        let printed = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(printed.contains("the block of an asynchronous transaction threw: Refusal()"))
        #expect(printed.contains("LoggerTests.swift"))
    }

    @Test func `the default logger prints its least level and those above, and nothing below`() async throws {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                for least in [LogLevel.warning, .notice] {
                    for level in LogLevel.allCases {
                        DefaultLogger(minimumLevel: least).log(
                            level: level, message: "with \(least)", fileName: "a.swift", lineNumber: 7,
                            functionName: "f()")
                    }
                }
            })
        let printed = String(decoding: result.standardErrorContent, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("CoreStore: ") }
        let wanted = [
            ("warning", "warning"), ("fatal", "warning"), ("notice", "notice"), ("warning", "notice"),
            ("fatal", "notice"),
        ]
        #expect(printed == wanted.map { "CoreStore: \($0.0): with \($0.1) (a.swift:7 f())" })
    }
}

private struct RecordingHandler: LogHandler {
    let lines = Collected<String>()
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }
    func log(event: LogEvent) {
        lines.add("\(event.level) \(event.message) \(event.file):\(event.line) \(event.function)")
    }
}
