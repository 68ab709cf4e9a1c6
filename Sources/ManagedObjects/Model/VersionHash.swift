import Digests
import Foundation

/// The 32 bytes by which a store and a model know that they fit.
///
/// Hashed: names, types, whether a property is optional, destinations, counts, uniqueness, version hash
/// modifiers, and whether a value may lie in a file or outlives its object. Not hashed: defaults, indexes,
/// class names, transformers, delete rules, and all that is transient.
///
/// - Source: found by trial against the hashes in published models and stores (4,686 of 4,686); not from
///   Apple's code.
enum VersionHash {
    /// A hash per entity, in the order of the declarations.
    static func hashes(_ model: ModelAssembly) -> [Data] {
        var known: [Int: Data] = [:]
        func hash(_ index: Int) -> Data {
            if let hash = known[index] { return hash }
            let entity = model.declarations[index], parent = model.parents[index]
            var data = Data(entity.name.utf8) + [entity.isAbstract ? 1 : 0]
            if let parent { data += hash(parent) }
            var properties: [(name: String, hash: Data)] = [], inherited: Set<[String]> = []
            for ancestor in model.lineage(index) {
                let declaration = model.declarations[ancestor]
                for part in declaration.properties {
                    if let hash = property(part, of: declaration.name) {
                        properties.append((part.name, hash))
                    }
                }
                if ancestor != index { inherited.formUnion(declaration.uniquenessConstraints) }
            }
            for (_, hash) in sorted(properties, by: \.name) { data += hash }
            data += Data((entity.versionHashModifier ?? "").utf8)
            let own = entity.uniquenessConstraints.filter { !inherited.contains($0) }
            for text in sorted(own.map { $0.joined(separator: ".") }, by: \.self) { data += Data(text.utf8) }
            let hash = Data(sha256(data))
            known[index] = hash
            return hash
        }
        return model.declarations.indices.map(hash)
    }

    /// `NSStoreModelVersionHashesDigest`
    static func digest(_ hashes: [String: Data]) -> String {
        let all = sorted(Array(hashes), by: \.key).reduce(into: Data()) {
            $0 += Data($1.key.utf8) + $1.value
        }
        return Data(sha512(all)).base64EncodedString()
    }

    /// `NSStoreModelVersionChecksumKey`
    static func checksum(_ hashes: [String: Data]) -> String {
        Data(sha256(sorted(Array(hashes), by: \.key).reduce(into: Data()) { $0 += $1.value }))
            .base64EncodedString()
    }

    /// By the bytes of a text.
    private static func sorted<Element>(_ list: [Element], by text: (Element) -> String) -> [Element] {
        list.sorted { text($0).utf8.lexicographicallyPrecedes(text($1).utf8) }
    }

    /// Nil for what no version of a store knows of: transient and fetched properties.
    private static func property(_ property: PropertyDescription, of entity: String) -> Data? {
        switch property {
        case .attribute(let attribute):
            return attribute.isTransient || attribute.isFetched ? nil : hash(attribute)
        case .relationship(let relationship):
            if relationship.isTransient { return nil }
            let isOwnInverse =
                relationship.inverseName == relationship.name && relationship.destinationName == entity
            let bytes =
                start(relationship.name, relationship.isOptional, relationship.versionHashModifier)
                + Data(relationship.destinationName.utf8)
                + Data((isOwnInverse ? "" : relationship.inverseName ?? "").utf8)
                + littleEndian(Int32(clamping: relationship.maxCount))
                + littleEndian(Int32(clamping: relationship.minCount))
                + (relationship.saysOrdered ? Data([1, 0]) : Data())
            return Data(sha256(bytes))
        }
    }

    private static func hash(_ attribute: AttributeDescription) -> Data {
        if attribute.type == .composite {
            return Data(
                sha256(sorted(attribute.elements, by: \.name).reduce(into: Data()) { $0 += hash($1) }))
        }
        if let expression = attribute.derivationExpression {
            return Data(sha256(Data(description(expression).utf8)))
        }
        let isMarked = !attribute.options.isDisjoint(with: [.externalStorage, .preservedAfterDeletion])
        return Data(
            sha256(
                start(attribute.name, attribute.isOptional, attribute.versionHashModifier)
                    + littleEndian(attribute.type.rawValue) + (isMarked ? [1] : [])))
    }

    static func start(_ name: String, _ isOptional: Bool, _ modifier: String?) -> Data {
        Data(sha256(Data(name.utf8) + [isOptional ? 1 : 0, 0] + Data((modifier ?? "").utf8)))
    }

    /// A derivation expression as Core Data describes it: `pages.@count` is `count:(pages)`.
    ///
    /// - Source: five expressions of published stores; that of a sum is taken by analogy.
    private static func description(_ expression: String) -> String {
        switch Derivation(expression)?.source {
        case .count(let name)?: "count:(\(name))"
        case .sum(let name, let attribute)?: "sum:(\(name).\(attribute))"
        default: expression
        }
    }

    static func littleEndian(_ value: Int32) -> Data {
        let bits = UInt32(bitPattern: value)
        return Data((0..<4).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) })
    }
}

/// The version hashes that a store records.
struct RecordedVersion: Equatable {
    /// By entity, 32 bytes each.
    let hashes: [String: Data]
    /// Whether a release up to 0.1.0 may have written them: see ``EarlierVersionHash``. They are not accepted
    /// from other stores, since they do not tell a value in its row from one in a file.
    let mayBeEarlier: Bool
}

/// The hashes that releases up to 0.1.0 wrote into their stores. They left modifiers, external storage and
/// transient relationships out, hashed derived attributes in a way of their own, and did not sort uniqueness
/// constraints; their stores go on being opened, and keep the hashes that they have.
enum EarlierVersionHash {
    static func hashes(_ model: ModelAssembly) -> [Data] {
        func hash(_ index: Int) -> Data {
            let entity = model.declarations[index], parent = model.parents[index]
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

    private static func property(_ property: PropertyDescription) -> Data? {
        let start = VersionHash.start(property.name, property.isOptional, nil)
        switch property {
        case .attribute(let attribute):
            if attribute.isTransient { return nil }
            let preserved = attribute.options.contains(.preservedAfterDeletion) ? Data([1]) : Data()
            let derived = Data((attribute.derivationExpression ?? "").utf8)
            let type = VersionHash.littleEndian(attribute.type.rawValue)
            return Data(sha256(start + type + preserved + derived))
        case .relationship(let relationship):
            if relationship.isHidden { return nil }
            let minCount = relationship.earlierMinCount ?? relationship.minCount
            let bytes =
                start + Data(relationship.destinationName.utf8) + Data((relationship.inverseName ?? "").utf8)
                + VersionHash.littleEndian(Int32(clamping: relationship.maxCount))
                + VersionHash.littleEndian(Int32(clamping: minCount))
                + (relationship.isOrdered ? Data([1, 0]) : Data())
            return Data(sha256(bytes))
        }
    }
}
