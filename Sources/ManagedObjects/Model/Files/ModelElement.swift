import Foundation
import FoundationXML

/// An element of a model's XML: what it is called, what it says, where it begins.
struct ModelElement {
    let name: String
    let attributes: [String: String]
    let line: Int
    var children: [ModelElement] = []

    subscript(_ name: String) -> String? { attributes[name] }
    /// What is not there is no.
    func isTrue(_ name: String) -> Bool { attributes[name] == "YES" }
    func all(_ name: String) -> [ModelElement] { children.filter { $0.name == name } }

    /// The root of a file's XML.
    ///
    /// - Throws: ``ModelFileError`` with the line at which it is none.
    static func root(of url: URL) throws -> ModelElement {
        let data: Data
        do { data = try Data(contentsOf: url) } catch {
            throw ModelFileError(url.path, "no such file, or it cannot be read")
        }
        if data.isEmpty { throw ModelFileError(url.path, "empty") }
        let parser = XMLParser(data: data), reader = Reader()
        parser.delegate = reader
        parser.shouldResolveExternalEntities = false
        guard parser.parse(), let root = reader.root else {
            throw ModelFileError(url.path, line: max(parser.lineNumber, 1), "no XML")
        }
        return root
    }

    private final class Reader: NSObject, XMLParserDelegate {
        private var open: [ModelElement] = []
        private(set) var root: ModelElement?

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String]
        ) {
            open.append(ModelElement(name: name, attributes: attributes, line: parser.lineNumber))
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            guard let element = open.popLast() else { return }
            if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
        }
    }
}
