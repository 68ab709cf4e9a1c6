import Foundation
import Palettes

extension ColorList {
    /// `{"name": "#hex"}`, `[{"name", "hex"}]`, design tokens, and moody's own, however deep: a text that is
    /// a color, and the name beside it or above it. Names of an object are taken in order.
    ///
    /// - Returns: whether it is JSON.
    mutating func readJSON(_ text: String) -> Bool {
        guard let value = try? JSONSerialization.jsonObject(with: Data(text.utf8)) else { return false }
        collect(value, name: "")
        return true
    }

    private mutating func collect(_ value: Any, name: String) {
        if entries.count > Self.most { return }
        if let text = value as? String {
            if text.hasPrefix("#"), let color = RGB(hex: text) { add(name, color) }
        } else if let list = value as? [Any] {
            for item in list { collect(item, name: name) }
        } else if let object = value as? [String: Any] {
            let own = object["name"] as? String
            if let hex = (object["hex"] as? String).flatMap({ RGB(hex: $0) }) {
                return add(own ?? name, hex)
            }
            for key in object.keys.sorted()
            where !["description", "$description", "$extensions"].contains(key) {
                // A token's value has the token's name.
                if let inner = object[key] { collect(inner, name: key == "$value" ? name : own ?? key) }
            }
        }
    }
}
