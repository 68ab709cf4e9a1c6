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
    /// What a value must be when its object is saved.
    let validation: [ValidationRule]
    let derivationExpression: String?
    /// What a prototype answers on a run. For a transformed value, something no predicate accepts.
    let sentinel: @Sendable (Recorder.Run) -> (value: Value, stored: StoredValue)

    /// What a prototype answers.
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

    init<Transformer: ValueTransforming>(_ options: AttributeOptions, _: Transformer.Type)
    where Transformer.Value == Value {
        self.isExternal = options.contains(.externalStorage)
        decode = { stored in
            guard case .blob(let data) = stored else { return Transformer.placeholder }
            return (try? Transformer.decode(data)) ?? Transformer.placeholder
        }
        encode = { .blob(Transformer.encode($0)) }
        (initialValue, zero) = (nil, nil)
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

/// What a class's description needs of a codec without knowing its value type.
protocol PropertyCodec: AnyObject, Sendable {
    /// What a new object's column holds, evaluated for each; nil when it is null.
    var initialValue: (@Sendable () -> StoredValue)? { get }
    /// See ``AttributeCodec/zero``.
    var zero: StoredValue? { get }
    var validation: [ValidationRule] { get }
    /// What the store works the value out of; nil for a value that programs set.
    var derivationExpression: String? { get }
    /// What it fetches, where it is no attribute but a fetched property.
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
