import Images
import MoodyIngest
import Palettes
import Synchronization

/// Files that moody never overwrites, whatever the options: photos, and stores with their files.
enum ProtectedFile {
    private static let own = Mutex<Set<BytePath>>([])

    /// From now on these paths, and what is below them, belong to the store of this run, whether they are
    /// there yet or not.
    static func add(_ paths: Set<BytePath>) { own.withLock { $0.formUnion(paths) } }

    /// Looks at the place and at the names beside it. Opens nothing that this run has open.
    ///
    /// - Parameter shown: what the user calls it.
    /// - Throws: ``OutputError`` for a place that is a store's.
    static func refuseStore(_ path: BytePath, shown: String? = nil) throws {
        let shown = shown ?? "\(path)"
        guard let folder = try? path.folder.resolved() else { return }
        let resolved = folder.appending(path.name), own = own.withLock { $0 }
        let stores = StoreFiles(open: own)
        if !stores.isCompanion(path) && !stores.isCompanion(resolved) && stores.isStore(path) {
            throw OutputError("\(shown): is a store; moody never writes over stores")
        }
        let above = sequence(first: resolved) { $0.bytes.count > 1 ? $0.folder : nil }
        if own.contains(where: { resolved.isBelow($0) }) || stores.isCompanion(path)
            || stores.isCompanion(resolved) || above.contains(where: { stores.isSupport($0) })
        {
            throw OutputError("\(shown): belongs to a store; moody never writes over stores")
        }
    }

    /// - Parameters:
    ///   - head: how the file begins.
    ///   - isOurs: it says that moody wrote it.
    /// - Throws: ``OutputError`` for a photo of any kind, whether this build reads it or not.
    static func refusePhoto(_ path: BytePath, head: [UInt8], isOurs: Bool) throws {
        if ImageFormat(bytes: head) != nil && !PaletteCard.isPNG(head) {
            throw OutputError("\(path): is a photo; moody never writes photos")
        }
        if !isOurs && isNamedAsPhoto(path.name) {
            throw OutputError("\(path): is named as a photo; moody never writes photos")
        }
        // How SQLite's write-ahead log begins, in either order of bytes.
        // <https://www.sqlite.org/fileformat2.html>, 4.1
        if head.starts(with: [0x37, 0x7F, 0x06, 0x82]) || head.starts(with: [0x37, 0x7F, 0x06, 0x83]) {
            throw OutputError("\(path): belongs to a store; moody never writes over stores")
        }
    }
}
