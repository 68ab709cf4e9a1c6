package import ManagedObjects

/// A mood's row as a value that a fetch can read without making an object: `\Swatch.mood?.row`.
package struct MoodKey: AttributeValue, Hashable {
    package let storedValue: StoredValue

    package static var attributeType: AttributeType { .integer64 }
    package static var sentinels: (MoodKey, MoodKey) {
        (MoodKey(storedValue: .int(Int64.sentinels.0)), MoodKey(storedValue: .int(Int64.sentinels.1)))
    }

    package init(storedValue: StoredValue) { self.storedValue = storedValue }

    /// The key of a mood.
    package init(_ id: ManagedObjectID) { storedValue = .id(id) }

    /// Nil for a value that no row gave.
    package var id: ManagedObjectID? { if case .id(let id) = storedValue { id } else { nil } }
}

extension MoodKey: Comparable {
    /// The mood that came into the store first stands first.
    package static func < (a: MoodKey, b: MoodKey) -> Bool {
        guard let first = a.id, let second = b.id else { return a.id == nil && b.id != nil }
        return first.key < second.key
    }
}

extension Mood {
    package var row: MoodKey { MoodKey(storedValue: reference.storedValue) }
}
