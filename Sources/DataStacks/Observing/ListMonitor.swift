public import Foundation
public import ManagedObjects

/// Follows a list of objects: tells its observers what each commit does to it. Ends when it is released.
///
/// The monitor may go to any thread; it answers with references. The objects themselves are on the reader's
/// queue: ``read(_:)``.
///
/// - Source: CoreStore's type of this name.
public final class ListMonitor<Object: ManagedObject>: Sendable {
    let watcher: Confined<ListWatcher<Object>>
    private let from: From<Object>
    private let stack: DataStack

    init(_ watcher: Confined<ListWatcher<Object>>, _ from: From<Object>, _ stack: DataStack) {
        (self.watcher, self.from, self.stack) = (watcher, from, stack)
        watcher.withValue { $0.monitor = self }
    }

    // MARK: Looking

    /// Runs `body` with the list and its objects, on the reader's queue.
    public func read<Value: Sendable>(_ body: @Sendable (MonitoredList<Object>) throws -> Value) rethrows
        -> Value
    { try watcher.withValue { try body(MonitoredList($0.list)) } }

    /// The object at an index in the whole list. There must be one.
    public subscript(index: Int) -> ObjectReference<Object> { read { $0.reference(to: $0[index]) } }
    /// The object at an index in a section. There must be one.
    public subscript(section: Int, item: Int) -> ObjectReference<Object> {
        read { $0.reference(to: $0[section, item]) }
    }
    /// The object at an index path. There must be one.
    public subscript(indexPath: IndexPath) -> ObjectReference<Object> { self[indexPath[0], indexPath[1]] }

    /// The object at an index in the whole list; nil when there is none.
    public subscript(safe index: Int) -> ObjectReference<Object>? {
        read { list in list[safe: index].map { list.reference(to: $0) } }
    }
    /// The object at an index in a section; nil when there is none.
    public subscript(safe section: Int, item: Int) -> ObjectReference<Object>? {
        read { list in list[safe: section, item].map { list.reference(to: $0) } }
    }
    /// The object at an index path; nil when there is none.
    public subscript(safe indexPath: IndexPath) -> ObjectReference<Object>? {
        indexPath.count == 2 ? self[safe: indexPath[0], indexPath[1]] : nil
    }

    /// The number of sections; one for a list that is not divided.
    public func numberOfSections() -> Int { read { $0.sections.count } }
    /// The number of objects in all sections.
    public func numberOfObjects() -> Int { read { $0.count } }
    /// The number of objects in a section; 0 where there is none.
    public func numberOfObjects(in section: Int) -> Int {
        read { $0.sections.indices.contains(section) ? $0.sections[section].numberOfObjects : 0 }
    }
    /// Whether the list has any object.
    public func hasObjects() -> Bool { numberOfObjects() > 0 }

    /// The sections; of a list that is not divided one, without a name.
    public func sections() -> [FetchedResultsSectionInfo] { read { $0.sections } }
    /// The section at an index. There must be one.
    public func sectionInfo(at section: Int) -> FetchedResultsSectionInfo { sections()[section] }
    /// CoreStore's name of ``sectionInfo(at:)``.
    public func sectionInfoAtIndex(_ section: Int) -> FetchedResultsSectionInfo { sectionInfo(at: section) }
    /// The titles of an index beside the list: the first letters of the sections' names, each once.
    public func sectionIndexTitles() -> [String] { watcher.withValue { $0.list.sectionIndexTitles } }

    /// Where an object is; nil when it is not in the list.
    public func indexPath(of object: ObjectReference<Object>) -> IndexPath? {
        watcher.withValue { $0.list.indexPath(for: object.objectID) }
    }

    /// The list as a value.
    ///
    /// - Complexity: O(*n*).
    public var snapshot: ListSnapshot<Object> {
        watcher.withValue { ListSnapshot($0, updates: []) }
    }

    // MARK: Following

    /// Adds an observer, which is held weakly, by the level of its protocol. An observer that was added
    /// before is told once.
    public func addObserver(_ observer: some ListObserver<Object>) {
        watcher.withValue { $0.observers.add(observer) { ListWatcher.Listener($0) } }
    }
    /// Adds an observer of objects, which is held weakly.
    public func addObserver(_ observer: some ListObjectObserver<Object>) {
        watcher.withValue { $0.observers.add(observer) { ListWatcher.Listener($0) } }
    }
    /// Adds an observer of sections and objects, which is held weakly.
    public func addObserver(_ observer: some ListSectionObserver<Object>) {
        watcher.withValue { $0.observers.add(observer) { ListWatcher.Listener($0) } }
    }

    /// Removes an observer. Not required: observers are held weakly.
    public func removeObserver(_ observer: some ListObserver<Object>) {
        watcher.withValue { $0.observers.remove(observer) }
    }

    /// Reads the list anew for other clauses; observers hear that, and not what it changes.
    ///
    /// - Throws: as `monitorList`; the list is as it was then.
    public func refetch(_ clauses: any FetchClause<Object>...) throws(StackError) {
        let request = try stack.request(from.replaced(by: clauses), clauses)
        try stack.checkOrder(of: request)
        try wrapping { try watcher.withValue { try $0.refetch(request) } }
    }
}

/// A monitored list with its objects, on the reader's queue.
///
/// A program that changes an object is stopped with a sentence: changes are made in transactions.
public final class MonitoredList<Object: ManagedObject> {
    private let list: FetchedResultsController<Object>
    /// The sections, in order.
    public let sections: [FetchedResultsSectionInfo]

    init(_ list: FetchedResultsController<Object>) {
        self.list = list
        sections = list.sections ?? []
    }

    /// The number of objects in all sections.
    public var count: Int { list.count }

    /// The object at an index in the whole list. There must be one.
    public subscript(index: Int) -> Object {
        guard let object = self[safe: index] else { misuse("a list has no object \(index)") }
        return object
    }

    /// The object at an index in a section. There must be one.
    public subscript(section: Int, item: Int) -> Object {
        guard let object = self[safe: section, item] else {
            misuse("a list has no object \(item) in section \(section)")
        }
        return object
    }

    /// The object at an index path. There must be one.
    public subscript(indexPath: IndexPath) -> Object { self[indexPath[0], indexPath[1]] }

    /// The object at an index in the whole list; nil when there is none.
    public subscript(safe index: Int) -> Object? {
        var rest = index
        for (sectionIndex, section) in sections.enumerated() {
            if rest < section.numberOfObjects { return self[safe: sectionIndex, rest] }
            rest -= section.numberOfObjects
        }
        return nil
    }

    /// The object at an index in a section; nil when there is none.
    public subscript(safe section: Int, item: Int) -> Object? {
        guard sections.indices.contains(section), (0..<sections[section].numberOfObjects).contains(item)
        else {
            return nil
        }
        return list.object(at: IndexPath(row: item, section: section))
    }

    /// The objects in order, most of them faults.
    public var objects: [Object] { list.fetchedObjects }

    func reference(to object: Object) -> ObjectReference<Object> {
        ObjectReference(objectID: object.objectID)
    }
}

@available(*, unavailable, message: "a list's objects stay on the reader's queue")
extension MonitoredList: Sendable {}

extension DataStack {
    /// A monitor of the objects that match. Clauses must give an order.
    ///
    /// - Throws: ``StackError/fetch(_:)`` without an order, which is a mistake of the program and goes to the
    ///   logger first, or for a clause that cannot be translated;
    ///   ``StackError/noStore(entity:configuration:)``; ``StackError/store(_:)``.
    /// - Complexity: reads keys and sort values of all that match.
    public func monitorList<Object: ManagedObject>(
        _ from: From<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> ListMonitor<Object> { try monitor(from, from.sectioning, clauses) }

    /// A monitor of the objects that match, divided into sections. The order must keep objects of one section
    /// together.
    ///
    /// - Throws: as ``monitorList(_:_:)``; ``StackError/fetch(_:)`` with `sectionsNotTogether` for an order
    ///   that does not keep a section together.
    public func monitorSectionedList<Object: ManagedObject>(
        _ from: From<Object>, _ section: SectionBy<Object>, _ clauses: any FetchClause<Object>...
    ) throws(StackError) -> ListMonitor<Object> { try monitor(from, section, clauses) }

    /// Monitors the sections of a chain with `sectionBy`.
    public func monitorSectionedList<Object: ManagedObject>(_ from: From<Object>) throws(StackError)
        -> ListMonitor<Object>
    { try monitor(from, from.sectioning, []) }

    func monitor<Object: ManagedObject>(
        _ from: From<Object>, _ section: SectionBy<Object>?, _ clauses: [any FetchClause<Object>]
    ) throws(StackError) -> ListMonitor<Object> {
        let request = try request(from, clauses)
        try checkOrder(of: request)
        let name = try wrapping { try section?.sectionName() }
        let watcher = try wrapping {
            try reader.performAndWait { context in
                let list = FetchedResultsController(
                    fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: name)
                return try context.withCore { core in
                    let watcher = try ListWatcher(list, core) { [logger] error in
                        logger.handle(
                            StackError(error), "a list could not be brought up to date",
                            CallSite(fileName: #fileID, lineNumber: #line, functionName: #function))
                    }
                    core.keep(watcher)
                    return Confined(watcher, in: reader) { watcher in
                        watcher.end()
                        core.release(watcher)
                    }
                }
            }
        }
        return ListMonitor(watcher, from, self)
    }

    /// - Throws: ``StackError/fetch(_:)`` for a request without an order, after the logger's assertion.
    func checkOrder<Object: ManagedObject>(of request: FetchRequest<Object>) throws(StackError) {
        if !request.sortKeys.isEmpty || !request.sortDescriptors.isEmpty || request.problem != nil { return }
        let error = StackError.fetch(.unsupported("a list without an OrderBy"))
        logger.fail("\(error)", CallSite(fileName: #fileID, lineNumber: #line, functionName: #function))
        throw error
    }
}
