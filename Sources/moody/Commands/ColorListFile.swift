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
}
