/// A keyed archive of `NSKeyedArchiver`, read without making any object.
///
/// - Source: published archives; `$archiver`, `$version`, `$objects`, `$top`.
final class KeyedArchive: Sendable {
    fileprivate let list: [BinaryPropertyList.Node]
    /// The list's node of each object.
    fileprivate let objects: [Int]
    private let top: Int

    /// - Throws: ``ArchiveError``.
    init(_ bytes: [UInt8]) throws(ArchiveError) {
        let plist = try BinaryPropertyList(bytes)
        list = plist.nodes
        let root = Self.entries(plist.nodes, plist.top)
        guard let objects = root["$objects"], case .list(let numbers) = plist.nodes[objects],
            let top = root["$top"], case .dictionary = plist.nodes[top]
        else { throw ArchiveError("no keyed archive") }
        (self.objects, self.top) = (numbers, top)
    }

    private static func entries(_ nodes: [BinaryPropertyList.Node], _ node: Int) -> [String: Int] {
        guard case .dictionary(let keys, let values) = nodes[node] else { return [:] }
        var found: [String: Int] = [:]
        for (key, value) in zip(keys, values) { if case .text(let name) = nodes[key] { found[name] = value } }
        return found
    }

    /// The root object of the archive; nil for `nil`.
    var root: ArchivedValue? {
        let top = ArchivedValue(archive: self, node: top)
        return top["root"] ?? top["$0"]
    }
}

/// A value in a keyed archive: a number, a text, or an object with values under keys.
struct ArchivedValue {
    fileprivate let archive: KeyedArchive
    fileprivate let node: Int

    fileprivate var content: BinaryPropertyList.Node { archive.list[node] }

    /// By which values are told to be the same object.
    var identity: Int { node }

    /// Returns the value of a node, or the object that it refers to; nil for `nil` and for missing objects.
    fileprivate func value(_ node: Int) -> ArchivedValue? {
        var found = node
        if case .uid(let number) = archive.list[node] {
            guard number > 0, number < archive.objects.count else { return nil }
            found = archive.objects[number]
        }
        switch archive.list[found] {
        case .null, .uid: return nil
        // A text of a program may say the same.
        case .text("$null") where found == node: return nil
        default: return ArchivedValue(archive: archive, node: found)
        }
    }

    /// - Complexity: O(keys).
    subscript(key: String) -> ArchivedValue? {
        guard case .dictionary(let keys, let values) = content else { return nil }
        for (name, value) in zip(keys, values) {
            if case .text(key) = archive.list[name] { return self.value(value) }
        }
        return nil
    }

    /// The class and its superclasses; none for numbers and texts that stand for themselves.
    var classNames: [String] {
        guard let description = self["$class"] else { return [] }
        let names = description["$classes"].map { $0.plainElements.compactMap(\.plainText) } ?? []
        return names.isEmpty ? description["$classname"]?.plainText.map { [$0] } ?? [] : names
    }

    var className: String? { classNames.first }
    func isKind(of name: String) -> Bool { classNames.contains(name) }

    private var plainText: String? { if case .text(let text) = content { text } else { nil } }

    /// Nil for what is no text.
    var text: String? {
        if let plainText { return plainText }
        if let inner = self["NS.string"] { return inner.plainText }
        if let inner = self["NS.bytes"], case .data(let bytes) = inner.content {
            return String(validating: bytes, as: UTF8.self)
        }
        return nil
    }

    /// Nil for what is no whole number.
    var int: Int64? {
        switch content {
        case .int(let value): value
        case .bool(let value): value ? 1 : 0
        case .real(let value): Int64(exactly: value)
        default: nil
        }
    }

    var isBool: Bool { if case .bool = content { true } else { false } }
    var isReal: Bool {
        switch content {
        case .real, .unsigned: true
        default: false
        }
    }

    var double: Double? {
        switch content {
        case .int(let value): Double(value)
        case .bool(let value): value ? 1 : 0
        case .real(let value): value
        case .unsigned(let value): Double(value)
        default: nil
        }
    }

    var bytes: [UInt8]? {
        if case .data(let bytes) = content { return bytes }
        if let inner = self["NS.data"], case .data(let bytes) = inner.content { return bytes }
        return nil
    }

    /// Seconds since 2001-01-01 00:00 UTC.
    var date: Double? {
        if case .date(let seconds) = content { return seconds }
        return self["NS.time"]?.double
    }

    private var plainElements: [ArchivedValue] {
        if case .list(let nodes) = content { nodes.compactMap(value) } else { [] }
    }

    /// The objects of a list under a key; nil where there is no list, or an object is missing.
    func objects(_ key: String) -> [ArchivedValue]? {
        guard case .list(let nodes)? = self[key]?.content else { return nil }
        let found = nodes.compactMap(value)
        return found.count == nodes.count ? found : nil
    }

    /// The elements of a list or a set; nil for what is none.
    var elements: [ArchivedValue]? {
        if case .list = content { return plainElements }
        guard self["NS.keys"] == nil else { return nil }
        if let inner = self["NS.objects"] { return inner.plainElements }
        // Ordered sets of older systems have `NS.object.0` and so on.
        guard classNames.contains(where: { ["NSArray", "NSSet", "NSOrderedSet"].contains($0) }),
            case .dictionary(let keys, let values) = content
        else { return nil }
        return zip(keys, values).compactMap { key, value -> (String, ArchivedValue)? in
            guard case .text(let name) = archive.list[key], name.hasPrefix("NS.object."),
                let value = self.value(value)
            else { return nil }
            return (name, value)
        }.sorted { ($0.0.utf8.count, $0.0) < ($1.0.utf8.count, $1.0) }.map(\.1)
    }

    /// The keys and values of a dictionary; nil for what is none.
    var entries: [(key: ArchivedValue, value: ArchivedValue)]? {
        func nodes(_ value: ArchivedValue?) -> [Int] {
            guard let value else { return [] }
            if case .list(let nodes) = value.content { return nodes }
            if let inner = value["NS.objects"], case .list(let nodes) = inner.content { return nodes }
            return []
        }
        var (keys, values) = (nodes(self["NS.keys"]), nodes(self["NS.objects"]))
        if let mapping = self["searchMapping"] {
            (keys, values) = (nodes(mapping["keys"]), nodes(self["values"]))
        } else if self["NS.keys"] == nil {
            return isKind(of: "NSDictionary") ? [] : nil
        }
        return zip(keys, values).compactMap { key, value in
            guard let key = self.value(key), let value = self.value(value) else { return nil }
            return (key, value)
        }
    }

    /// The entries of a dictionary whose keys are texts.
    var named: [(name: String, value: ArchivedValue)] {
        (entries ?? []).compactMap { entry in entry.key.text.map { ($0, entry.value) } }
    }
}

extension ArchivedValue {
    /// The keys of an object.
    var names: [String] {
        guard case .dictionary(let keys, _) = content else { return [] }
        return keys.compactMap { if case .text(let name) = archive.list[$0] { name } else { nil } }.sorted()
    }
}
