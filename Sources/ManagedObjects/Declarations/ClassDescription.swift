import Foundation
import Synchronization

/// What a class's wrappers say. Built once a class, from the class, whatever models it is in.
final class ClassDescription: Sendable {
    let objectClass: ManagedObject.Type
    /// The class's superclasses up to `ManagedObject`, which is left out; the nearest first.
    let superclasses: [ManagedObject.Type]
    /// In slot order: a class's own properties as declared, then its superclass's.
    let names: [String]
    let declarations: [Declarations.Declaration]
    let name: String
    /// An entity of no model, for prototypes.
    private let prototypeEntity: EntityDescription

    /// Reads the properties off a prototype: what the wrappers declared, and their names by Mirror.
    ///
    /// - Throws: ``ModelError/notModelled(entity:property:)`` for a stored property without a wrapper,
    ///   which would otherwise be lost at the first save.
    private init(describing objectClass: ManagedObject.Type) throws(ModelError) {
        self.objectClass = objectClass
        let entity = EntityDescription(unboundNamed: objectClass.entityName)
        let (prototype, declarations) = Declarations.collect {
            objectClass.init(entity.prototypeToken(witness: nil))
        }
        var labels: [Int32: String] = [:]
        var superclasses: [ManagedObject.Type] = []
        var mirror: Mirror? = Mirror(reflecting: prototype)
        while let level = mirror, level.subjectType != ManagedObject.self {
            if let type = level.subjectType as? ManagedObject.Type, type != objectClass {
                superclasses.append(type)
            }
            for (label, value) in level.children {
                guard let label, let property = value as? any ModelledProperty else {
                    throw .notModelled(entity: "\(level.subjectType)", property: label ?? "?")
                }
                // `_date` is the storage of `date`.
                labels[property.slot] = String(label.dropFirst())
            }
            mirror = level.superclassMirror
        }
        let ordered = declarations.indices.compactMap { labels[Int32($0)] }
        guard ordered.count == declarations.count else { throw .noReflection(entity: entity.name) }
        (name, names, self.declarations, self.superclasses) =
            (entity.name, ordered, declarations, superclasses)
        prototypeEntity = EntityDescription(unboundNamed: name, codecs: declarations.map(\.codec))
    }

    private static let known = Mutex<[ObjectIdentifier: ClassDescription]>([:])

    /// The description of `objectClass`, built on first use. Two threads may build it at once; one wins.
    static func describing(_ objectClass: ManagedObject.Type) throws(ModelError) -> ClassDescription {
        let key = ObjectIdentifier(objectClass)
        if let description = known.withLock({ $0[key] }) { return description }
        let built = try ClassDescription(describing: objectClass)
        return known.withLock { known in
            let description = known[key] ?? built
            known[key] = description
            return description
        }
    }

    /// The same, where a class that cannot be modelled is the caller's mistake.
    static func of(_ objectClass: ManagedObject.Type) -> ClassDescription {
        do { return try describing(objectClass) } catch { misuse("\(error)") }
    }

    /// An object that belongs to no context: it tells key paths their slots, and `recorder` what they pass.
    func makePrototype(recorder: Recorder?) -> ManagedObject {
        Declarations.collect { objectClass.init(prototypeEntity.prototypeToken(witness: recorder)) }.prototype
    }
}

extension EntityDescription {
    /// An entity of no model.
    fileprivate convenience init(unboundNamed name: String, codecs: [any PropertyCodec] = []) {
        let binding = ClassBinding(
            objectClass: ManagedObject.self, codecs: codecs, defaultValues: { [] },
            makePrototype: { misuse("a prototype of a prototype") })
        self.init(
            EntityDeclaration(name: name, properties: [], classBinding: binding), properties: [],
            versionHash: Data(), index: -1, rootIndex: -1, number: 0, hasSubentities: false)
    }

    fileprivate func prototypeToken(witness: AnyObject?) -> ObjectToken {
        ObjectToken(
            core: nil, witness: witness, objectID: ManagedObjectID(entityName, key: 0), entity: self)
    }
}
