import Glibc

/// A folder that is open: what is in it is reached by name, which the system finds faster than by a whole
/// path.
struct OpenFolder: ~Copyable {
    private let file: Int32

    /// - Throws: ``FileError``.
    init(_ path: BytePath) throws(FileError) {
        file = unsafe path.withCString { unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard file >= 0 else { throw FileError(code: errno) }
    }

    deinit { close(file) }

    /// Names in this folder but `.` and `..`, in the order of their bytes.
    ///
    /// - Throws: ``FileError``.
    borrowing func names() throws(FileError) -> [[UInt8]] {
        // closedir(3) closes what fdopendir(3) was given.
        let copy = fcntl(file, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, let stream = unsafe fdopendir(copy) else { throw FileError(code: errno) }
        defer { unsafe closedir(stream) }
        var names: [[UInt8]] = []
        while let entry = unsafe readdir(stream) {
            // SAFETY: d_name ends with a NUL inside its 256 bytes: readdir(3).
            unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                let length = unsafe strnlen(bytes.baseAddress.unsafelyUnwrapped, bytes.count)
                let areDots = unsafe length <= 2 && bytes[..<length].allSatisfy { $0 == UInt8(ascii: ".") }
                if !areDots { unsafe names.append(Array(bytes[..<length])) }
            }
        }
        return names.sorted(by: precedes)
    }

    /// Whether there is anything but `.` and `..`; reads no further than the first name.
    ///
    /// - Throws: ``FileError``.
    borrowing func holdsSomething() throws(FileError) -> Bool {
        // closedir(3) closes what fdopendir(3) was given.
        let copy = fcntl(file, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, let stream = unsafe fdopendir(copy) else { throw FileError(code: errno) }
        defer { unsafe closedir(stream) }
        while let entry = unsafe readdir(stream) {
            // SAFETY: d_name ends with a NUL inside its 256 bytes: readdir(3).
            let areDots = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                let length = unsafe strnlen(bytes.baseAddress.unsafelyUnwrapped, bytes.count)
                return unsafe length <= 2 && bytes[..<length].allSatisfy { $0 == UInt8(ascii: ".") }
            }
            if !areDots { return true }
        }
        return false
    }

    /// - Throws: ``FileError``.
    borrowing func status(of name: [UInt8], followingLinks: Bool) throws(FileError) -> FileStatus {
        var status = stat()
        let result = unsafe BytePath(name).withCString {
            unsafe fstatat(file, $0, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW)
        }
        guard result == 0 else { throw FileError(code: errno) }
        return FileStatus(status)
    }
}

extension BytePath {
    /// Names in this folder but `.` and `..`, in the order of their bytes.
    ///
    /// - Throws: ``FileError``.
    package func entries() throws(FileError) -> [[UInt8]] { try OpenFolder(self).names() }

    /// Whether this folder holds anything.
    ///
    /// - Throws: ``FileError``.
    func holdsSomething() throws(FileError) -> Bool { try OpenFolder(self).holdsSomething() }
}

/// The order of bytes, as memcmp(3) has it; of two of which one begins the other, the shorter first.
func precedes(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    let order = unsafe a.withUnsafeBytes { first in
        unsafe b.withUnsafeBytes { second -> Int32 in
            guard let left = first.baseAddress, let right = second.baseAddress else { return 0 }
            // SAFETY: both have that many bytes.
            return unsafe memcmp(left, right, min(first.count, second.count))
        }
    }
    return order == 0 ? a.count < b.count : order < 0
}
