package import Foundation
import ManagedObjects

/// Text for bytes in a store that are a keyed archive or JSON.
package enum ArchivedText {
    /// Nil for bytes of another kind.
    package static func text(of data: Data) -> String? {
        if data.starts(with: Array("bplist0".utf8)) { return ArchivedObject.text(of: data) }
        guard let first = data.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "{"),
            data.count <= 1 << 20, isJSON(data)
        else { return nil }
        return String(decoding: data, as: UTF8.self)
    }

    /// Whether bytes look like JSON: brackets in pairs outside of texts, and no control characters. Not a
    /// validation; Foundation's parser is asked for that.
    private static func isJSON(_ data: Data) -> Bool {
        guard String(validating: data, as: UTF8.self) != nil else { return false }
        return (try? JSONSerialization.jsonObject(with: data)) != nil
    }
}
