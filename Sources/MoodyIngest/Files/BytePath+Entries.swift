import Glibc

extension BytePath {
    /// Names in this folder but `.` and `..`, in the order of their bytes.
    ///
    /// - Throws: ``FileError``.
    public func entries() throws(FileError) -> [[UInt8]] {
        guard let stream = unsafe withCString({ unsafe opendir($0) }) else {
            throw FileError(code: errno)
        }
        defer { unsafe closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = unsafe readdir(stream) {
            // SAFETY: d_name ends with a NUL inside its 256 bytes: readdir(3).
            let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
                unsafe Array($0.prefix { $0 != 0 })
            }
            if name != [UInt8(ascii: ".")] && name != Array("..".utf8) { names.append(name) }
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
