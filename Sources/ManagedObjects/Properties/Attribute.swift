/// Declares an attribute of a model class:
///
///     @Attribute(.indexed) public private(set) var date: Date
///     @Attribute public var rating: Int16 = 3
///     @Attribute(transformer: ColorsTransformer.self) public private(set) var colors: [RGB]
///
/// Every object carries four bytes an attribute. Options, defaults and transformers are looked at only when
/// a prototype is made, and live in the class's ``EntityDescription``.
@propertyWrapper
public struct Attribute<Value: Sendable>: ModeledProperty {
    /// The property's slot in the entity. In a prototype from the start; in an object from the first
    /// access on, which asks the prototype.
    @usableFromInline var slot: Int32

    /// Declares an attribute without a default value.
    public init(_ options: AttributeOptions = []) where Value: AttributeValue {
        slot = Declarations.note {
            .attribute(
                Value.attributeType, isOptional: Value.isOptional, options, AttributeCodec<Value>(options))
        }
    }

    /// With the value of a new object, evaluated for each new object and only then: `= Date()` does not run
    /// when an object is read from a store.
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value, _ options: AttributeOptions = []
    ) where Value: AttributeValue {
        slot = Declarations.note {
            .attribute(
                Value.attributeType, isOptional: Value.isOptional, options,
                AttributeCodec<Value>(options, default: wrappedValue))
        }
    }

    /// With rules that a value must meet when its object is saved.
    public init(
        _ rule: ValidationRule, _ others: ValidationRule...
    ) where Value: AttributeValue {
        slot = Declarations.note {
            .attribute(
                Value.attributeType, isOptional: Value.isOptional, [],
                AttributeCodec<Value>([], [rule] + others))
        }
    }

    /// With options and rules.
    public init(
        _ options: AttributeOptions, _ rule: ValidationRule, _ others: ValidationRule...
    ) where Value: AttributeValue {
        slot = Declarations.note {
            .attribute(
                Value.attributeType, isOptional: Value.isOptional, options,
                AttributeCodec<Value>(options, [rule] + others))
        }
    }

    /// With rules and the value of a new object.
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value, _ rule: ValidationRule,
        _ others: ValidationRule...
    ) where Value: AttributeValue {
        slot = Declarations.note {
            .attribute(
                Value.attributeType, isOptional: Value.isOptional, [],
                AttributeCodec<Value>([], [rule] + others, default: wrappedValue))
        }
    }

    /// With options, rules and the value of a new object.
    public init(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value, _ options: AttributeOptions,
        _ rule: ValidationRule, _ others: ValidationRule...
    ) where Value: AttributeValue {
        slot = Declarations.note {
            .attribute(
                Value.attributeType, isOptional: Value.isOptional, options,
                AttributeCodec<Value>(options, [rule] + others, default: wrappedValue))
        }
    }

    /// Unavailable: a type that no column holds needs a transformer.
    @available(
        *, unavailable,
        message: "no column holds this type: it wants a transformer, or is an AttributeEnumeration"
    )
    public init(_ options: AttributeOptions = []) { misuse("an attribute of a type that no column holds") }

    /// Unavailable: a type that no column holds needs a transformer.
    @available(
        *, unavailable,
        message: "no column holds this type: it wants a transformer, or is an AttributeEnumeration"
    )
    public init(wrappedValue _: @autoclosure () -> Value, _ options: AttributeOptions = []) {
        misuse("an attribute of a type that no column holds")
    }

    /// Declares an attribute whose values a transformer encodes.
    public init<Transformer: ValueTransforming>(
        _ options: AttributeOptions = [], transformer: Transformer.Type
    ) where Transformer.Value == Value {
        slot = Declarations.note {
            .attribute(
                .transformable, isOptional: false, options, AttributeCodec<Value>(options, transformer))
        }
    }

    /// Declares an attribute whose values a transformer encodes, with the value of a new object.
    public init<Transformer: ValueTransforming>(
        wrappedValue: @autoclosure @escaping @Sendable () -> Value, _ options: AttributeOptions = [],
        transformer: Transformer.Type
    ) where Transformer.Value == Value {
        slot = Declarations.note {
            .attribute(
                .transformable, isOptional: false, options,
                AttributeCodec<Value>(options, transformer, default: wrappedValue))
        }
    }

    /// Declares an optional attribute whose values a transformer encodes.
    public init<Transformer: ValueTransforming>(
        _ options: AttributeOptions = [], transformer: Transformer.Type
    ) where Transformer.Value? == Value {
        slot = Declarations.note {
            .attribute(
                .transformable, isOptional: true, options,
                AttributeCodec<Value>(options, optional: transformer))
        }
    }

    /// Unavailable: the wrapper is read through its object.
    @available(*, unavailable, message: "@Attribute works only in a subclass of ManagedObject")
    public var wrappedValue: Value {
        get { misuse("@Attribute works only in a subclass of ManagedObject") }
        set { misuse("@Attribute works only in a subclass of ManagedObject") }
    }

    /// Reads and writes the property of an object.
    public static subscript<Object: ManagedObject>(
        _enclosingInstance object: Object,
        wrapped _: ReferenceWritableKeyPath<Object, Value>,
        storage storage: ReferenceWritableKeyPath<Object, Self>
    ) -> Value {
        // Inlined into the model's module, where the key path is a literal and `Value` a known type: a get
        // costs a third of what the generic code does.
        @inlinable @inline(__always) get {
            let slot = slot(in: object, at: storage)
            let codec = codec(in: object, at: slot)
            guard let value = object.value(at: slot) else { return codec.record(object, slot) }
            return codec.decode(codec.isExternal ? object.resolved(value) : value)
        }
        @inlinable @inline(__always) set {
            let slot = slot(in: object, at: storage)
            object.setValue(codec(in: object, at: slot).encode(newValue), at: slot)
        }
    }

    @inlinable static func codec(in object: ManagedObject, at slot: Int) -> AttributeCodec<Value> {
        // SAFETY: the slot came from a wrapper of this very type, which put its codec there.
        unsafe unsafeDowncast(object.codec(at: slot), to: AttributeCodec<Value>.self)
    }
}
