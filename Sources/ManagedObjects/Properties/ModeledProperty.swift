/// The common part of `@Attribute` and `@Relationship`: a number, and how it is found.
@usableFromInline protocol ModeledProperty {
    var slot: Int32 { get set }
}

extension ModeledProperty {
    /// The property's slot in the object's values.
    ///
    /// An object's own wrapper learns it from the prototype on first access. Asking the prototype by the
    /// same key path needs no name: a key path's description costs a hundred times as much.
    ///
    /// Inlined into the property's accessor, where the key path is a literal and becomes a load.
    @inlinable @inline(__always) static func slot<Object: ManagedObject>(
        in object: Object, at storage: ReferenceWritableKeyPath<Object, Self>
    ) -> Int {
        object.checkQueue()
        let known = object[keyPath: storage].slot
        if known >= 0 { return Int(known) }
        guard let prototype = object.prototype as? Object else { return 0 }
        let slot = prototype[keyPath: storage].slot
        object[keyPath: storage].slot = slot
        return Int(slot)
    }
}
