/// Turns an attribute's values into column values and back.
///
/// Closures and not a protocol, because a wrapper over any `Value` has no conformance to call, and a cast
/// on each access would cost more than the access.
@usableFromInline final class AttributeCodec<Value: Sendable>: Sendable {
    @usableFromInline let decode: @Sendable (StoredValue) -> Value
    @usableFromInline let encode: @Sendable (Value) -> StoredValue
    /// Whether values may lie in files.
    @usableFromInline let isExternal: Bool
    /// The column of a new object, when the declaration has a value; else it is null until it is set.
    let initialValue: (@Sendable () -> StoredValue)?
    /// The value of a new object where neither class nor model gives one: zero of a number or a truth value
    /// that cannot be nil, which reads as zero before it is set.
    let zero: StoredValue?
    /// Rules that a value must satisfy when its object is saved.
    let validation: [ValidationRule]
    let derivationExpression: String?
    /// The answers of a prototype per run. For a transformed value, one that no predicate accepts.
    let sentinel: @Sendable (Recorder.Run) -> (value: Value, stored: StoredValue)

    /// Returns the answer of a prototype.
    @usableFromInline final func record(_ object: ManagedObject, _ slot: Int) -> Value {
        guard let recorder = object.recorder as? Recorder else { misuse("an object without a value") }
        return recorder.note(self, of: object, at: slot)
    }

    init(
        _ options: AttributeOptions, _ validation: [ValidationRule] = [],
        default value: (@Sendable () -> Value)? = nil, derivedBy expression: String? = nil
    ) where Value: AttributeValue {
        self.validation = validation
        derivationExpression = expression
        isExternal = options.contains(.externalStorage)
        decode = { Value(storedValue: $0) }
        encode = { $0.storedValue }
        let encode = encode
        initialValue = if let value { { encode(value()) } } else { nil }
        let isScalar = !Value.isOptional && Value.attributeType.isScalar && expression == nil
        zero = isScalar ? Value(storedValue: .null).storedValue : nil
        sentinel = { run in
            let value =
                switch run {
                case .first: Value.sentinels.0
                case .second: Value.sentinels.1
                case .null: Value(storedValue: .null)
                }
            return (value, value.storedValue)
        }
    }

    init(
        isExternal: Bool, decode: @escaping @Sendable (StoredValue) -> Value,
        encode: @escaping @Sendable (Value) -> StoredValue,
        sentinel: @escaping @Sendable (Recorder.Run) -> (value: Value, stored: StoredValue)
    ) {
        (self.isExternal, self.decode, self.encode, self.sentinel) = (isExternal, decode, encode, sentinel)
        (initialValue, zero) = (nil, nil)
        derivationExpression = nil
        validation = []
    }

    init<Transformer: ValueTransforming>(
        _ options: AttributeOptions, _: Transformer.Type, default value: (@Sendable () -> Value)? = nil
    ) where Transformer.Value == Value {
        self.isExternal = options.contains(.externalStorage)
        decode = { stored in
            guard case .blob(let data) = stored else { return Transformer.placeholder }
            return (try? Transformer.decode(data)) ?? Transformer.placeholder
        }
        encode = { .blob(Transformer.encode($0)) }
        let encode = encode
        initialValue = if let value { { encode(value()) } } else { nil }
        zero = nil
        derivationExpression = nil
        validation = []
        sentinel = { _ in (Transformer.placeholder, .null) }
    }
}

extension AttributeCodec {
    convenience init<Transformer: ValueTransforming>(_ options: AttributeOptions, optional: Transformer.Type)
    where Transformer.Value? == Value {
        let isExternal = options.contains(.externalStorage)
        self.init(
            isExternal: isExternal,
            decode: { stored in
                guard case .blob(let data) = stored else { return nil }
                return try? Transformer.decode(data)
            },
            encode: { value in
                value.map { .blob(Transformer.encode($0)) } ?? .null
            },
            sentinel: { _ in (Transformer.placeholder, .null) })
    }
}

/// The part of a codec that does not depend on its value type.
protocol PropertyCodec: AnyObject, Sendable {
    /// The initial value of a new object's column, evaluated for each object; nil for null.
    var initialValue: (@Sendable () -> StoredValue)? { get }
    /// See ``AttributeCodec/zero``.
    var zero: StoredValue? { get }
    var validation: [ValidationRule] { get }
    /// The expression that the store computes the value from; nil for a value that programs set.
    var derivationExpression: String? { get }
    /// The request of a fetched property; nil for an attribute.
    func fetchedProperty(named name: String) -> FetchedPropertyDescription?
}

extension PropertyCodec {
    var initialValue: (@Sendable () -> StoredValue)? { nil }
    var zero: StoredValue? { nil }
    var validation: [ValidationRule] { [] }
    var derivationExpression: String? { nil }
    func fetchedProperty(named name: String) -> FetchedPropertyDescription? { nil }
}

extension AttributeCodec: PropertyCodec {}
