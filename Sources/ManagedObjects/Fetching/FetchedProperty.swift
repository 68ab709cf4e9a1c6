public import Foundation

/// Declares a weak one-way relationship: what a fetch finds, with the object as `$FETCH_SOURCE`.
///
///     @FetchedProperty("authorAlias == $FETCH_SOURCE.alias AND rating >= 4", sortedBy: .ascending(\.rating))
///     var praise: [Feedback]
///
/// Nothing is stored. The fetch is made when the list is first asked for, with what is not saved yet; the
/// list then stays as it is until the object is refreshed, becomes a fault or is rolled back.
///
/// - Source: Apple, Core Data Programming Guide, Fetched Properties.
@propertyWrapper
public struct FetchedProperty<Element: ManagedObject>: ModeledProperty {
    /// As ``Attribute/slot``.
    @usableFromInline var slot: Int32

    /// - Parameters:
    ///   - format: as ``Filter/init(format:_:)`` reads it. `$FETCH_SOURCE` is the object, and
    ///     `$FETCH_SOURCE.name` the value at the end of a path from it.
    ///   - sortDescriptors: the order.
    ///   - limit: at most so many; 0 for all.
    public init(_ format: String, sortedBy sortDescriptors: SortDescriptor<Element>..., limit: Int = 0) {
        slot = Declarations.note {
            .attribute(
                .undefined, isOptional: true, .transient, FetchedCodec(format, sortDescriptors, limit))
        }
    }

    /// Unavailable: the wrapper is read through its object.
    @available(*, unavailable, message: "@FetchedProperty works only in a subclass of ManagedObject")
    public var wrappedValue: [Element] {
        misuse("@FetchedProperty works only in a subclass of ManagedObject")
    }

    /// Reads and writes the property of an object.
    public static subscript<Object: ManagedObject>(
        _enclosingInstance object: Object,
        wrapped _: KeyPath<Object, [Element]>,
        storage storage: ReferenceWritableKeyPath<Object, Self>
    ) -> [Element] {
        let slot = slot(in: object, at: storage)
        guard let core = object.core else { misuse("a predicate cannot look at a fetched property") }
        if let known = object.transient(at: slot) as? [Element] { return known }
        guard object.value(at: slot) != nil, let codec = object.codec(at: slot) as? FetchedCodec<Element>
        else {
            return []
        }
        do {
            let found = try core.fetch(codec.request(for: object))
            object.related[slot] = .value(found)
            return found
        } catch {
            core.note(error)
            return []
        }
    }
}

/// The request of a class's fetched property.
final class FetchedCodec<Element: ManagedObject>: PropertyCodec {
    private let template: FetchRequestTemplate
    private let sortDescriptors: [SortDescriptor<Element>]

    init(_ format: String, _ sortDescriptors: [SortDescriptor<Element>], _ limit: Int) {
        template = FetchRequestTemplate(entityName: Element.entityName, format: format, limit: limit)
        self.sortDescriptors = sortDescriptors
    }

    func fetchedProperty(named name: String) -> FetchedPropertyDescription? {
        FetchedPropertyDescription(name: name, request: template, userInfo: [:])
    }

    fileprivate func request(for object: ManagedObject) throws -> FetchRequest<Element> {
        let (format, arguments) = try template.substituting(source: object)
        var request = try FetchRequest<Element>(Filter(format: format, arguments: arguments))
        request.sortDescriptors = sortDescriptors
        if template.limit > 0 { request.fetchLimit = template.limit }
        return request
    }
}

extension ManagedObject {
    /// Returns the objects of a fetched property of the model; nil if the entity has none of this name.
    final func fetchedObjects(forKey key: String) throws -> [ManagedObject]? {
        guard let core, core.model.hasFetchedProperties,
            let (property, index) = core.model.fetchedProperty(named: key, of: entity)
        else {
            return nil
        }
        // Slots are not negative.
        let slot = entity.slot(of: key) ?? -1 - index
        if case .value(let known)? = related[slot], let objects = known as? [ManagedObject] { return objects }
        if let codec = entity.slot(of: key).flatMap({ codec(at: $0) as? any FetchedCodecProtocol }) {
            let found = try codec.objects(for: self, core)
            related[slot] = .value(found)
            return found
        }
        let (format, arguments) = try property.request.substituting(source: self)
        var request = FetchRequest<ManagedObject>(entityName: property.request.entityName)
        if !format.isEmpty {
            request.filter = try Filter(
                format: format, arguments: arguments, entityName: property.request.entityName, in: core.model)
        }
        if property.request.limit > 0 { request.fetchLimit = property.request.limit }
        let found = try core.fetch(request)
        related[slot] = .value(found)
        return found
    }
}

/// A codec without knowing its class.
private protocol FetchedCodecProtocol {
    func objects(for object: ManagedObject, _ core: ContextCore) throws -> [ManagedObject]
}

extension FetchedCodec: FetchedCodecProtocol {
    fileprivate func objects(for object: ManagedObject, _ core: ContextCore) throws -> [ManagedObject] {
        try core.fetch(request(for: object))
    }
}

extension FetchRequestTemplate {
    /// With `$FETCH_SOURCE` and paths from it in place.
    fileprivate func substituting(source object: ManagedObject) throws -> (format: String, arguments: [Any?])
    {
        try substituting { name, path in
            if name != "FETCH_SOURCE" { throw FetchError.unsupported("no value for $\(name)") }
            return path.isEmpty ? object : try object.value(forKeyPath: path)
        }
    }
}

extension ManagedObjectModel {
    /// A fetched property of an entity or what it inherits from, and its place among them.
    func fetchedProperty(named name: String, of entity: EntityDescription) -> (
        FetchedPropertyDescription, index: Int
    )? {
        var above = 0
        var home: EntityDescription? = entity, chain: [EntityDescription] = []
        while let next = home {
            chain.append(next)
            home = superentity(of: next)
        }
        for entity in chain.reversed() {
            let own = entity.declaration.fetchedProperties
            if let index = own.firstIndex(where: { $0.name == name }) { return (own[index], above + index) }
            above += own.count
        }
        return nil
    }
}
