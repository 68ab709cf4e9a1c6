public import ArgumentParser
import Foundation
import MoodyIngest

/// The command line as text that has lost nothing.
///
/// The parser wants text, and Swift's own has U+FFFD for each byte that is not UTF-8. Here such a byte is one
/// of the last characters of Unicode's private planes instead, and so are the bytes of those characters
/// themselves: the way back is never in doubt.
///
/// - Source: the idea is Python's `surrogateescape`, PEP 383; Swift's text has no surrogates.
enum RawArguments {
    /// U+10FE80 + byte: 128 characters from U+10FF00 for the bytes from 0x80.
    private static let first: UInt32 = 0x10FE80

    /// The arguments behind the program's name.
    static var texts: [String] {
        let all = (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            // SAFETY: argv has argc entries, each a string that ends with a NUL and lives as long as the
            // process.
            unsafe CommandLine.unsafeArgv[index].map { unsafe text(bytes(of: $0)) }
        }
        let end = all.firstIndex(of: "--") ?? all.endIndex
        return joined(all[..<end]).map { isUnknownGroup($0) ? $0 + "=" : $0 } + all[end...]
    }

    /// Options that want a number, by all their names; the long one takes a value behind `=`.
    private static let numeric = [
        "--limit": "--limit", "--share": "--share", "--within": "--within", "--preview": "--preview",
        "--poll": "--poll", "--jobs": "--jobs", "-j": "--jobs", "--colors": "--colors", "-k": "--colors",
    ]

    /// A negative number behind an option is its value, if a wrong one: to the parser it is an option.
    private static func joined(_ arguments: ArraySlice<String>) -> [String] {
        var all: [String] = []
        for argument in arguments {
            let isNegative = argument.first == "-" && argument.dropFirst().first?.isNumber == true
            if isNegative, let option = all.last.flatMap({ numeric[$0] }) {
                all[all.count - 1] = "\(option)=\(argument)"
            } else {
                all.append(argument)
            }
        }
        return all
    }

    /// The parser's message, or one of ours where it cannot know better.
    static func explained(_ message: String) -> String {
        guard
            let unknown = texts.first(where: { $0.hasSuffix("=") && isUnknownGroup(String($0.dropLast())) }),
            let usage = message.range(of: "Usage: ")
        else { return shown(message) }
        return shown(
            "Error: Unknown option '\(unknown.dropLast())'; a name that begins with - stands behind --\n"
                + message[usage.lowerBound...])
    }

    /// Whether an argument looks like short options in one word and is none: `-dash.jpg`.
    ///
    /// The parser would find the -h in it and print the help. With a value, if an empty one, it is one option
    /// to it, and one that it does not know.
    private static func isUnknownGroup(_ argument: String) -> Bool {
        guard argument.count > 2, argument.first == "-", argument.dropFirst().first != "-",
            !argument.contains("=")
        else { return false }
        let letters = argument.dropFirst()
        let flags = letters.prefix { "0nLqvh".contains($0) }, rest = letters.dropFirst(flags.count)
        switch rest.first {
        case nil: return false
        case "o": return rest.count > 1
        // Their value follows.
        case "k", "j": return rest.contains("h")
        default: return true
        }
    }

    /// A variable of the environment; nil when there is none or it is empty.
    static func environment(_ name: String) -> BytePath? {
        guard let value = unsafe getenv(name) else { return nil }
        let bytes = unsafe bytes(of: value)
        return bytes.isEmpty ? nil : BytePath(bytes)
    }

    private static func bytes(of string: UnsafePointer<CChar>) -> [UInt8] {
        unsafe UnsafeBufferPointer(start: string, count: strlen(string)).map { UInt8(bitPattern: $0) }
    }

    static func text(_ bytes: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        var rest = bytes[...]
        while !rest.isEmpty {
            var decoder = UTF8(), input = rest.makeIterator()
            if case .scalarValue(let scalar) = decoder.decode(&input), byte(scalar) == nil {
                text.append(scalar)
                rest = rest.dropFirst(UTF8.width(scalar))
            } else if let scalar = Unicode.Scalar(first + UInt32(rest.removeFirst())) {
                text.append(scalar)
            }
        }
        return String(text)
    }

    static func bytes(_ text: String) -> [UInt8] {
        text.unicodeScalars.flatMap { scalar in byte(scalar).map { [$0] } ?? Array(String(scalar).utf8) }
    }

    /// Text for people with arguments in it. Lines stay lines; in them, names can steer nothing.
    static func shown(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { displayText(bytes(String($0))) }
            .joined(separator: "\n")
    }

    private static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        scalar.value >= first + 0x80 && scalar.value <= first + 0xFF ? UInt8(scalar.value - first) : nil
    }
}

extension BytePath: ExpressibleByArgument {
    /// A path on the command line; nil when it is empty, which names nothing.
    public init?(argument: String) {
        if argument.isEmpty { return nil }
        self.init(RawArguments.bytes(argument))
    }

    public static var defaultCompletionKind: CompletionKind { .file() }

    static let standard = BytePath("-")

    /// The path as text; nil when it is not UTF-8.
    var text: String? { String(validating: bytes, as: UTF8.self) }
}
