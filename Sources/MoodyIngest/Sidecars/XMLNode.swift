import Foundation
import ManagedObjects

/// An element of a sidecar, with the bytes of its tags.
final class XMLNode {
    struct Attribute {
        let namespace: String
        let name: String
        let value: String
    }

    let namespace: String
    let name: String
    /// The name as it is written, with its prefix.
    let tag: String
    /// All but declarations of namespaces.
    let attributes: [Attribute]
    /// The bytes of the first tag.
    let open: Range<Int>
    /// The bytes of the last tag; empty, and behind the first, where there is one tag.
    fileprivate(set) var close = 0..<0
    fileprivate(set) var children: [XMLNode] = []
    /// Of an entry of a list without elements in it: the first 256 bytes, or a little more.
    fileprivate(set) var text = ""

    fileprivate init(_ tag: String, _ attributes: [String: String], _ names: XMLNamespaces, at: Range<Int>) {
        (namespace, name) = names.element(tag) ?? ("", tag)
        self.tag = tag
        self.attributes = attributes.filter { !XMLNamespaces.isDeclaration($0.key) }.map { key, value in
            let (namespace, name) = names.attribute(key) ?? ("", key)
            return Attribute(namespace: namespace, name: name, value: value)
        }
        open = at
    }

    /// Where the element ends.
    var end: Int { close.upperBound }

    func `is`(_ namespace: String, _ name: String) -> Bool {
        self.name == name && self.namespace == namespace
    }

    func isRDF(_ name: String) -> Bool { self.is(SidecarText.rdf, name) }

    /// Another name with the prefix of this one.
    func prefixed(_ name: String) -> String {
        let prefix = XMLNamespaces.parts(tag).prefix
        return prefix.isEmpty ? name : "\(prefix):\(name)"
    }

    /// The first `rdf:RDF` of a document, down to the entries of lists; nil for none.
    ///
    /// - Throws: ``XMLError``.
    static func rdf(of bytes: [UInt8]) throws -> XMLNode? {
        let handler = Handler()
        try XMLReader.read(Data(bytes), to: handler, allowsType: false)
        return handler.root
    }

    private final class Handler: XMLHandler {
        var place = 0..<0
        var root: XMLNode?
        private var names = XMLNamespaces()
        /// The open elements from `rdf:RDF` on, down to entries of lists.
        private var nodes: [XMLNode] = []
        private var depth = 0
        /// The open elements that are not among ``nodes``, inside of them.
        private var deeper = 0

        func start(_ name: String, _ attributes: [String: String], line: Int) {
            names.begin(attributes)
            depth += 1
            if nodes.isEmpty {
                guard root == nil, depth <= 2 else { return }
                let node = XMLNode(name, attributes, names, at: place)
                if !node.isRDF("RDF") { return }
                root = node
                nodes = [node]
            } else if nodes.count == 5 {
                deeper += 1
            } else {
                let node = XMLNode(name, attributes, names, at: place)
                nodes[nodes.count - 1].children.append(node)
                nodes.append(node)
            }
        }

        func text(_ text: String) {
            if nodes.count == 5, deeper == 0, nodes[4].text.utf8.count < 256 { nodes[4].text += text }
        }

        func end(_ name: String) {
            names.end()
            depth -= 1
            if deeper > 0 {
                deeper -= 1
                nodes[4].text = ""
            } else if let node = nodes.popLast() {
                node.close = place
            }
        }
    }
}
