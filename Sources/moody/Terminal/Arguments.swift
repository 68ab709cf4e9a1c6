import Foundation
import MoodyIngest
import Synchronization

/// The bytes of arguments. What the parser hands out is text: where an argument was not UTF-8 its bytes are lost.
enum RawArguments {
    private static let all: [String: [[UInt8]]] = {
        var all: [String: [[UInt8]]] = [:]
        for index in 1..<max(1, Int(CommandLine.argc)) {
            // SAFETY: argv has argc entries, each a string that ends with a NUL and lives as long as the process.
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { continue }
            let bytes = unsafe UnsafeBufferPointer(start: argument, count: strlen(argument))
                .map { UInt8(bitPattern: $0) }
            all[String(decoding: bytes, as: UTF8.self), default: []].append(bytes)
        }
        return all
    }()

    /// The paths that these arguments mean. Two that look the same as text are taken in their order.
    static func paths(_ arguments: [String]) -> [BytePath] {
        var used: [String: Int] = [:]
        return arguments.map { argument in
            let bytes = all[argument] ?? []
            let index = used[argument, default: 0]
            used[argument] = index + 1
            return bytes.isEmpty ? BytePath(argument) : BytePath(bytes[min(index, bytes.count - 1)])
        }
    }
}
