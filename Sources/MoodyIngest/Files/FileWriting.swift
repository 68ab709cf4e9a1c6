import Glibc
import ManagedObjects

/// Writes all of it, however many calls that takes; waits for a slow reader.
///
/// - Throws: ``FileError``; EPIPE when nobody reads any more.
package func writeAll(_ bytes: [UInt8], to file: Int32) throws(FileError) {
    // SAFETY: bytes have no padding between them.
    let code = ManagedObjects.writeAll(unsafe bytes.span.bytes, to: file)
    if code != 0 { throw FileError(code: code) }
}

/// Writes a new file.
///
/// - Throws: ``FileError``; EEXIST when there is something at the path.
package func writeFile(_ bytes: [UInt8], to path: BytePath) throws(FileError) {
    let file = try makeFile(path)
    do throws(FileError) { try writeAll(bytes, to: file) } catch {
        close(file)
        throw error
    }
    if close(file) != 0 { throw FileError(code: errno) }
}

/// A new file that is open for writing: never one that is there, nor one that a link leads to.
///
/// - Throws: ``FileError``; EEXIST when there is something at the path.
package func makeFile(_ path: BytePath, mode: UInt32 = 0o644) throws(FileError) -> Int32 {
    let file = unsafe path.withCString {
        unsafe open($0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    }
    guard file >= 0 else { throw FileError(code: errno) }
    return file
}

/// Waits until the entries of a folder are on the disk.
///
/// - Throws: ``FileError``.
package func syncFolder(_ path: BytePath) throws(FileError) {
    let folder = unsafe path.withCString { unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard folder >= 0 else { throw FileError(code: errno) }
    defer { close(folder) }
    // Some file systems cannot.
    if fsync(folder) != 0, errno != EINVAL { throw FileError(code: errno) }
}
