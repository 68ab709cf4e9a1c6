/// Where a relationship of an entity leads.
public struct RelationshipDescription: Sendable {
    /// The name of the relationship.
    public let name: String
    /// Whether it leads to any number of objects.
    public let isToMany: Bool
    /// Whether the objects of a relationship to many have an order of their own.
    public var isOrdered: Bool { isToMany && saysOrdered }
    /// The order that the model gives, even to a to-one relationship.
    package let saysOrdered: Bool
    /// Whether the relationship may be empty when its object is saved.
    public let isOptional: Bool
    /// The effect on the targets when the owner is deleted.
    public let deleteRule: DeleteRule
    /// The name of the entity it leads to.
    public let destinationName: String
    /// The name of the property over there that leads back; nil when none does.
    public let inverseName: String?
    /// How many objects a relationship to many leads to at least, if to any; part of the version hash.
    public let minCount: Int
    /// And at most; 0 for any number.
    public let maxCount: Int
    /// The name of the property in the previous version, for migrations; nil if unchanged.
    public let renamingIdentifier: String?
    /// Texts that a program attaches; no part of the version hash.
    public let userInfo: [String: String]
    /// A text that makes another version of the relationship: it counts in the version hash.
    public var versionHashModifier: String?
    /// Whether the relationship is in memory only. Objects do not have such relationships here: a model keeps
    /// them for other programs.
    public internal(set) var isTransient = false
    /// The ``minCount`` that earlier releases assumed where a model's file has none; part of the hashes in
    /// their stores.
    var earlierMinCount: Int?

    // Known once the model is complete.

    /// The destination's index in the model.
    var destination = -1
    /// The slot over there that leads back, the same in every entity that inherits from the destination; -1
    /// when none does.
    var inverseSlot = -1
    var inverseIsToMany = false
    /// Where the store keeps who is related to whom.
    var storage = Storage.key
    /// A relationship to one that only the model has: the way back of one to many that has none. Stores keep
    /// it, programs never see it, and no version hash knows of it.
    var isHidden = false

    enum Storage: Sendable, Equatable {
        /// To one: the key of the other row is in this one.
        case key
        /// To many: the other rows hold the key of this one.
        case inverseKeys
        /// Many to many: pairs of keys. The number is that of ``ManagedObjectModel/joins``.
        case join(Int)
    }

    /// - Parameters:
    ///   - destination: the name of the entity it leads to.
    ///   - isToMany: whether it leads to several objects.
    ///   - isOrdered: of a relationship to one it only counts in the version hash.
    ///   - isOptional: whether an object may be without a value.
    ///   - deleteRule: the effect of deleting the owner.
    ///   - inverse: the name of the property over there that leads back. Without one nothing over there knows
    ///     of the relationship, and an object belongs to one owner at most.
    ///   - minCount: 0 where the relationship is optional and 1 where not, unless it is said.
    ///   - maxCount: the greatest number of objects; 0 for any.
    ///   - renamingIdentifier: the name in the previous version.
    ///   - userInfo: texts that a program attaches.
    public init(
        _ name: String, to destination: String, isToMany: Bool = false, isOrdered: Bool = false,
        isOptional: Bool = true, deleteRule: DeleteRule = .nullify, inverse: String?,
        minCount: Int? = nil, maxCount: Int = 0, renamingIdentifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        (self.name, destinationName, inverseName) = (name, destination, inverse)
        (self.isToMany, saysOrdered, self.isOptional) = (isToMany, isOrdered, isOptional)
        self.deleteRule = deleteRule
        (self.minCount, self.maxCount) = (minCount ?? (isOptional ? 0 : 1), isToMany ? maxCount : 1)
        (self.renamingIdentifier, self.userInfo) = (renamingIdentifier, userInfo)
    }
}

/// The effect of deleting an object on the targets of a relationship.
public enum DeleteRule: Int16, Sendable {
    /// They keep pointing at what is gone. For those who clean up themselves.
    case noAction = 0
    /// Their way back becomes nil.
    case nullify = 1
    /// They are deleted too, and what their own rules say happens to theirs.
    case cascade = 2
    /// The object cannot be deleted while there are any: the save fails.
    case deny = 3
}
