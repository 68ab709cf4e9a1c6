import Foundation
import Testing

@testable import MoodyGallery

/// The page's script under Node: what needs no page is run as it is, from one line of the script to another.
enum PageScript {
    static let node = ["/usr/bin/node", "/usr/bin/nodejs", "/usr/local/bin/node"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// A part of the script of a live page, which has all of an exported one.
    static func part(from start: String, to end: String) throws -> String {
        let script = String(decoding: GalleryPage.liveScript, as: UTF8.self)
        let first = try #require(script.firstRange(of: start), "\(start)")
        let last = try #require(script[first.lowerBound...].firstRange(of: end), "\(end)")
        return String(script[first.lowerBound..<last.lowerBound])
    }

    /// What expressions say, as JSON, one a line.
    static func values(of expressions: [String], after parts: [String] = []) throws -> [String] {
        let all = [String(decoding: GalleryPage.searchScript, as: UTF8.self)] + parts
        let asks = expressions.map { "console.log(JSON.stringify(\($0)) ?? 'nothing');" }
        let process = Process(), output = Pipe()
        process.executableURL = URL(filePath: try #require(node))
        process.arguments = ["-e", (all + asks).joined(separator: "\n")]
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text.split(separator: "\n").map(String.init)
    }

    /// Records an issue for each expression that says anything else.
    static func expect(_ wanted: [(String, String)], after parts: [String] = []) throws {
        let said = try values(of: wanted.map(\.0), after: parts)
        try #require(said.count == wanted.count, "\(said)")
        for ((expression, value), own) in zip(wanted, said) { #expect(own == value, "\(expression)") }
    }
}
