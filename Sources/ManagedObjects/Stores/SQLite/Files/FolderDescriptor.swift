import Foundation
import Glibc

/// A folder, open for calls below it. A name in it that is a symbolic link is never followed: whoever hands
/// over a store with a link in place of one of its folders or files could have files elsewhere read and
/// removed.
struct FolderDescriptor: ~Copyable {
    private let file: Int32
    /// For messages.
    private let name: String

    /// Opens a folder by its path, whose own links are followed.
    ///
    /// - Throws: ``StoreError/file(_:errno:)``.
    init(_ url: URL) throws(StoreError) {
        name = url.lastPathComponent
        file = unsafe Glibc.open(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if file < 0 { throw .file(url.path, errno: errno) }
    }

    private init(_ file: Int32, _ name: String) { (self.file, self.name) = (file, name) }

    deinit { close(file) }

    /// Opens a folder in this one.
    ///
    /// - Parameter permissions: those of a folder that is to be made where there is none; nil for an error.
    /// - Throws: ``StoreError/file(_:errno:)``; ELOOP for a symbolic link.
    func folder(_ name: String, making permissions: StorePermissions? = nil) throws(StoreError)
        -> FolderDescriptor
    {
        var refusal: Int32 = 0
        if permissions != nil, unsafe mkdirat(file, name, 0o777) != 0 { refusal = errno }
        let isNew = permissions != nil && refusal == 0
        let other = unsafe openat(file, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        if other < 0 {
            let code = errno
            if isLink(name) { throw .file(name, errno: ELOOP) }
            throw .file(name, errno: code == ENOENT && refusal != 0 && refusal != EEXIST ? refusal : code)
        }
        if isNew {
            permissions?.apply(toFolder: other)
            if fsync(file) != 0 {
                let code = errno
                _ = close(other)
                throw .file(name, errno: code)
            }
        }
        return FolderDescriptor(other, name)
    }

    private func isLink(_ name: String) -> Bool { (status(name)?.st_mode ?? 0) & S_IFMT == S_IFLNK }

    /// Opens a file of this folder.
    ///
    /// - Returns: the descriptor, or a negative number and `errno`.
    func open(_ name: String, _ flags: Int32, mode: mode_t = 0o644) -> Int32 {
        unsafe openat(file, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode)
    }

    /// Opens a folder in this one; nil where there is none of that name, but a link for instance.
    ///
    /// - Throws: ``StoreError/file(_:errno:)``.
    func folderIfThere(_ name: String) throws(StoreError) -> FolderDescriptor? {
        do { return try folder(name) } catch {
            if case .file(_, ENOENT) = error { return nil }
            if case .file(_, ENOTDIR) = error { return nil }
            if case .file(_, ELOOP) = error { return nil }
            throw error
        }
    }

    /// Nil for a name that is not there. A link is itself.
    func status(_ name: String) -> stat? {
        var status = stat()
        return unsafe fstatat(file, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// Whether that could be done.
    @discardableResult
    func remove(_ name: String) -> Bool { unsafe unlinkat(file, name, 0) == 0 }

    /// Removes a folder that is empty.
    func removeFolder(_ name: String) { _ = unsafe unlinkat(file, name, AT_REMOVEDIR) }

    /// Removes a folder of this one with all that is in it.
    func removeTree(_ name: String) {
        if let folder = try? folder(name) {
            for inner in (try? folder.names()) ?? [] {
                if let status = folder.status(inner), status.st_mode & S_IFMT == S_IFDIR {
                    folder.removeTree(inner)
                } else {
                    folder.remove(inner)
                }
            }
        }
        removeFolder(name)
    }

    /// Gives a file of this folder the same name in another one; one that is there stays.
    func move(_ name: String, to other: borrowing FolderDescriptor) {
        if unsafe linkat(file, name, other.file, name, 0) == 0 {
            remove(name)
        } else if other.status(name) == nil {
            // A file system without links.
            _ = unsafe renameat(file, name, other.file, name)
        }
    }

    /// Whether a file of this folder has a second name now.
    func link(_ name: String, in other: borrowing FolderDescriptor) -> Bool {
        unsafe linkat(file, name, other.file, name, 0) == 0
    }

    /// Waits until the folder's entries are on the disk.
    func sync() throws(StoreError) {
        if fsync(file) != 0 { throw .file(name, errno: errno) }
    }

    /// - Throws: ``StoreError/file(_:errno:)``.
    func names() throws(StoreError) -> [String] {
        // A descriptor of its own, which closedir(3) closes.
        let copy = unsafe openat(file, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if copy < 0 { throw .file(name, errno: errno) }
        guard let stream = unsafe fdopendir(copy) else {
            let code = errno
            close(copy)
            throw .file(name, errno: code)
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(stream) else {
                if errno != 0 { throw .file(name, errno: errno) }
                return names
            }
            // SAFETY: the kernel ends the name with a NUL.
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }
}
