/// The namespaces that are in scope while an XML document is read.
struct XMLNamespaces {
    /// The meanings of each prefix, the innermost last.
    private var meanings: [String: [String]] = [:]
    /// The prefixes that each open element declares.
    private var declared: [[String]] = []

    /// - Parameter attributes: of the element that begins.
    mutating func begin(_ attributes: [String: String]) {
        var prefixes: [String] = []
        for (key, value) in attributes where Self.isDeclaration(key) {
            let prefix = String(key.dropFirst(6))
            meanings[prefix, default: []].append(value)
            prefixes.append(prefix)
        }
        declared.append(prefixes)
    }

    mutating func end() {
        for prefix in declared.removeLast() { meanings[prefix]?.removeLast() }
    }

    /// The namespace and the local name of an element; nil for a name without a namespace.
    func element(_ name: String) -> (namespace: String, name: String)? {
        let (prefix, local) = Self.parts(name)
        return meanings[prefix]?.last.map { ($0, local) }
    }

    /// The same of an attribute: without a prefix it has no namespace.
    func attribute(_ name: String) -> (namespace: String, name: String)? {
        Self.parts(name).prefix.isEmpty ? nil : element(name)
    }

    static func isDeclaration(_ name: String) -> Bool { name == "xmlns" || name.hasPrefix("xmlns:") }

    /// The prefix of a name, empty for none, and what follows.
    static func parts(_ name: String) -> (prefix: String, local: String) {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 ? (String(parts[0]), String(parts[1])) : ("", name)
    }
}
