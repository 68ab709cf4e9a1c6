public import Foundation

/// Everything that a store in a file of its own format has: what a ``StoreFormat`` reads and writes.
public struct StoreDocument: Sendable {
    /// An object by its entity's name and its key, which no other object of the document has.
    public struct Reference: Hashable, Sendable {
        /// The name of the entity.
        public let entity: String
        /// A number above 0.
        public let key: Int64

        /// Creates a reference.
        public init(entity: String, key: Int64) { (self.entity, self.key) = (entity, key) }
    }

    /// An object with its values.
    public struct Object: Sendable {
        /// The entity and key of the object.
        public var reference: Reference
        /// By name; what is null is left out. Never an ID.
        public var attributes: [String: StoredValue] = [:]
        /// By name: at most one for relationships to one; in their order for those that have one.
        public var relationships: [String: [Reference]] = [:]

        /// Creates an object without values.
        public init(_ reference: Reference) { self.reference = reference }
    }

    /// The store's UUID.
    public var identifier: String
    /// By entity, 32 bytes each: the versions of the model that the store was written with.
    public var versionHashes: [String: Data]
    /// Whether the hashes count external storage and version hash modifiers, as those of releases up to 0.1.0
    /// do not.
    public var hasCompleteHashes = false
    /// Metadata that a program keeps in the store.
    public var metadata: [String: String] = [:]
    /// Such metadata of other types than text, as Apple's programs may keep it.
    var otherMetadata: [String: PropertyListValue] = [:]
    /// The greatest key that an object ever had.
    public var lastKey: Int64 = 0
    /// By key.
    public var objects: [Object] = []

    /// Creates an empty document.
    public init(identifier: String, versionHashes: [String: Data]) {
        (self.identifier, self.versionHashes) = (identifier, versionHashes)
    }
}

extension StoreDocument {
    var allMetadata: [String: PropertyListValue] {
        get { otherMetadata.merging(metadata.mapValues { .text($0) }) { $1 } }
        set {
            metadata = newValue.compactMapValues(\.text)
            otherMetadata = newValue.filter { $0.value.text == nil }
        }
    }

    var recordedVersion: RecordedVersion {
        RecordedVersion(hashes: versionHashes, mayBeEarlier: !hasCompleteHashes)
    }
}

/// A way to write a whole store into one file: for store types of one's own.
///
///     try coordinator.addPersistentStore(ofType: .file(JSONLines()), at: url)
///
/// The store reads its file once, keeps everything in memory and writes everything with each save: into a
/// file beside it, synced, which then takes its place. So it fits graphs that fit in memory.
public protocol StoreFormat: Sendable {
    /// `NSStoreType` of such stores.
    var name: String { get }
    /// - Throws: any error; its text becomes the reason in ``StoreError/unreadable(_:)``.
    func document(from data: Data, model: ManagedObjectModel) throws -> StoreDocument
    func data(of document: StoreDocument, model: ManagedObjectModel) throws -> Data
}
