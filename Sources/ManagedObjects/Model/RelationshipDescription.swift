/// Where a relationship of an entity leads.
public struct RelationshipDescription: Sendable {
    public let name: String
    public let isToMany: Bool
    /// Whether the relationship may be empty when its object is saved.
    public let isOptional: Bool
    public let deleteRule: DeleteRule
    /// The name of the entity it leads to.
    public let destinationName: String
    /// The name of the property over there that leads back.
    public let inverseName: String

    /// The destination's place in the model, known once the model is complete.
    var destination = -1
    /// The inverse's slot in the destination.
    var inverseSlot = -1
    var inverseIsToMany = false

    init(
        _ name: String, isToMany: Bool, isOptional: Bool, deleteRule: DeleteRule, destinationName: String,
        inverseName: String
    ) {
        self.name = name
        self.isToMany = isToMany
        self.isOptional = isOptional
        self.deleteRule = deleteRule
        self.destinationName = destinationName
        self.inverseName = inverseName
    }
}

/// What becomes of the objects a relationship leads to when its own object is deleted.
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
