import Foundation
import Glibc
import MoodyGallery
import MoodyIngest
import Palettes

/// The templates of a format: one, or those of a folder. All are read and checked before any is written.
struct TemplateSet {
    struct Member {
        let format: TemplateFormat
        /// Where the text goes below the output folder.
        let path: [[UInt8]]
        /// Without a dot.
        let ending: String
    }

    let members: [Member]
    let isFolder: Bool

    /// Files in a folder of templates at most.
    private static let most = 1_000

    init(shipped name: String, ending: String, _ format: TemplateFormat) {
        members = [Member(format: format, path: [Array("\(name).\(ending)".utf8)], ending: ending)]
        isFolder = false
    }

    /// - Throws: ``TemplateError``, ``OutputError``.
    init(_ path: BytePath) throws {
        let kind: FileStatus.Kind
        do throws(FileError) { kind = try FileStatus(at: path).kind } catch {
            throw OutputError(name: path.description, error: error)
        }
        isFolder = kind == .folder
        var members: [Member] = []
        if isFolder {
            try Self.addAll(of: path, below: [], to: &members)
            if members.isEmpty { throw OutputError("\(path): no template in it") }
        } else {
            members.append(try Self.member(path, below: []))
        }
        self.members = members
        var taken: [[[UInt8]]: TemplateFormat] = [:]
        for member in members {
            if let other = taken.updateValue(member.format, forKey: member.path) {
                throw OutputError("\(member.format.name): makes the same file as \(other.name)")
            }
        }
    }

    /// Files and folders whose names begin with a dot are not the user's templates.
    private static func addAll(
        of folder: BytePath, below parents: [[UInt8]], to members: inout [Member]
    ) throws {
        let names: [[UInt8]]
        do throws(FileError) { names = try folder.entries() } catch {
            throw OutputError(name: folder.description, error: error)
        }
        for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) where name.first != 0x2E {
            let path = folder.appending(name)
            // A link to a folder could lead round in a circle.
            let isFolder = (try? FileStatus(at: path, followingLinks: false))?.kind == .folder
            if isFolder {
                try addAll(of: path, below: parents + [name], to: &members)
            } else {
                members.append(try member(path, below: parents))
            }
            if members.count > most { throw OutputError("\(folder): more than 1,000 templates") }
        }
    }

    private static func member(_ path: BytePath, below parents: [[UInt8]]) throws -> Member {
        let bytes: [UInt8]
        let isFile: Bool
        do throws(FileError) {
            isFile = try FileStatus(at: path).kind == .regular
            bytes = try readHead(path, count: TemplateFormat.largest + 1)
        } catch { throw OutputError(name: path.description, error: error) }
        if !isFile { throw OutputError("\(path): is not a file") }
        let mark = Array(".mustache".utf8)
        var name = path.name
        if name.count > mark.count, name.suffix(mark.count).elementsEqual(mark) {
            name.removeLast(mark.count)
        }
        let shown = BytePath(name).description
        let ending = shown.lastIndex(of: ".").map { String(shown[shown.index(after: $0)...]) } ?? ""
        let format = try TemplateFormat(bytes, name: path.description, ending: ending)
        return Member(format: format, path: parents + [name], ending: ending)
    }

    // MARK: Writing

    /// Whether a text is made of one photo alone.
    var isTheme: Bool { !members.allSatisfy(\.format.isOfMany) }

    static func grayNote(_ name: String) -> String {
        "moody: \(name): note: no color: the theme is that of a gray"
    }

    /// Refuses themes of several photos, and of none.
    ///
    /// - Parameter advice: the other ways there are, behind "name one".
    /// - Throws: ``OutputError``.
    func check(photos count: Int, advice: String = "") throws {
        guard let theme = members.first(where: { !$0.format.isOfMany })?.format, count != 1 else { return }
        throw OutputError(
            count == 0
                ? "\(theme.name) is a theme of one photo, and none matches"
                : "\(theme.name) is a theme of one photo, and \(count) photos match: name one\(advice)")
    }

    /// Writes the texts: of one template to a file or standard output, of a folder into a folder.
    ///
    /// - Throws: ``OutputError``, ``TemplateError``; then nothing is written.
    func write(
        _ photos: [TemplatePhoto], _ variant: Theme.Variant, to output: BytePath?, overwrite: Bool
    ) throws {
        let texts = try members.map { try $0.format.text(photos, variant) }
        if !isFolder {
            let results = try Results(output, overwrite: overwrite)
            results.write(texts[0])
            return try results.finish()
        }
        guard let output, output != .standard else { return }
        let paths = members.map { member in member.path.reduce(output) { $0.appending($1) } }
        var made: [BytePath] = []
        do {
            for path in paths { try Self.makeFolders(path.folder, &made) }
            for path in paths { try OutputFile.check(path, overwrite: overwrite) }
        } catch {
            for folder in made.reversed() { _ = unsafe folder.withCString { unsafe rmdir($0) } }
            throw error
        }
        for (path, text) in zip(paths, texts) {
            let file = try OutputFile(path, overwrite: overwrite)
            file.write(text)
            try file.finish()
        }
    }

    /// - Parameter made: gets the folders that were not there.
    static func makeFolders(_ folder: BytePath, _ made: inout [BytePath]) throws {
        if (try? FileStatus(at: folder)) != nil { return }
        try makeFolders(folder.folder, &made)
        if unsafe folder.withCString({ unsafe mkdir($0, 0o755) }) == 0 {
            made.append(folder)
        } else if errno != EEXIST {
            throw OutputError(name: folder.description, error: FileError(code: errno))
        }
    }
}
