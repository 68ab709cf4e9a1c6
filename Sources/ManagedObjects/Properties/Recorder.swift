/// Follows a key path through prototypes and notes the properties it passes.
///
/// A key path over modeled properties touches one prototype after the other and hands through what the
/// last one answered. One that ends in a computed property does neither: `title.uppercased()` gives
/// something else, `isLong ? title : name` touches a prototype twice.
final class Recorder {
    /// The answers of prototypes: one value, then another, so that a lucky result cannot pass twice; then
    /// null at each step in turn, which shows up `latitude ?? 0` and `parent?.parent ?? parent`.
    enum Run: Equatable { case first, second, null(step: Int) }
    let run: Run

    private var names: [String] = []
    private var next: ManagedObject?
    private var answer: Answer?
    private var isBroken = false

    private enum Answer { case value(StoredValue), object(ManagedObject), objects(ManagedObject) }

    init(run: Run) { self.run = run }

    /// - Returns: the names `keyPath` passes, or nil when it ends in a computed property.
    func record<Root: ManagedObject, Value>(_ keyPath: KeyPath<Root, Value>) -> [String]? {
        let root = ClassDescription.of(Root.self).makePrototype(recorder: self)
        next = root
        answer = .object(root)
        defer { (next, answer) = (nil, nil) }
        guard let typed = root as? Root else { return nil }
        let result = typed[keyPath: keyPath]
        return !isBroken && isAnswer(result) ? names : nil
    }

    func note<Value>(_ codec: AttributeCodec<Value>, of object: ManagedObject, at slot: Int) -> Value {
        let (value, stored) = codec.sentinel(isNullStep ? .null(step: 0) : run)
        step(object, slot, .value(stored), next: nil)
        return value
    }

    /// - Returns: a prototype of the other side to go on with; nil at the null step of a run.
    func note(_ target: ManagedObject.Type, toMany: Bool, of object: ManagedObject, at slot: Int)
        -> ManagedObject?
    {
        if isNullStep && !toMany {
            step(object, slot, .value(.null), next: nil)
            return nil
        }
        let prototype = ClassDescription.of(target).makePrototype(recorder: self)
        step(object, slot, toMany ? .objects(prototype) : .object(prototype), next: prototype)
        return prototype
    }

    /// The key path names the object itself, by its key.
    func noteKey<Object: ManagedObject>(of object: Object) -> ObjectReference<Object> {
        let reference = run == .first ? ObjectReference<Object>.sentinels.0 : .sentinels.1
        if object !== next { isBroken = true }
        (next, answer) = (nil, .value(reference.storedValue))
        return reference
    }

    private var isNullStep: Bool { run == .null(step: names.count) }

    private func step(_ object: ManagedObject, _ slot: Int, _ answer: Answer, next: ManagedObject?) {
        if object !== self.next { isBroken = true }
        names.append(ClassDescription.of(type(of: object)).names[slot])
        (self.next, self.answer) = (next, answer)
    }

    private func isAnswer(_ result: Any) -> Bool {
        switch answer {
        case .value(.null): isNil(result)
        case .value(let stored): (result as? any PredicateValue)?.storedValue == stored
        case .object(let object): result as? ManagedObject === object
        case .objects(let object):
            result as? Set<ManagedObject> == [object] || result as? [ManagedObject] == [object]
        case nil: false
        }
    }
}

/// Whether an optional of whatever type is nil.
private func isNil(_ value: Any) -> Bool {
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .optional && mirror.children.isEmpty
}
