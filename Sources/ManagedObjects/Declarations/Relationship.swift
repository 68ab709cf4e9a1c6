/// Declares a relationship of a model class, to one object or to many:
///
///     @Relationship(inverse: \Country.moods) public private(set) var country: Country?
///     @Relationship(inverse: "country") public private(set) var moods: Set<Mood>
///
/// The row of the to-one side holds the other's key; the to-many side is read off it. One of the two must be
/// to-one in this version. Setting one side sets the other.
///
/// Each side names the other, the one by key path, the other by name; the model checks that they agree. Two key
/// paths lead the compiler of Swift 6.3 in a circle: to know whether a property can be set through a key path it
/// asks its wrapper, whose argument is a key path.
@propertyWrapper
public struct Relationship<Value>: ModelledProperty {
    /// As ``Attribute/slot``.
    @usableFromInline var slot: Int32

    public init<Target: ManagedObject, Inverse>(
        inverse: @autoclosure @escaping @Sendable () -> KeyPath<Target, Inverse>,
        deleteRule: DeleteRule = .nullify, isOptional: Bool = true
    ) where Value == Target? {
        slot = Declarations.note {
            .relationship(
                .init(
                    isToMany: false, isOptional: isOptional, deleteRule: deleteRule, destination: Target.self,
                    inverseName: { () throws(FetchError) in try inverse().propertyNames()[0] }),
                RelationshipCodec<Value>(toOne: Target.self))
        }
    }

    public init<Target: ManagedObject, Inverse>(
        inverse: @autoclosure @escaping @Sendable () -> KeyPath<Target, Inverse>,
        deleteRule: DeleteRule = .nullify, isOptional: Bool = true
    ) where Value == Set<Target> {
        slot = Declarations.note {
            .relationship(
                .init(
                    isToMany: true, isOptional: isOptional, deleteRule: deleteRule, destination: Target.self,
                    inverseName: { () throws(FetchError) in try inverse().propertyNames()[0] }),
                RelationshipCodec<Value>(toMany: Target.self))
        }
    }

    /// The other side by its name, which is checked when the model is built.
    public init<Target: ManagedObject>(
        inverse: String, deleteRule: DeleteRule = .nullify, isOptional: Bool = true
    ) where Value == Target? {
        slot = Declarations.note {
            .relationship(
                .init(
                    isToMany: false, isOptional: isOptional, deleteRule: deleteRule, destination: Target.self,
                    inverseName: { () throws(FetchError) in inverse }),
                RelationshipCodec<Value>(toOne: Target.self))
        }
    }

    /// The other side by its name, which is checked when the model is built.
    public init<Target: ManagedObject>(
        inverse: String, deleteRule: DeleteRule = .nullify, isOptional: Bool = true
    ) where Value == Set<Target> {
        slot = Declarations.note {
            .relationship(
                .init(
                    isToMany: true, isOptional: isOptional, deleteRule: deleteRule, destination: Target.self,
                    inverseName: { () throws(FetchError) in inverse }),
                RelationshipCodec<Value>(toMany: Target.self))
        }
    }

    @available(*, unavailable, message: "@Relationship works only in a subclass of ManagedObject")
    public var wrappedValue: Value {
        get { misuse("@Relationship works only in a subclass of ManagedObject") }
        set { misuse("@Relationship works only in a subclass of ManagedObject") }
    }

    public static subscript<Object: ManagedObject>(
        _enclosingInstance object: Object,
        wrapped _: ReferenceWritableKeyPath<Object, Value>,
        storage storage: ReferenceWritableKeyPath<Object, Self>
    ) -> Value {
        get {
            let slot = slot(in: object, at: storage)
            let codec = codec(in: object, at: slot)
            if let core = object.core { return codec.read(core, object, slot) }
            guard let recorder = object.witness as? Recorder else { misuse("an object without a context") }
            return codec.record(recorder, object, slot)
        }
        set {
            let slot = slot(in: object, at: storage)
            guard let core = object.core else { misuse("a key path in a predicate must not set anything") }
            codec(in: object, at: slot).write(core, object, slot, newValue)
        }
    }

    private static func codec(in object: ManagedObject, at slot: Int) -> RelationshipCodec<Value> {
        // SAFETY: the slot came from a wrapper of this very type, which put its codec there.
        unsafe unsafeDowncast(object.codec(at: slot), to: RelationshipCodec<Value>.self)
    }
}
