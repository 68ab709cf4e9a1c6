import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes

/// Hands over a store in a file of its own, which is gone afterwards.
func withStoreFile(_ make: (URL) throws -> DataStack, _ body: (DataStack) throws -> Void) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "search-\(UUID().uuidString).moody")
    let stack = try make(url)
    defer {
        try? stack.coordinator.close()
        try? FileManager.default.removeItem(at: url)
    }
    try body(stack)
}

extension Transaction {
    /// Puts in a photo of these colors; its thumbnail is empty.
    func importPhoto(
        _ name: String, in folder: String, number: Int, of swatches: [(hex: String, share: Double)],
        _ facts: CaptureInfo
    ) throws {
        let entries = swatches.map { Palette.Entry(color: RGB(hex: $0.hex)!, share: $0.share) }
        let mood = MoodSource(
            palette: Palette(entries: entries), request: PaletteRequest(PaletteOptions()), facts: facts,
            thumbnail: Data(), preview: nil)
        let source = PhotoImport(
            location: FileLocation(
                folder: Data(folder.utf8), name: Data(name.utf8), path: "\(folder)/\(name)"),
            file: FileStamp(size: 1, mtimeNs: 1, inode: Int64(number)), contentHash: nil, seen: Date(),
            result: .kept(mood))
        _ = try importUniqueObject(Photo.self, from: source)
    }
}
