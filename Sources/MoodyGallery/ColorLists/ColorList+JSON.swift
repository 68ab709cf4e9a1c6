import Foundation
import Palettes

extension ColorList {
    /// `{"name": "#hex"}`, `[{"name", "hex"}]`, design tokens, and moody's own, however deep: a text that is
    /// a color, and the name beside it or above it. Names of an object are taken in order.
    ///
    /// - Returns: whether it is JSON.
    mutating func readJSON(_ text: String) -> Bool {
        guard let value = try? JSONSerialization.jsonObject(with: Data(text.utf8)) else { return false }
        collect(value, name: "", place: "")
        return true
    }

    private mutating func collect(_ value: Any, name: String, place: String) {
        if entries.count > Self.most { return }
        if let text = value as? String {
            guard text.hasPrefix("#") else { return }
            if let color = RGB(hex: text) { add(name, color) } else { note("\(place): \(text) is no hex") }
        } else if let list = value as? [Any] {
            for (index, item) in list.enumerated() { collect(item, name: name, place: "\(place)[\(index)]") }
        } else if let object = value as? [String: Any] {
            collect(object, name: name, place: place)
        }
    }

    private mutating func collect(_ object: [String: Any], name: String, place: String) {
        let own = object["name"] as? String
        if let hex = (object["hex"] as? String).flatMap({ RGB(hex: $0) }) {
            return add(own ?? name, hex)
        }
        let before = (entries.count, notes.count)
        for key in object.keys.sorted() where !["description", "$description", "$extensions"].contains(key) {
            guard let inner = object[key] else { continue }
            // A token's value has the token's name.
            collect(
                inner, name: key == "$value" ? name : own ?? key,
                place: place.isEmpty ? key : "\(place).\(key)")
        }
        let isColor = own != nil || object["hex"] != nil || object["$value"] != nil
        if isColor, before == (entries.count, notes.count) {
            note("\(place.isEmpty ? "the object" : place)\(own.map { " (\($0))" } ?? ""): no hex")
        }
    }
}
