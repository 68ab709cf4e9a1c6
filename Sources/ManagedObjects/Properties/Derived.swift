/// Declares an attribute whose value the store works out of others, at every save that it depends on:
///
///     @Derived("country.name") var countryName: String?
///     @Derived("canonical:(title)", .indexed) var sortTitle: String?
///     @Derived("swatches.@count") var swatchCount: Int64
///
/// It has a column like any other, so that fetches can search and sort by it. It cannot be set, and is what
/// the last save made of it: what is not saved yet is not in it. Nil, or the type's placeholder, in a new
/// object. See ``Derivation`` for what expressions there are.
@propertyWrapper
public struct Derived<Value: Sendable>: ModeledProperty {
    /// As ``Attribute/slot``.
    @usableFromInline var slot: Int32

    /// Declares an attribute that the store computes: `@Derived("swatches.@count")`.
    public init(_ expression: String, _ options: AttributeOptions = []) where Value: AttributeValue {
        slot = Declarations.note {
            .attribute(
                Value.attributeType, isOptional: true, options,
                AttributeCodec<Value>(options, derivedBy: expression))
        }
    }

    /// Unavailable: the wrapper is read through its object.
    @available(*, unavailable, message: "@Derived works only in a subclass of ManagedObject")
    public var wrappedValue: Value {
        misuse("@Derived works only in a subclass of ManagedObject")
    }

    /// Reads and writes the property of an object.
    public static subscript<Object: ManagedObject>(
        _enclosingInstance object: Object,
        wrapped _: KeyPath<Object, Value>,
        storage storage: ReferenceWritableKeyPath<Object, Self>
    ) -> Value {
        let slot = slot(in: object, at: storage)
        let codec = Attribute<Value>.codec(in: object, at: slot)
        guard let value = object.value(at: slot) else { return codec.record(object, slot) }
        return codec.decode(value)
    }
}
