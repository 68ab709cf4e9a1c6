import Foundation
import ManagedObjects

/// The simple properties of an XMP document, by the usual prefixes of their names.
struct XMPDocument {
    private let properties: [String: String]

    /// - Throws: ``XMLError`` with the line.
    init(_ bytes: [UInt8]) throws {
        let handler = Handler()
        try XMLReader.read(Data(bytes), to: handler, allowsType: false)
        properties = handler.properties
    }

    subscript(name: String) -> String? { properties[name] }

    private static let prefixes = [
        "http://ns.adobe.com/exif/1.0/": "exif:", "http://ns.adobe.com/photoshop/1.0/": "photoshop:",
        "http://ns.adobe.com/xap/1.0/": "xmp:", "http://ns.adobe.com/tiff/1.0/": "tiff:",
        "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf:",
    ]

    /// Takes the properties of the descriptions of the photo, and not those of descriptions inside them.
    ///
    /// - Source: XMP part 1, 7.4, 7.9.2.2.
    private final class Handler: XMLHandler {
        var properties: [String: String] = [:]
        /// The meanings of each prefix, the innermost last.
        private var namespaces: [String: [String]] = [:]
        /// The prefixes that each open element declares.
        private var declared: [[String]] = []
        private var elements: [String] = []
        private var text = ""

        func start(_ name: String, _ attributes: [String: String], line: Int) {
            var prefixes: [String] = []
            for (key, value) in attributes where key == "xmlns" || key.hasPrefix("xmlns:") {
                let prefix = String(key.dropFirst(6))
                namespaces[prefix, default: []].append(value)
                prefixes.append(prefix)
            }
            declared.append(prefixes)
            elements.append(full(name, isAttribute: false))
            text = ""
            guard elements.suffix(2) == ["rdf:RDF", "rdf:Description"], elements.count <= 3 else { return }
            for (key, value) in attributes { keep(full(key, isAttribute: true), value) }
        }

        func text(_ text: String) { if self.text.utf8.count < 256 { self.text += text } }

        func end(_ name: String) {
            let isProperty = elements.dropLast().suffix(2) == ["rdf:RDF", "rdf:Description"]
            if isProperty, elements.count <= 4, let name = elements.last { keep(name, text) }
            elements.removeLast()
            for prefix in declared.removeLast() { namespaces[prefix]?.removeLast() }
            text = ""
        }

        private func keep(_ name: String, _ value: String) {
            let value = value.trimmingSpace
            if !name.isEmpty, !value.isEmpty, properties[name] == nil { properties[name] = value }
        }

        /// Empty for names of other vocabularies.
        private func full(_ name: String, isAttribute: Bool) -> String {
            let parts = name.split(separator: ":", maxSplits: 1)
            if parts.count == 1 && isAttribute { return "" }
            let prefix = parts.count == 2 ? String(parts[0]) : ""
            guard let uri = namespaces[prefix]?.last, let own = XMPDocument.prefixes[uri] else { return "" }
            return own + (parts.last ?? "")
        }
    }
}

extension String {
    fileprivate var trimmingSpace: String {
        let scalars = unicodeScalars.drop { $0.properties.isWhitespace }
        guard let last = scalars.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        return String(scalars[...last])
    }
}
