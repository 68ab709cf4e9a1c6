import Foundation
import ManagedObjects
import Texts

/// Why moody leaves a sidecar as it is.
package struct SidecarRefusal: Error, CustomStringConvertible {
    package let description: String
}

/// The bytes of a sidecar, and where in them moody's own entries stand.
///
/// Entries are put in and taken out at the places of tags, so that no other byte changes: each stands
/// directly behind a tag, and goes with the white space in front of it.
package struct SidecarText {
    /// Of everything that moody writes but keywords.
    static let namespace = "urn:moody:xmp/1.0/"
    static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    /// Bytes of the largest sidecar that is read.
    package static let largest = 16 << 20

    /// A sidecar that says nothing.
    static let empty = Array(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="moody">
         <rdf:RDF xmlns:rdf="\(rdf)">
         </rdf:RDF>
        </x:xmpmeta>

        """.utf8)

    /// Stand behind the tag of a list, or of `rdf:RDF`, that was empty: in one tag, or in two.
    private static let marks = (ofOneTag: "<!--moody/-->", ofTwo: "<!--moody-->")

    package let bytes: [UInt8]
    private let root: XMLNode

    /// - Throws: ``SidecarRefusal``, ``XMLError`` with the line.
    package init(_ bytes: [UInt8]) throws {
        if bytes.count > Self.largest { throw SidecarRefusal(description: "larger than 16 MB") }
        let isWide = bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
        if isWide || bytes.prefix(4).contains(0) {
            throw SidecarRefusal(description: "UTF-16: only read, never written")
        }
        guard let root = try XMLNode.rdf(of: bytes) else {
            throw SidecarRefusal(description: "no rdf:RDF in it")
        }
        self.bytes = bytes
        self.root = root
    }

    /// The bytes of a new sidecar.
    package static func new(_ keywords: SidecarKeywords) throws -> [UInt8] {
        try SidecarText(empty).with(keywords)
    }

    /// Whether bytes without moody's entries are those of a sidecar that moody made.
    package static func saysNothing(_ foreign: [UInt8]) -> Bool { foreign == empty }

    /// What other programs wrote; all of it where moody's entries cannot be told.
    static func foreign(of bytes: [UInt8]) -> [UInt8] {
        guard Data(bytes).range(of: Data("moody".utf8)) != nil, let text = try? SidecarText(bytes) else {
            return bytes
        }
        return text.foreign
    }

    /// The bytes with these entries in place of those that moody wrote before; the same bytes if they have
    /// them.
    ///
    /// - Throws: ``SidecarRefusal``.
    package func with(_ keywords: SidecarKeywords) throws -> [UInt8] {
        if has(keywords) { return bytes }
        let foreign = foreign
        if keywords.isEmpty { return foreign }
        return try SidecarText(foreign).adding(keywords)
    }

    private var descriptions: [XMLNode] { root.children.filter { $0.isRDF("Description") } }

    private func properties(_ list: KeywordList) -> [XMLNode] {
        descriptions.flatMap(\.children).filter { $0.is(list.namespace, list.name) }
    }

    private func has(_ keywords: SidecarKeywords) -> Bool {
        let words = KeywordList.all.map { list in
            properties(list).flatMap(\.children).flatMap(\.children).compactMap { list.word($0.text) }
                .sorted()
        }
        let colors = descriptions.flatMap(\.children).filter { $0.namespace == Self.namespace }
            .flatMap(\.children).flatMap(\.children).map(\.text)
        return colors == keywords.colors && words.allSatisfy { $0 == keywords.words.sorted() }
    }

    // MARK: Taking out

    /// The bytes without moody's entries.
    package var foreign: [UInt8] {
        var edits: [Edit] = [], own: [XMLNode] = []
        for description in descriptions {
            let isPlain = description.attributes.allSatisfy { $0.namespace == Self.rdf && $0.name == "about" }
            if isPlain, isTight(description), description.children.allSatisfy(isOwnProperty) {
                own.append(description)
                edits.append(cut(description))
            } else {
                edits += description.children.flatMap(cuts)
            }
        }
        if let whole = closing(root, own), whole.isAll { return edited([whole.edit]) }
        return edited(edits)
    }

    /// Takes moody's entries out of a property of others.
    private func cuts(_ property: XMLNode) -> [Edit] {
        if isOwnProperty(property) { return [cut(property)] }
        guard let (list, container) = list(of: property) else { return [] }
        let own = container.children.filter { list.word($0.text) != nil }
        guard let (edit, isAll) = closing(container, own) else { return own.map(cut) }
        return isAll ? [edit] : [edit] + own.map(cut)
    }

    /// What takes out the mark of a node that was empty, and nil without a mark.
    ///
    /// - Returns: also whether that takes out all that is in the node, which was one tag and is that again.
    private func closing(_ node: XMLNode, _ own: [XMLNode]) -> (edit: Edit, isAll: Bool)? {
        let start = node.open.upperBound, rest = bytes[start...]
        if rest.starts(with: Self.marks.ofTwo.utf8) {
            return (Edit(range: start..<start + Self.marks.ofTwo.utf8.count), false)
        }
        guard rest.starts(with: Self.marks.ofOneTag.utf8) else { return nil }
        if own.count < node.children.count {
            return (Edit(range: start..<start + Self.marks.ofOneTag.utf8.count), false)
        }
        return (Edit(range: start - 1..<node.end, text: "/>"), true)
    }

    private func isOwnProperty(_ property: XMLNode) -> Bool {
        if property.namespace == Self.namespace { return true }
        guard let (list, container) = list(of: property), isTight(property), isTight(container) else {
            return false
        }
        return container.children.allSatisfy { list.word($0.text) != nil }
    }

    /// The list that a property is, and the node of its entries.
    private func list(of property: XMLNode) -> (list: KeywordList, container: XMLNode)? {
        guard let list = KeywordList.all.first(where: { property.is($0.namespace, $0.name) }),
            property.children.count == 1, let container = property.children.first,
            container.isRDF("Bag") || container.isRDF("Seq")
        else { return nil }
        return (list, container)
    }

    /// Whether a node has children, and nothing but white space between them.
    private func isTight(_ node: XMLNode) -> Bool {
        if node.children.isEmpty { return false }
        var last = node.open.upperBound
        for child in node.children {
            if !bytes[last..<child.open.lowerBound].allSatisfy(isSpace) { return false }
            last = child.end
        }
        return bytes[last..<node.close.lowerBound].allSatisfy(isSpace)
    }

    private func cut(_ node: XMLNode) -> Edit { Edit(range: startOfSpace(node)..<node.end) }

    private func startOfSpace(_ node: XMLNode) -> Int {
        let start = node.open.lowerBound
        return bytes[..<start].lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
    }

    // MARK: Putting in

    private func adding(_ keywords: SidecarKeywords) throws -> [UInt8] {
        var edits: [Edit] = [], missing: [KeywordList] = []
        for list in KeywordList.all {
            let isAttribute = descriptions.contains {
                $0.attributes.contains { $0.namespace == list.namespace && $0.name == list.name }
            }
            let property = properties(list).first
            if property == nil && !isAttribute {
                missing.append(list)
                continue
            }
            guard let property, !isAttribute, let container = self.list(of: property)?.container else {
                throw SidecarRefusal(description: "\(list.title) is no list (rdf:Bag or rdf:Seq)")
            }
            let name = container.prefixed("li")
            edits.append(
                insertion(of: keywords.words.map { "<\(name)>\(list.start)\($0)</\(name)>" }, in: container))
        }
        let last = root.children.last.map { self.space(before: $0) }
        let space = last.map { String(decoding: bytes[$0], as: UTF8.self) } ?? "\n  "
        let own = description(keywords, missing, space: space)
        edits.append(insertion(of: [own], in: root, isSpaced: true))
        return edited(edits)
    }

    private func space(before node: XMLNode) -> Range<Int> { startOfSpace(node)..<node.open.lowerBound }

    /// - Parameter isSpaced: whether the entries begin with their white space.
    private func insertion(of entries: [String], in node: XMLNode, isSpaced: Bool = false) -> Edit {
        if let last = node.children.last {
            let space = isSpaced ? "" : String(decoding: bytes[space(before: last)], as: UTF8.self)
            return Edit(range: last.end..<last.end, text: entries.map { space + $0 }.joined())
        }
        let start = node.open.upperBound, text = entries.joined()
        if node.close.isEmpty {
            return Edit(
                range: start - 2..<start, text: ">" + Self.marks.ofOneTag + text + "</\(node.tag)>")
        }
        // What moody puts into rdf:RDF needs no mark: it is known by its names.
        return Edit(range: start..<start, text: (isSpaced ? "" : Self.marks.ofTwo) + text)
    }

    private func description(_ keywords: SidecarKeywords, _ lists: [KeywordList], space: String) -> String {
        // An attribute without a prefix has no namespace.
        let prefix = XMLNamespaces.parts(root.tag).prefix, rdf = prefix.isEmpty ? "rdf" : prefix
        let about = descriptions.lazy.flatMap(\.attributes)
            .first { $0.namespace == Self.rdf && $0.name == "about" }
        var head = "<\(rdf):Description"
        if prefix.isEmpty { head += " xmlns:rdf=\"\(Self.rdf)\"" }
        head += " \(rdf):about=\"\(MarkupText.attribute(about?.value ?? ""))\""
        for list in lists { head += " xmlns:\(list.prefix)=\"\(list.namespace)\"" }
        var lines = [head + " xmlns:moody=\"\(Self.namespace)\">"]
        func add(_ name: String, _ container: String, _ entries: [String]) {
            if entries.isEmpty { return }
            lines += [" <\(name)>", "  <\(rdf):\(container)>"]
            lines += entries.map { "   <\(rdf):li>\(MarkupText.escaped($0))</\(rdf):li>" }
            lines += ["  </\(rdf):\(container)>", " </\(name)>"]
        }
        for list in lists { add(list.title, list.container, keywords.words.map { list.start + $0 }) }
        add("moody:colors", "Seq", keywords.colors)
        lines.append("</\(rdf):Description>")
        return lines.map { space + $0 }.joined()
    }

    // MARK: Bytes

    /// A text in place of some bytes.
    private struct Edit {
        let range: Range<Int>
        var text = ""
    }

    private func edited(_ edits: [Edit]) -> [UInt8] {
        var result: [UInt8] = [], at = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            result += bytes[at..<edit.range.lowerBound]
            result += edit.text.utf8
            at = edit.range.upperBound
        }
        return result + bytes[at...]
    }
}

private func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 10 || byte == 13 || byte == 9 }
