import Foundation
import Synchronization

/// The declarations of a class's wrappers. Built once per class, for all models that contain it.
final class ClassDescription: Sendable {
    let objectClass: ManagedObject.Type
    /// The class's superclasses up to `ManagedObject`, which is left out; the nearest first.
    let superclasses: [ManagedObject.Type]
    /// In slot order: the properties of the highest class first, of each class as declared.
    let names: [String]
    let declarations: [Declarations.Declaration]
    /// The index in `names` of each property in the order in which Swift initializes them: a class's own
    /// before its superclass's.
    private let indexOfDeclaration: [Int32]
    let name: String
    /// An entity of no model, for prototypes.
    private let prototypeEntity: EntityDescription

    /// Reads the properties off a prototype: what the wrappers declared, and their names by Mirror.
    ///
    /// - Throws: ``ModelError/notModeled(entity:property:)`` for a stored property without a wrapper,
    ///   which would otherwise be lost at the first save.
    private init(describing objectClass: ManagedObject.Type) throws(ModelError) {
        self.objectClass = objectClass
        let entity = EntityDescription(unboundNamed: objectClass.entityName)
        let (prototype, declarations) = Declarations.collect {
            objectClass.init(entity.prototypeToken(recorder: nil))
        }
        var levels: [[(number: Int32, label: String)]] = []
        var superclasses: [ManagedObject.Type] = []
        var mirror: Mirror? = Mirror(reflecting: prototype)
        while let level = mirror, level.subjectType != ManagedObject.self {
            if let type = level.subjectType as? ManagedObject.Type, type != objectClass {
                superclasses.append(type)
            }
            var properties: [(number: Int32, label: String)] = []
            for (label, value) in level.children {
                guard let label, let property = value as? any ModeledProperty else {
                    throw .notModeled(entity: "\(level.subjectType)", property: label ?? "?")
                }
                // `_date` is the storage of `date`.
                properties.append((property.slot, String(label.dropFirst())))
            }
            levels.append(properties.sorted { $0.number < $1.number })
            mirror = level.superclassMirror
        }
        let ordered = levels.reversed().joined()
        guard ordered.count == declarations.count else { throw .noReflection(entity: entity.name) }
        var indices = [Int32](repeating: -1, count: declarations.count)
        for (index, property) in ordered.enumerated() { indices[Int(property.number)] = Int32(index) }
        name = entity.name
        names = ordered.map(\.label)
        self.declarations = ordered.map { declarations[Int($0.number)] }
        self.superclasses = superclasses
        indexOfDeclaration = indices
        prototypeEntity = EntityDescription(unboundNamed: name, codecs: self.declarations.map(\.codec))
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

    /// Returns the description of a class; a class that cannot be modeled is a programming error.
    static func of(_ objectClass: ManagedObject.Type) -> ClassDescription {
        do { return try describing(objectClass) } catch { misuse("\(error)") }
    }

    /// An object that belongs to no context: it tells key paths their slots, and `recorder` what they pass.
    ///
    /// - Parameter slots: by index in `names`; the indexes themselves without them.
    func makePrototype(recorder: Recorder?, slots: [Int32]? = nil) -> ManagedObject {
        let numbers = slots.map { slots in indexOfDeclaration.map { slots[Int($0)] } } ?? indexOfDeclaration
        return Declarations.collect(numberedBy: numbers) {
            objectClass.init(prototypeEntity.prototypeToken(recorder: recorder))
        }.prototype
    }
}

extension EntityDescription {
    /// An entity of no model.
    fileprivate convenience init(unboundNamed name: String, codecs: [any PropertyCodec] = []) {
        let binding = ClassBinding(
            objectClass: ManagedObject.self, codecs: codecs, defaultValues: { [] },
            makePrototype: { misuse("a prototype of a prototype") })
        self.init(
            EntityDeclaration(name, properties: []), slots: [], versionHash: Data(), index: -1, rootIndex: -1,
            family: 0...0, constraintSlots: [], classBinding: binding)
    }

    fileprivate func prototypeToken(recorder: AnyObject?) -> ObjectToken {
        ObjectToken(
            core: nil, recorder: recorder,
            objectID: ManagedObjectID(.of(entityName, in: "prototypes"), key: 0), entity: self)
    }
}

extension ClassDescription: PredicateSchema {
    var entityName: String { name }
    var fetchIndexes: [FetchIndexDescription] {
        ([objectClass] + superclasses).flatMap { $0.fetchIndexes }
    }

    func property(_ name: String) -> PredicateProperty? {
        guard let index = names.firstIndex(of: name) else { return nil }
        switch declarations[index] {
        case .attribute(let type, _, let options, _):
            return options.contains(.transient) ? nil : .attribute(type)
        case .relationship(let relationship, _):
            let target = ClassDescription.of(relationship.destination)
            return relationship.isToMany ? .toMany(target) : .toOne(target)
        }
    }
}
