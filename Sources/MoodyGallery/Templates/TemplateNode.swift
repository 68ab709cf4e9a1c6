/// A part of a template.
enum TemplateNode: Sendable {
    case text(String)
    case value(TemplateName)
    case section(TemplateName, isInverted: Bool, [TemplateNode])
}

/// A name in a tag.
struct TemplateName: Sendable {
    let kind: Kind

    enum Kind: Sendable {
        /// `.`
        case innermost
        /// `last()`
        case function(String)
        /// - isOwn: whether only the innermost scope is asked: `.text`.
        case path([String], isOwn: Bool)
    }

    /// - Parameter isRaw: a text of strangers is asked for as it is: scopes have it behind a star.
    init(_ name: String, isRaw: Bool = false) {
        if name == "." {
            kind = .innermost
        } else if name.hasSuffix("()") {
            kind = .function(name)
        } else {
            let isOwn = name.first == "."
            var parts = name.dropFirst(isOwn ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
                .map { String($0) }
            if isRaw { parts[parts.count - 1] = "*" + parts[parts.count - 1] }
            kind = .path(parts, isOwn: isOwn)
        }
    }
}

/// What names are looked up in.
protocol TemplateParent {
    func child(named name: String) -> Any?
}

/// A value that has a text of its own.
protocol TemplateValue: TemplateParent {
    var renderText: String { get }
    /// Whether a section of it is left out.
    var isNull: Bool { get }
}

/// The values that sections are inside of, the outermost first.
struct TemplateScopes {
    /// The place of a value in a list.
    struct Item {
        let index: Int
        let count: Int

        static let functions = ["first()", "last()", "index()", "even()", "odd()"]

        func value(_ function: String) -> Any? {
            switch function {
            case "first()": index == 0
            case "last()": index == count - 1
            case "index()": TemplateText(String(index))
            case "even()": index.isMultiple(of: 2)
            case "odd()": !index.isMultiple(of: 2)
            default: nil
            }
        }
    }

    private var scopes: [(value: Any, item: Item?)]

    init(_ root: RootScope) { scopes = [(root, nil)] }

    var count: Int { scopes.count }
    /// The innermost value's place in its list.
    var item: Item? { scopes.last?.item }

    mutating func push(_ value: Any, _ item: Item?) { scopes.append((value, item)) }

    mutating func pop(to count: Int) { scopes.removeLast(scopes.count - count) }

    /// The value of a name, from the innermost scope to the outermost one.
    func value(of name: TemplateName) -> Any? {
        switch name.kind {
        case .innermost: return scopes.last?.value
        case .function(let function): return item?.value(function)
        case .path(let parts, let isOwn):
            for scope in scopes.suffix(isOwn ? 1 : scopes.count).reversed() {
                guard var value = Self.child(parts[0], of: scope.value) else { continue }
                for part in parts.dropFirst() {
                    guard let next = Self.child(part, of: value) else { return nil }
                    value = next
                }
                return value
            }
            return nil
        }
    }

    private static func child(_ name: String, of value: Any) -> Any? {
        (value as? any TemplateParent)?.child(named: name)
    }
}
