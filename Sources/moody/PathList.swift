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
        return bytes.split(separator: nul ? 0 : UInt8(ascii: "\n")).map { line in
            BytePath(!nul && line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        }
    }
}
