public import Foundation

/// A class of objects with an order of its own, and with a say in which of them are shown.
///
///     extension Mood: Managed {
///         static var defaultSortDescriptors: [SortDescriptor<Mood>] { [.descending(\.date)] }
///     }
///
/// - Source: the book's `ManagedObjectType` (objc.io, "Core Data", chapter 1).
public protocol Managed: ManagedObject {
    /// How lists of the class are sorted when nobody says otherwise.
    static var defaultSortDescriptors: [SortDescriptor<Self>] { get }
    /// Which objects count; nil for all. The others are as good as deleted.
    static var defaultFilter: Filter<Self>? { get }
}

extension Managed {
    /// No order.
    public static var defaultSortDescriptors: [SortDescriptor<Self>] { [] }
    /// No filter.
    public static var defaultFilter: Filter<Self>? { nil }

    /// All that count, in the class's order.
    public static var sortedFetchRequest: FetchRequest<Self> { sortedFetchRequest(nil) }

    /// A request for the objects that match a filter, in the default order.
    public static func sortedFetchRequest(_ filter: Filter<Self>?) -> FetchRequest<Self> {
        let filters = [defaultFilter, filter].compactMap { $0 }
        var request = FetchRequest<Self>(
            filters.count == 2 ? filters[0] && filters[1] : filters.first)
        request.sortDescriptors = defaultSortDescriptors
        return request
    }

    /// Returns the first object that matches: an unsaved one, one that is in memory and no fault, or one that
    /// is fetched.
    ///
    /// - Complexity: looks at 256 saved objects in memory at most, and fetches where there are more.
    /// - Throws: ``FetchError``, ``StoreError``.
    public static func findOrFetch(in context: isolated ManagedObjectContext, _ filter: Filter<Self>) throws
        -> Self?
    {
        let matches: Self? = try context.withObjects { core in
            let fetch = try FetchRequest(filter).description(in: core.model)
            let unsaved = core.changes.candidates(for: fetch).objects
            let saved = core.registry.savedCount <= 256 ? core.registry.savedObjects : []
            return (unsaved + saved).lazy.compactMap { $0 as? Self }
                .first { !$0.values.isEmpty && !$0.isGone && core.matches($0, fetch) }
        }
        if let matches { return matches }
        var request = sortedFetchRequest(filter)
        request.fetchLimit = 1
        return try context.fetch(request).first
    }

    /// Returns the first object that matches, or a new object that `configure` makes match.
    public static func findOrCreate(
        in context: isolated ManagedObjectContext, _ filter: Filter<Self>, configure: (Self) -> Void
    ) throws -> Self {
        if let found = try findOrFetch(in: context, filter) { return found }
        let made = context.insert(Self.self)
        configure(made)
        return made
    }

    static func matchesDefault(_ object: ManagedObject) -> Bool {
        guard let object = object as? Self, let defaultFilter else { return true }
        return (try? object.matches(defaultFilter)) ?? true
    }
}

extension Referable {
    /// Whether the object matches, as it is in memory.
    ///
    /// - Throws: ``FetchError`` when the filter looks at something that is not in the model.
    public func matches(_ filter: Filter<Self>) throws -> Bool {
        checkQueue()
        return try filter.node.get().matches(self)
    }
}
