import MoodyIngest
import MoodyModel

/// The pictures that moody put into the folder of a page, and their sizes: anything else there is somebody's.
struct WrittenPictures {
    /// What the folder's marker says.
    let text: String
    private let sizes: [[UInt8]: Int64]
    /// What sharp pictures were made of: contents and size.
    private let marks: [[UInt8]: String]
    /// The page, for folders of the first version, whose marker lists nothing.
    private let page: String

    init(in folder: BytePath, marker: String) {
        let bytes = (try? readFile(folder.appending(Array(marker.utf8)))) ?? []
        text = String(decoding: bytes, as: UTF8.self)
        let lines = text.split(separator: "\n").dropFirst()
        let pairs = lines.compactMap { line -> ([UInt8], Int64)? in
            // A name may hold spaces, and its size none.
            guard let space = line.lastIndex(of: " ") else { return nil }
            return Int64(line[line.index(after: space)...]).map { (Array(line[..<space].utf8), $0) }
        }
        sizes = Dictionary(pairs) { $1 }
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
            return status?.kind == .regular && status?.file.size == size
        }
        return !page.isEmpty && page.contains("\"\(String(decoding: name, as: UTF8.self))\"")
    }

    /// Whether the marker has it.
    func lists(_ name: [UInt8]) -> Bool { sizes[name] != nil }

    /// Of which contents, and how large, a sharp picture was made.
    func mark(of name: [UInt8]) -> String? { marks[name] }

    static func line(_ name: String, _ bytes: [UInt8]) -> String { "\(name) \(bytes.count)\n" }
}
