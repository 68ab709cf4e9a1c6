package import Foundation

/// Everything in a store, for tools that show it: opened by its own model, and only read.
package protocol ShownStore: Sendable {
    var model: ManagedObjectModel { get }
    var identifier: String { get }
    /// The entities that the store has rows of, in its order.
    var entities: [EntityDescription] { get }

    /// Rows of the entity itself, without those of its sub-entities.
    func count(of entity: EntityDescription) throws -> Int
    /// Calls `body` with each row of the entity itself, by key.
    ///
    /// - Throws: ``StoreError``, and what `body` throws.
    func forEachRow(of entity: EntityDescription, _ body: (ShownRow) throws -> Void) throws
    func summary() throws -> StoreSummary
    /// `Z_ENT` and the table of an entity; nil where a store has no tables.
    func table(of entity: EntityDescription) -> (number: Int, name: String)?
}

extension StoreContents: ShownStore {
    package func table(of entity: EntityDescription) -> (number: Int, name: String)? {
        (number(of: entity), tableName(of: entity))
    }
}

/// Everything in an XML store of Core Data, by the model that its objects tell of.
package final class XMLShownStore: ShownStore {
    package let model: ManagedObjectModel
    private let contents: XMLStoreContents
    private let size: Int
    private let objects: [String: [StoreDocument.Object]]

    /// - Throws: ``StoreError``.
    package init(_ url: URL) throws {
        let data = try StoreFile(url, XMLStoreFormat()).data()
        contents = try XMLStoreContents(data)
        size = data.count
        model = try ManagedObjectModel(
            entities: contents.entities(), [:], contents.metadata.versionIdentifiers, [:], isRecovered: true,
            isInferred: true)
        objects = Dictionary(grouping: try contents.document(model).objects, by: \.reference.entity)
            .mapValues { $0.sorted { $0.reference.key < $1.reference.key } }
    }

    /// Whether a file is XML, as an XML store is.
    package static func isXML(_ url: URL) -> Bool { XMLStoreContents.isXML(url.storeLocation) }

    package var identifier: String { contents.identifier }
    package var entities: [EntityDescription] { model.entities.sorted { $0.name < $1.name } }

    package func count(of entity: EntityDescription) -> Int { objects[entity.name]?.count ?? 0 }

    package func forEachRow(of entity: EntityDescription, _ body: (ShownRow) throws -> Void) throws {
        for object in objects[entity.name] ?? [] {
            let values = entity.properties.map { property -> (name: String, value: ShownValue) in
                switch property {
                case .attribute(let attribute):
                    let value = object.attributes[attribute.name] ?? .null
                    return (attribute.name, ShownValue(value, attribute.type))
                case .relationship(let relationship):
                    let keys = (object.relationships[relationship.name] ?? []).map(\.key)
                    if relationship.isToMany { return (relationship.name, .keys(keys.sorted())) }
                    return (relationship.name, keys.first.map { .key($0) } ?? .null)
                }
            }
            try body(ShownRow(entity: entity, key: object.reference.key, version: 1, values: values))
        }
    }

    package func summary() -> StoreSummary {
        var summary = StoreSummary(identifier: identifier)
        summary.frameworkVersion = contents.metadata.number("NSPersistenceFrameworkVersion")
        summary.versionIdentifiers = contents.metadata.versionIdentifiers.filter { !$0.isEmpty }
        summary.hashes = contents.metadata.versionHashes
        summary.metadata = contents.programMetadata.compactMapValues(\.text)
        (summary.pageSize, summary.pageCount) = (size, 1)
        return summary
    }

    package func table(of entity: EntityDescription) -> (number: Int, name: String)? { nil }
}
