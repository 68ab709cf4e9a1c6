/// Writes a template's text.
struct TemplateWriter {
    private(set) var text = ""
    private var scopes: TemplateScopes
    private let limit: Int

    /// The text is longer than may be.
    struct TooLong: Error {}

    /// - Parameter limit: bytes.
    init(_ root: RootScope, limit: Int) {
        scopes = TemplateScopes(root)
        self.limit = limit
    }

    mutating func write(_ nodes: [TemplateNode]) throws(TooLong) {
        for node in nodes {
            switch node {
            case .text(let part): try write(part)
            case .value(let name):
                switch scopes.value(of: name) {
                case let value as any TemplateValue: try write(value.renderText)
                case let value as Bool: try write(String(value))
                default: break
                }
            case .section(let name, let isInverted, let inside):
                let value = scopes.value(of: name)
                if isInverted {
                    if Self.isNull(value) { try write(inside) }
                } else {
                    try write(inside, of: value)
                }
            }
        }
    }

    private mutating func write(_ part: String) throws(TooLong) {
        if text.utf8.count + part.utf8.count > limit { throw TooLong() }
        text += part
    }

    private static func isNull(_ value: Any?) -> Bool {
        switch value {
        case let list as [Any]: list.isEmpty
        case let value as Bool: !value
        case let value as any TemplateValue: value.isNull
        default: value == nil
        }
    }

    private mutating func write(_ inside: [TemplateNode], of value: Any?) throws(TooLong) {
        if Self.isNull(value) { return }
        guard let value, !(value is Bool) else { return try write(inside) }
        guard let list = value as? [Any] else { return try write(inside, in: value, nil) }
        for (index, item) in list.enumerated() {
            try write(inside, in: item, TemplateScopes.Item(index: index, count: list.count))
        }
    }

    private mutating func write(
        _ inside: [TemplateNode], in value: Any, _ item: TemplateScopes.Item?
    ) throws(TooLong) {
        let count = scopes.count
        scopes.push(value, item)
        try write(inside)
        scopes.pop(to: count)
    }
}
