import Digests
import Foundation

/// The 32 bytes by which a store and a model know that they fit.
///
/// What is hashed: names, types, whether a property is optional, where relationships lead, how many they may
/// hold, uniqueness. What is not: defaults, indexes, class names, transformers, delete rules.
///
/// - Source: found by trial against the hashes in published models and stores (53 of 53); not from Apple's
///   code.
enum VersionHash {
    /// One an entity, in the order of the declarations.
    static func hashes(_ model: ModelAssembly) -> [Data] {
        func hash(_ index: Int) -> Data {
            let entity = model.declarations[index], parent = model.parents[index]
            // A constraint that was inherited is not hashed again.
            let inherited = parent.map { model.declarations[$0].uniquenessConstraints } ?? []
            let properties = model.slots[index].compactMap { part in property(part).map { (part.name, $0) } }
                .sorted { $0.0 < $1.0 }.map(\.1)
            var data = Data(entity.name.utf8) + [entity.isAbstract ? 1 : 0]
            if let parent { data += hash(parent) }
            for property in properties { data += property }
            for constraint in entity.uniquenessConstraints where !inherited.contains(constraint) {
                data += Data(constraint.joined(separator: ".").utf8)
            }
            return Data(sha256(data))
        }
        return model.declarations.indices.map(hash)
    }

    /// `NSStoreModelVersionHashesDigest`
    static func digest(_ hashes: [String: Data]) -> String {
        let all = hashes.sorted { $0.key < $1.key }.reduce(into: Data()) {
            $0 += Data($1.key.utf8) + $1.value
        }
        return Data(sha512(all)).base64EncodedString()
    }

    /// `NSStoreModelVersionChecksumKey`
    static func checksum(_ hashes: [String: Data]) -> String {
        Data(sha256(hashes.sorted { $0.key < $1.key }.reduce(into: Data()) { $0 += $1.value }))
            .base64EncodedString()
    }

    /// Nil for what no version of a store knows of: transient attributes and hidden ways back.
    private static func property(_ property: PropertyDescription) -> Data? {
        let start = Data(sha256(Data(property.name.utf8) + [property.isOptional ? 1 : 0, 0]))
        switch property {
        case .attribute(let attribute):
            if attribute.isTransient { return nil }
            let preserved = attribute.options.contains(.preservedAfterDeletion) ? Data([1]) : Data()
            // Ours: how Core Data hashes these is not known. Another expression is another version.
            let derived = Data((attribute.derivationExpression ?? "").utf8)
            return Data(sha256(start + littleEndian(attribute.type.rawValue) + preserved + derived))
        case .relationship(let relationship):
            if relationship.isHidden { return nil }
            // A to-many without limits has the greatest count 0.
            let bytes =
                start + Data(relationship.destinationName.utf8) + Data((relationship.inverseName ?? "").utf8)
                + littleEndian(Int32(clamping: relationship.maxCount))
                + littleEndian(Int32(clamping: relationship.minCount))
                + (relationship.isOrdered ? Data([1, 0]) : Data())
            return Data(sha256(bytes))
        }
    }

    private static func littleEndian(_ value: Int32) -> Data {
        let bits = UInt32(bitPattern: value)
        return Data((0..<4).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) })
    }
}
