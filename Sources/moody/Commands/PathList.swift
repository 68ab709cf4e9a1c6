import ArgumentParser
import Foundation
import Glibc
import MoodyIngest

/// Paths from a file or from standard input, a line each.
enum PathList {
    /// - Parameter nul: NUL ends a path, so that one may hold a new line.
    static func read(_ name: BytePath, nul: Bool) throws -> [BytePath] {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = name == .standard ? try readAll(STDIN_FILENO) : try readList(name)
        } catch { throw OutputError(name: name.description, error: error) }
        if nul { return bytes.split(separator: 0).map { BytePath($0) } }
        if bytes.contains(0) {
            throw UsageError("\(name): holds NUL, which ends its paths with -0 only.")
        }
        // As editors of Windows write a list: a mark in front, a carriage return at the end of each line.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return bytes.dropFirst(bytes.starts(with: mark) ? mark.count : 0).split(separator: UInt8(ascii: "\n"))
            .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
            .filter { !$0.isEmpty }.map { BytePath($0) }
    }
}
