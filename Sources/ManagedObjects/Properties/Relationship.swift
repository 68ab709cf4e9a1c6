/// Declares a relationship of a model class: to one object, to many, or to many in an order of their own.
///
///     @Relationship(inverse: \Country.moods) public private(set) var country: Country?
///     @Relationship(inverse: "country") public private(set) var moods: Set<Mood>
///     @Relationship(inverse: "albums") public var photos: [Photo]
///
/// Where one side is to one, its row holds the other's key; where both are to many, the store keeps pairs.
/// Setting one side sets the other. A relationship to many without an order is a set that is made once and
/// changed in place: `folder.notes.insert(note)` costs the same however many there are. An ordered one is a
/// list that is made once; ``ManagedObject/append(_:to:)`` adds to it without making it.
///
/// Each side names the other, the one by key path, the other by name; the model checks that they agree. Two
/// key paths lead the compiler of Swift 6.3 in a circle: to know whether a property can be set through a key
/// path it asks its wrapper, whose argument is a key path. Without `inverse` nothing leads back; then an
/// object belongs to one owner at most.
///
/// `minCount` and `maxCount` say how many a save lets a relationship to many have; 0 is no limit. Whether
/// none at all are let through is `isOptional`'s business.
@propertyWrapper
public struct Relationship<Value>: ModeledProperty {
    /// As ``Attribute/slot``.
    @usableFromInline var slot: Int32

    /// In every object but a prototype: inlined into the model's module, four bytes and nothing that is made.
    @inlinable init(undeclared _: Void) { slot = -1 }

    private init(
        _ declaration: () -> (Declarations.RelationshipDeclaration, RelationshipCodec<Value>)
    ) {
        slot = Declarations.note {
            let (declared, codec) = declaration()
            return .relationship(declared, codec)
        }
    }

    /// Unavailable: a relationship says what leads back.
    @available(
        *, unavailable,
        message: "name the other side: @Relationship(inverse: \"notes\"), or inverse: nil where there is none"
    )
    public init() { misuse("a relationship without inverse") }

    /// To one, with the other side by key path.
    @inlinable public init<Target: ManagedObject, Inverse>(
        inverse: @autoclosure @escaping @Sendable () -> KeyPath<Target, Inverse>,
        deleteRule: DeleteRule = .nullify, isOptional: Bool = true
    ) where Value == Target? {
        guard isDeclaring() else {
            self.init(undeclared: ())
            return
        }
        self.init(declaringToOne: inverse, deleteRule: deleteRule, isOptional: isOptional)
    }

    /// To many, with the other side by key path.
    @inlinable public init<Target: ManagedObject, Inverse>(
        inverse: @autoclosure @escaping @Sendable () -> KeyPath<Target, Inverse>,
        deleteRule: DeleteRule = .nullify, isOptional: Bool = true, minCount: Int? = nil, maxCount: Int = 0
    ) where Value == Set<Target> {
        guard isDeclaring() else {
            self.init(undeclared: ())
            return
        }
        self.init(
            declaringToMany: inverse, deleteRule: deleteRule, isOptional: isOptional, minCount: minCount,
            maxCount: maxCount)
    }

    /// To many in an order, with the other side by key path.
    @inlinable public init<Target: ManagedObject, Inverse>(
        inverse: @autoclosure @escaping @Sendable () -> KeyPath<Target, Inverse>,
        deleteRule: DeleteRule = .nullify, isOptional: Bool = true, minCount: Int? = nil, maxCount: Int = 0
    ) where Value == [Target] {
        guard isDeclaring() else {
            self.init(undeclared: ())
            return
        }
        self.init(
            declaringToOrdered: inverse, deleteRule: deleteRule, isOptional: isOptional, minCount: minCount,
            maxCount: maxCount)
    }

    /// To one, with the other side by its name; nil when nothing leads back.
    @inlinable public init<Target: ManagedObject>(
        inverse: String?,
        deleteRule: DeleteRule = .nullify, isOptional: Bool = true
    ) where Value == Target? {
        guard isDeclaring() else {
            self.init(undeclared: ())
            return
        }
        self.init(declaringToOne: inverse, deleteRule: deleteRule, isOptional: isOptional)
    }

    /// To many, with the other side by its name; nil when nothing leads back.
    @inlinable public init<Target: ManagedObject>(
        inverse: String?,
        deleteRule: DeleteRule = .nullify, isOptional: Bool = true, minCount: Int? = nil, maxCount: Int = 0
    ) where Value == Set<Target> {
        guard isDeclaring() else {
            self.init(undeclared: ())
            return
        }
        self.init(
            declaringToMany: inverse, deleteRule: deleteRule, isOptional: isOptional, minCount: minCount,
            maxCount: maxCount)
    }

    /// To many in an order, with the other side by its name; nil when nothing leads back.
    @inlinable public init<Target: ManagedObject>(
        inverse: String?,
        deleteRule: DeleteRule = .nullify, isOptional: Bool = true, minCount: Int? = nil, maxCount: Int = 0
    ) where Value == [Target] {
        guard isDeclaring() else {
            self.init(undeclared: ())
            return
        }
        self.init(
            declaringToOrdered: inverse, deleteRule: deleteRule, isOptional: isOptional, minCount: minCount,
            maxCount: maxCount)
    }

    @usableFromInline init<Target: ManagedObject, Inverse>(
        declaringToOne inverse: @escaping @Sendable () -> KeyPath<Target, Inverse>, deleteRule: DeleteRule,
        isOptional: Bool
    ) where Value == Target? {
        self.init {
            (
                .init(
                    isToMany: false, isOptional: isOptional, deleteRule: deleteRule,
                    destination: Target.self, inverseName: Self.name(inverse)),
                RelationshipCodec<Value>(toOne: Target.self)
            )
        }
    }

    @usableFromInline init<Target: ManagedObject, Inverse>(
        declaringToMany inverse: @escaping @Sendable () -> KeyPath<Target, Inverse>, deleteRule: DeleteRule,
        isOptional: Bool, minCount: Int?, maxCount: Int
    ) where Value == Set<Target> {
        self.init {
            (
                .init(
                    isToMany: true, isOptional: isOptional, minCount: minCount, maxCount: maxCount,
                    deleteRule: deleteRule,
                    destination: Target.self, inverseName: Self.name(inverse)),
                RelationshipCodec<Value>(toMany: Target.self)
            )
        }
    }

    @usableFromInline init<Target: ManagedObject, Inverse>(
        declaringToOrdered inverse: @escaping @Sendable () -> KeyPath<Target, Inverse>,
        deleteRule: DeleteRule, isOptional: Bool, minCount: Int?, maxCount: Int
    ) where Value == [Target] {
        self.init {
            (
                .init(
                    isToMany: true, isOrdered: true, isOptional: isOptional, minCount: minCount,
                    maxCount: maxCount, deleteRule: deleteRule,
                    destination: Target.self, inverseName: Self.name(inverse)),
                RelationshipCodec<Value>(toOrdered: Target.self)
            )
        }
    }

    @usableFromInline init<Target: ManagedObject>(
        declaringToOne inverse: String?, deleteRule: DeleteRule, isOptional: Bool
    ) where Value == Target? {
        self.init {
            (
                .init(
                    isToMany: false, isOptional: isOptional, deleteRule: deleteRule,
                    destination: Target.self, inverseName: Self.name(inverse)),
                RelationshipCodec<Value>(toOne: Target.self)
            )
        }
    }

    @usableFromInline init<Target: ManagedObject>(
        declaringToMany inverse: String?, deleteRule: DeleteRule, isOptional: Bool, minCount: Int?,
        maxCount: Int
    ) where Value == Set<Target> {
        self.init {
            (
                .init(
                    isToMany: true, isOptional: isOptional, minCount: minCount, maxCount: maxCount,
                    deleteRule: deleteRule,
                    destination: Target.self, inverseName: Self.name(inverse)),
                RelationshipCodec<Value>(toMany: Target.self)
            )
        }
    }

    @usableFromInline init<Target: ManagedObject>(
        declaringToOrdered inverse: String?, deleteRule: DeleteRule, isOptional: Bool, minCount: Int?,
        maxCount: Int
    ) where Value == [Target] {
        self.init {
            (
                .init(
                    isToMany: true, isOrdered: true, isOptional: isOptional, minCount: minCount,
                    maxCount: maxCount, deleteRule: deleteRule,
                    destination: Target.self, inverseName: Self.name(inverse)),
                RelationshipCodec<Value>(toOrdered: Target.self)
            )
        }
    }

    private static func name<Target: ManagedObject, Inverse>(
        _ inverse: @escaping @Sendable () -> KeyPath<Target, Inverse>
    ) -> @Sendable () throws(FetchError) -> String {
        { () throws(FetchError) in try inverse().propertyNames()[0] }
    }

    private static func name(_ inverse: String?) -> (@Sendable () throws(FetchError) -> String)? {
        guard let inverse else { return nil }
        return { () throws(FetchError) in inverse }
    }

    /// Unavailable: the wrapper is read through its object.
    @available(*, unavailable, message: "@Relationship works only in a subclass of ManagedObject")
    public var wrappedValue: Value {
        get { misuse("@Relationship works only in a subclass of ManagedObject") }
        set { misuse("@Relationship works only in a subclass of ManagedObject") }
    }

    /// Reads and writes the property of an object.
    public static subscript<Object: ManagedObject>(
        _enclosingInstance object: Object,
        wrapped _: ReferenceWritableKeyPath<Object, Value>,
        storage storage: ReferenceWritableKeyPath<Object, Self>
    ) -> Value {
        // Inlined as an attribute's are: in the model's module the key path is a literal.
        @inlinable @inline(__always) get {
            let slot = slot(in: object, at: storage)
            return codec(in: object, at: slot).value(of: object, at: slot)
        }
        @inlinable @inline(__always) set {
            let slot = slot(in: object, at: storage)
            codec(in: object, at: slot).setValue(of: object, at: slot, to: newValue)
        }
        // `folder.notes.insert(note)`: the set is changed where it is, and what changed is found without
        // comparing it with the one before.
        @inlinable _modify {
            let slot = slot(in: object, at: storage)
            let codec = codec(in: object, at: slot)
            var value = codec.beginChange(of: object, at: slot)
            defer { codec.endChange(of: object, at: slot, &value) }
            yield &value
        }
    }

    @inlinable static func codec(in object: ManagedObject, at slot: Int) -> RelationshipCodec<Value> {
        // SAFETY: the slot came from a wrapper of this very type, which put its codec there.
        unsafe unsafeDowncast(object.codec(at: slot), to: RelationshipCodec<Value>.self)
    }
}
