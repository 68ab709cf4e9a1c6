public import ManagedObjects

/// The attribute by which a list is divided: objects with the same value are one section. The list's order
/// must keep them together.
///
///     SectionBy(\.age) { "\($0) years old" }
///
/// A section is called by its value as text: truth values "0" and "1", an object without a value "".
///
/// One with names of its own is equal to its copies alone.
public struct SectionBy<Object: ManagedObject>: Sendable, Hashable {
    private let key: Result<String, FetchError>
    /// Nil for the text itself.
    private let name: Box<@Sendable (String) -> String?>?

    /// - Parameter keyPath: the property.
    /// - Parameter name: makes the section's name of its value's text; nil for "".
    public init<Value>(
        _ keyPath: KeyPath<Object, Value>, _ name: (@Sendable (String) -> String?)? = nil
    ) {
        key = Result { () throws(FetchError) in try keyPath.name }
        self.name = name.map { Box($0) }
    }

    /// By name, or by a path of names over relationships to one.
    public init(_ key: String, _ name: (@Sendable (String) -> String?)? = nil) {
        self.key = .success(key)
        self.name = name.map { Box($0) }
    }

    /// - Throws: of a key path that cannot be translated.
    func sectionName() throws(FetchError) -> SectionName<Object> {
        SectionName(name: try key.get()) { [name] value in
            let text = value.sectionText
            return name.map { $0.value(text) ?? "" } ?? text
        }
    }
}

extension StoredValue {
    /// The text that sections are called by.
    fileprivate var sectionText: String {
        switch self {
        case .null: ""
        case .int(let value): "\(value)"
        case .double(let value): "\(value)"
        case .text(let value): value
        case .blob(let value): "\(value)"
        case .id(let value): "\(value)"
        case .external: ""
        }
    }
}
