import MoodyGallery
import MoodyIngest

/// A list of colors in a file.
enum ColorListFile {
    /// - Throws: ``ColorList/Failure``, ``FileError``.
    static func read(_ path: BytePath) throws -> ColorList {
        let bytes = try readHead(path, count: ColorList.largest + 1)
        if bytes.isEmpty || bytes.count > ColorList.largest { throw ColorList.Failure.otherFile }
        return try ColorList(bytes)
    }

    /// The list of `--names`.
    ///
    /// - Throws: ``OutputError`` for a file that cannot be read, or is no list.
    static func names(_ path: BytePath, _ messages: Messages) throws -> NearestNames {
        do {
            let list = try read(path)
            for note in list.notes { messages.note("moody: \(path): note: \(note)") }
            return NearestNames(list)
        } catch let error as FileError {
            throw OutputError(name: path.description, error: error)
        } catch ColorList.Failure.tooMany {
            throw OutputError("\(path): more than 100,000 colors")
        } catch ColorList.Failure.noColor {
            throw OutputError("\(path): no color in it")
        } catch { throw OutputError("\(path): no list of colors") }
    }
}
