/// Declares a property that is in memory only and may be of any type: what is made of stored values and costs
/// too much to be made twice.
///
///     @Attribute var imageData: Data?
///     @Transient private var decoded: Image?
///     var image: Image? {
///         if decoded == nil { decoded = imageData.flatMap(Image.init) }
///         return decoded
///     }
///
/// No store has it, no fetch can look at it, no version hash knows of it: Core Data's transient attribute of
/// undefined type. Setting it marks the object as changed and can be undone; a save that finds nothing else
/// changed writes no row. It is nil in a new object, in one just read, and after a rollback or a refresh.
@propertyWrapper
public struct Transient<Value>: ModeledProperty {
    /// As ``Attribute/slot``.
    @usableFromInline var slot: Int32

    /// Declares a property that is nil until it is set.
    public init() where Value: ExpressibleByNilLiteral {
        slot = Declarations.note {
            .attribute(.undefined, isOptional: true, .transient, TransientCodec())
        }
    }

    /// Unavailable: the wrapper is read through its object.
    @available(*, unavailable, message: "@Transient works only in a subclass of ManagedObject")
    public var wrappedValue: Value {
        get { misuse("@Transient works only in a subclass of ManagedObject") }
        set { misuse("@Transient works only in a subclass of ManagedObject") }
    }

    /// Reads and writes the property of an object.
    public static subscript<Object: ManagedObject>(
        _enclosingInstance object: Object,
        wrapped _: ReferenceWritableKeyPath<Object, Value>,
        storage storage: ReferenceWritableKeyPath<Object, Self>
    ) -> Value where Value: ExpressibleByNilLiteral {
        get {
            let slot = slot(in: object, at: storage)
            if object.core == nil { misuse("a predicate cannot look at a transient property") }
            return object.transient(at: slot) as? Value ?? nil
        }
        set {
            let value = newValue as? any OptionalValue
            object.setTransient(value?.wrapped, at: slot(in: object, at: storage))
        }
    }
}

/// Any optional.
private protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrapped: Any? { self }
}

private final class TransientCodec: PropertyCodec {}

extension ManagedObject {
    final func transient(at slot: Int) -> Any? {
        guard case .value(let value)? = related[slot] else { return nil }
        return value
    }

    /// A change like that of a value. In a hook of the framework it is no change, and reads no row.
    final func setTransient(_ value: Any?, at slot: Int) {
        guard let core else { misuse("a key path in a predicate must not set anything") }
        guard !core.changes.isTracking || core.changes.willChange(self) else { return }
        core.undoLog.note(.transient(self, slot: slot, before: transient(at: slot)))
        related[slot] = value.map { .value($0) }
    }
}
