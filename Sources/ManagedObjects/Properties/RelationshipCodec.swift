/// Reads and writes the three kinds of relationship.
@usableFromInline final class RelationshipCodec<Value>: Sendable {
    let read: @Sendable (ContextCore, ManagedObject, Int) -> Value
    let write: @Sendable (ContextCore, ManagedObject, Int, Value) -> Void
    /// Goes on to a prototype of the other side, so that `\Mood.country?.code` is recorded to its end.
    let record: @Sendable (Recorder, ManagedObject, Int) -> Value
    /// Around a change in place.
    let begin: @Sendable (ContextCore, ManagedObject, Int) -> Value
    let end: @Sendable (ContextCore, ManagedObject, Int, inout Value) -> Void

    init<Target: ManagedObject>(toOne: Target.Type) where Value == Target? {
        read = { core, object, slot in core.relationships.target(of: object, at: slot) as? Target }
        write = { core, object, slot, target in
            core.relationships.setTarget(of: object, at: slot, to: target)
        }
        record = { recorder, object, slot in
            recorder.note(Target.self, toMany: false, of: object, at: slot) as? Target
        }
        begin = read
        end = { [write] in write($0, $1, $2, $3) }
    }

    init<Target: ManagedObject>(toMany: Target.Type) where Value == Set<Target> {
        read = { core, object, slot in core.relationships.typedMembers(of: object, at: slot) }
        write = { core, object, slot, targets in
            core.relationships.setMembers(of: object, at: slot, to: targets)
        }
        begin = { core, object, slot in core.relationships.beginChange(of: object, at: slot) }
        end = { core, object, slot, targets in
            core.relationships.endChange(of: object, at: slot, &targets)
        }
        record = { recorder, object, slot in
            let prototype = recorder.note(Target.self, toMany: true, of: object, at: slot)
            return (prototype as? Target).map { [$0] } ?? []
        }
    }

    init<Target: ManagedObject>(toOrdered: Target.Type) where Value == [Target] {
        read = { core, object, slot in core.relationships.typedList(of: object, at: slot) }
        write = { core, object, slot, targets in
            core.relationships.setOrderedMembers(of: object, at: slot, to: targets)
        }
        begin = { core, object, slot in core.relationships.beginListChange(of: object, at: slot) }
        end = { core, object, slot, targets in
            core.relationships.endListChange(of: object, at: slot, &targets)
        }
        record = { recorder, object, slot in
            let prototype = recorder.note(Target.self, toMany: true, of: object, at: slot)
            return (prototype as? Target).map { [$0] } ?? []
        }
    }
}

// Entry points of accessors.
extension RelationshipCodec {
    @usableFromInline func value(of object: ManagedObject, at slot: Int) -> Value {
        if let core = object.core { return read(core, object, slot) }
        guard let recorder = object.recorder as? Recorder else { misuse("an object without a context") }
        return record(recorder, object, slot)
    }

    @usableFromInline func setValue(of object: ManagedObject, at slot: Int, to value: Value) {
        guard let core = object.core else { misuse("a key path in a predicate must not set anything") }
        write(core, object, slot, value)
    }

    @usableFromInline func beginChange(of object: ManagedObject, at slot: Int) -> Value {
        guard let core = object.core else { misuse("a key path in a predicate must not set anything") }
        return begin(core, object, slot)
    }

    @usableFromInline func endChange(of object: ManagedObject, at slot: Int, _ value: inout Value) {
        if let core = object.core { end(core, object, slot, &value) }
    }
}

extension RelationshipCodec: PropertyCodec {}
