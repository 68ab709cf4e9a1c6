extension ManagedObjectContext {
    /// A list of the objects that match, which follows this context once it was fetched.
    ///
    /// - Parameter request: the objects to fetch, and their order.
    /// - Parameter sectionName: what sections are made of; nil for one section without a name. Rows of one
    ///   section must lie together in the request's order.
    public func list<Object: ManagedObject>(
        _ request: FetchRequest<Object>, sectionedBy sectionName: SectionName<Object>? = nil
    ) -> FetchedResultsController<Object> {
        withObjects { FetchedResultsController(request, sectionedBy: sectionName, $0) }
    }
}
