import Images

extension FoundFile {
    /// Why a file is no photo. A mood is of a file that can be opened again, which a member of an archive is
    /// not.
    var reasonAsOther: String {
        guard path.isArchive else { return "\(ImageError.unknownFormat)" }
        let name = shown.description
        let isPlain = name.unicodeScalars.allSatisfy {
            $0.properties.isAlphabetic || $0.properties.numericType != nil
                || "/._-+,@%=:".unicodeScalars.contains($0)
        }
        let quoted = isPlain ? name : "'" + name.replacing("'", with: "'\\''") + "'"
        return "an archive: moody extract --format record \(quoted) | moody import -"
    }
}
