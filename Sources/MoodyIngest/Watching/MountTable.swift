import Glibc

/// Which file systems are mounted where, as the kernel lists them in /proc/self/mountinfo.
struct MountTable: Sendable {
    struct Mount: Hashable, Sendable {
        /// The kernel's number of it, which one that is mounted later may have again.
        let number: [UInt8]
        let point: BytePath
        let type: String
    }

    private var mounts: [Mount] = []

    /// The table of this process; empty when there is none to read.
    static func current() -> MountTable {
        guard let file = try? openMountInfo() else { return MountTable([]) }
        defer { close(file) }
        return MountTable((try? readAll(file)) ?? [])
    }

    static func openMountInfo() throws(FileError) -> Int32 {
        let file = unsafe open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw FileError(code: errno) }
        return file
    }

    /// - Source: proc(5): the fifth field is the mount point, the first behind " - " the type.
    init(_ table: [UInt8]) {
        for line in table.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard fields.count > 6, let dash = fields.firstIndex(where: { $0.elementsEqual("-".utf8) }),
                dash + 1 < fields.count
            else { continue }
            let type = String(decoding: fields[dash + 1], as: UTF8.self)
            mounts.append(
                Mount(number: Array(fields[0]), point: Self.unescaped(fields[4]), type: type))
        }
    }

    /// Spaces and the like are written as a backslash and three octal digits.
    private static func unescaped(_ field: ArraySlice<UInt8>) -> BytePath {
        var bytes: [UInt8] = [], rest = field
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            let value = digits.reduce(0) { $0 * 8 + Int($1) - 48 }
            if byte == UInt8(ascii: "\\"), digits.count == 3, (0..<256).contains(value) {
                bytes.append(UInt8(value))
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return BytePath(bytes)
    }

    /// The type of the file system that an absolute path lies on; nil when it is not known.
    func type(at path: BytePath) -> String? {
        var best: Mount?
        // The later of two mounts at one point hides the earlier.
        for mount in mounts
        where path.isBelow(mount.point) && mount.point.bytes.count >= best?.point.bytes.count ?? 0 {
            best = mount
        }
        return best?.type
    }

    /// The types of the file systems that a folder and what is below it lie on, as far as they are known.
    func types(around folder: BytePath) -> [String] {
        mounts.filter { $0.point.isBelow(folder) }.map(\.type) + [type(at: folder)].compactMap(\.self)
    }

    func isMounted(_ point: BytePath) -> Bool { mounts.contains { $0.point == point } }

    /// The points on the way to a folder or below it where something was mounted since `earlier`, or was
    /// until then.
    func changes(since earlier: MountTable, around folder: BytePath) -> Set<BytePath> {
        let changed = Set(mounts).symmetricDifference(earlier.mounts)
        return Set(changed.map(\.point).filter { $0.isBelow(folder) || folder.isBelow($0) })
    }

    /// Whether other machines, or programs, change files there without the kernel's knowledge: it has no news
    /// then.
    static func isRemote(_ type: String) -> Bool {
        type == "fuse" || type.hasPrefix("fuse.")
            || ["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "ceph", "afs", "virtiofs"].contains(type)
    }
}
