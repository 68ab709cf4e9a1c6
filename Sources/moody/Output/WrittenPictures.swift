import Foundation
import MoodyIngest
import MoodyModel

/// The pictures that moody put into the folder of a page, and their sizes: anything else there is somebody's.
struct WrittenPictures {
    /// The contents of the folder's marker.
    let text: String
    /// A file that was being replaced may have either size.
    private let sizes: [[UInt8]: Set<Int64>]
    /// The sources of sharp pictures: hash and size.
    private let marks: [[UInt8]: String]
    /// The page, for folders of the first version, whose marker lists nothing.
    private let page: String

    init(in folder: BytePath, marker: String) {
        let bytes = (try? readFile(folder.appending(Array(marker.utf8)))) ?? []
        text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\n").dropFirst()
        let pairs = bytes.split(separator: 10).dropFirst().compactMap { line -> ([UInt8], Set<Int64>)? in
            // A name may hold spaces, and its size none.
            guard let space = line.lastIndex(of: 32) else { return nil }
            let size = Int64(String(decoding: line[(space + 1)...], as: UTF8.self))
            return size.map { (Self.name(line[..<space]), [$0]) }
        }
        sizes = Dictionary(pairs) { $0.union($1) }
        marks = Dictionary(
            lines.compactMap { line -> ([UInt8], String)? in
                let parts = line.split(separator: " ")
                return parts.count == 2 && Int64(parts[1]) == nil
                    ? (Array(parts[1].utf8), String(parts[0])) : nil
            }
        ) { $1 }
        let index = lines.isEmpty ? try? readFile(folder.appending(Array("index.html".utf8))) : nil
        page = String(decoding: index ?? [], as: UTF8.self)
    }

    /// - Parameter name: below the folder, as `pictures/12.jpg`.
    func contains(_ name: [UInt8], in folder: BytePath) -> Bool {
        if let size = sizes[name] {
            let status = try? FileStatus(at: folder.appending(name), followingLinks: false)
            return status.map { $0.kind == .regular && size.contains($0.file.size) } ?? false
        }
        return !page.isEmpty && page.contains("\"\(String(decoding: name, as: UTF8.self))\"")
    }

    /// Whether the marker has it.
    func lists(_ name: [UInt8]) -> Bool { sizes[name] != nil }

    /// The hash and size that a sharp picture was made of.
    func mark(of name: [UInt8]) -> String? { marks[name] }

    static func line(_ name: String, _ bytes: [UInt8]) -> String { "\(name) \(bytes.count)\n" }

    /// A line of the marker for a name of any bytes: one with a new line, or that begins with `=`, stands in
    /// base64 behind a `=`.
    static func line(_ name: [UInt8], size: Int) -> [UInt8] {
        let isPlain = !name.contains(10) && name.first != UInt8(ascii: "=")
        let shown = isPlain ? name : Array("=".utf8) + Array(Data(name).base64EncodedString().utf8)
        return shown + Array(" \(size)\n".utf8)
    }

    private static func name(_ written: some Collection<UInt8>) -> [UInt8] {
        guard written.first == UInt8(ascii: "="),
            let name = Data(base64Encoded: Data(written.dropFirst()))
        else { return Array(written) }
        return [UInt8](name)
    }
}
