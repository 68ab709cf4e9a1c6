import Foundation

/// An element of a model's XML: what it is called, what it says, where it begins.
struct ModelElement {
    let name: String
    let attributes: [String: String]
    let line: Int
    var children: [ModelElement] = []

    subscript(_ name: String) -> String? { attributes[name] }
    /// Nil for an empty text too.
    func text(_ name: String) -> String? { attributes[name].flatMap { $0.isEmpty ? nil : $0 } }
    /// A missing attribute reads as no.
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
        let reader = Reader()
        do { try XMLReader.read(data, to: reader) } catch let error as XMLError {
            throw ModelFileError(url.path, line: error.line, "no XML: \(error.reason)")
        }
        guard let root = reader.root else { throw ModelFileError(url.path, "no XML") }
        return root
    }

    private final class Reader: XMLHandler {
        private var open: [ModelElement] = []
        private(set) var root: ModelElement?

        func start(_ name: String, _ attributes: [String: String], line: Int) {
            open.append(ModelElement(name: name, attributes: attributes, line: line))
        }

        func text(_ text: String) {}

        func end(_ name: String) {
            guard let element = open.popLast() else { return }
            if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
        }
    }
}
