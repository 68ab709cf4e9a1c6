/// What programs put beside photos and is not meant to be looked at: thumbnails, bins, copies.
/// docs/FORMATS.md lists them with their programs.
enum DefaultExcludes {
    /// Folders, in lower case.
    private static let folders = Set(
        [
            "@eadir", "#recycle", "#snapshot", "@recycle", "$recycle.bin", "system volume information",
            "lost+found", ".thumbnails", ".dtrash",
        ].map { Array($0.utf8) })
    private static let trash = Array(".trash-".utf8)
    private static let catalogs = [".lrdata", ".lrlibrary"].map { Array($0.utf8) }
    private static let backup = Array("_original".utf8)
    private static let library = Array(".photoslibrary".utf8)
    /// The folders of a Photos library that hold photos and no derivatives.
    private static let masters = Set(["originals", "masters"].map { Array($0.utf8) })
    /// A folder with such a file is none for galleries, as Android has it.
    static let mark = Array(".nomedia".utf8)

    /// - Parameters:
    ///   - name: the last part of the path.
    ///   - below: the parts between the folder that was named and it.
    static func holds(_ name: [UInt8], below: [[UInt8]], isFolder: Bool) -> Bool {
        if let parent = below.last, parent.count > library.count, isSuffix(library, of: parent) {
            return !isFolder || !masters.contains(name.map(lowercased))
        }
        guard isFolder else { return name.count > backup.count && isSuffix(backup, of: name) }
        let lower = name.map(lowercased)
        return folders.contains(lower) || lower.starts(with: trash)
            || catalogs.contains { lower.count > $0.count && isSuffix($0, of: lower) }
    }

    private static func isSuffix(_ end: [UInt8], of name: [UInt8]) -> Bool {
        zip(name.suffix(end.count), end).allSatisfy { lowercased($0) == $1 }
    }
}
