/// Modeled properties, one after the other, from an object the predicate has a name for.
struct PropertyPath: Hashable, Sendable {
    /// 0 is the object fetched, 1 the one an `any` goes through, 2 that of an `any` inside it.
    var variable = 0
    /// All but the last are relationships to one. None at all means the object's key.
    var names: [String] = []

    static func + (path: PropertyPath, names: [String]) -> PropertyPath {
        PropertyPath(variable: path.variable, names: path.names + names)
    }
}
