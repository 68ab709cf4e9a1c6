package import Foundation
package import ManagedObjects

/// Finds a model wherever one is: in a store, a compiled model, or a file of Xcode's editor.
package enum ModelSource {
    /// - Parameter version: of a folder of several versions; nil for the current one.
    /// - Throws: ``StoreError``, ``ModelFileError``.
    package static func model(at url: URL, version: String? = nil) throws -> ManagedObjectModel {
        switch url.pathExtension {
        case "xcdatamodeld", "xcdatamodel", "momd", "mom":
            return try ManagedObjectModel(contentsOf: url, version: version)
        default: break
        }
        let head = (try? FileHandle(forReadingFrom: url).read(upToCount: 256)) ?? Data()
        let text = String(decoding: head, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if (text.hasPrefix("<?xml") || text.hasPrefix("<model")) && !text.contains("<!DOCTYPE database")
            && !text.contains("<database")
        {
            return try ManagedObjectModel(contentsOf: url, version: version)
        }
        return try ManagedObjectModel(ofStoreAt: url)
    }
}
