import Glibc
import MoodyIngest

// How the folder takes its place, and what is there goes.
extension PageFolder {
    /// Two renames: between them nothing is at the place, and a kill in that instant leaves the old folder
    /// beside it.
    func putInPlace() throws {
        guard exists else { return try rename(temporary, to: target) }
        // Somebody may have put a file there meanwhile.
        try check()
        var old = temporary
        old.bytes.append(contentsOf: Array(".old".utf8))
        try rename(target, to: old)
        do { try rename(temporary, to: target) } catch {
            try? rename(old, to: target)
            throw error
        }
        remove(old, WrittenPictures(in: old, marker: Self.marker))
    }

    private func rename(_ path: BytePath, to other: BytePath) throws {
        do throws(FileError) { try Replacement.rename(path, to: other) } catch {
            throw OutputError(name: shown, error: error)
        }
    }

    /// Removes the folder that is being written, from a thread that does not write it: by another name it is
    /// out of the writer's reach, who would put files into it meanwhile.
    func removeUnfinished() {
        let gone = BytePath(temporary.bytes + Array(".gone".utf8))
        let isOut = (try? Replacement.rename(temporary, to: gone)) != nil
        remove(isOut ? gone : temporary)
    }

    /// Removes what moody writes and nothing else.
    ///
    /// - Parameter written: its pictures; nil where nobody else can have put any.
    func remove(_ folder: BytePath, _ written: WrittenPictures? = nil) {
        for name in names(in: folder).reversed() where Self.isOurs(name) {
            if let written, Self.isPicture(name), !written.contains(name, in: folder) { continue }
            unsafe folder.appending(name).withCString { path in
                if unsafe unlink(path) != 0 { _ = unsafe rmdir(path) }
            }
        }
        _ = unsafe folder.withCString { unsafe rmdir($0) }
    }
}
