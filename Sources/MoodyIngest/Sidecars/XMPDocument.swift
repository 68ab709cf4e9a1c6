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

    /// Whether the photo that the document tells of may have a name with this ending.
    func isOf(_ ending: String) -> Bool {
        guard let own = self["photoshop:SidecarForExtension"] else { return true }
        return own.lowercased() == ending.lowercased()
    }

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
        private var namespaces = XMLNamespaces()
        private var elements: [String] = []
        private var text = ""

        func start(_ name: String, _ attributes: [String: String], line: Int) {
            namespaces.begin(attributes)
            elements.append(full(namespaces.element(name)))
            text = ""
            guard elements.suffix(2) == ["rdf:RDF", "rdf:Description"], elements.count <= 3 else { return }
            for (key, value) in attributes { keep(full(namespaces.attribute(key)), value) }
        }

        func text(_ text: String) { if self.text.utf8.count < 256 { self.text += text } }

        func end(_ name: String) {
            let isProperty = elements.dropLast().suffix(2) == ["rdf:RDF", "rdf:Description"]
            if isProperty, elements.count <= 4, let name = elements.last { keep(name, text) }
            elements.removeLast()
            namespaces.end()
            text = ""
        }

        private func keep(_ name: String, _ value: String) {
            let value = value.trimmingSpace
            if !name.isEmpty, !value.isEmpty, properties[name] == nil { properties[name] = value }
        }

        /// Empty for names of other vocabularies.
        private func full(_ name: (namespace: String, name: String)?) -> String {
            guard let name, let own = XMPDocument.prefixes[name.namespace] else { return "" }
            return own + name.name
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
