import Dispatch
public import ManagedObjects

/// Keeps a stack's reader up to date with other processes; ends when it is released.
///
/// Unchecked, since any thread may cancel a timer.
public final class StackFollower: @unchecked Sendable {
    private let timer: any DispatchSourceTimer

    fileprivate init(_ timer: any DispatchSourceTimer) { self.timer = timer }
    deinit { timer.cancel() }
}

extension DataStack {
    /// Looks four times a second whether other stacks, processes or programs have written to the stores, and
    /// has the reader take it in: its lists report that like any commit. What cannot be read is logged, and
    /// the next look reads everything again.
    ///
    /// While nobody writes, a look asks SQLite for its version of the data and nothing else.
    ///
    /// - Parameters:
    ///   - related: the objects that are shown otherwise when the changed ones change, as a mood is when its
    ///     photo is renamed: lists report them as updated.
    ///   - onGap: called when not all is known that was written: `related` does not hear of it.
    /// - Returns: what keeps the looking going.
    public func followOthers(
        updating related: @escaping RelatedObjects = { _, _ in [] },
        onGap: @escaping @Sendable () -> Void = {}
    ) -> StackFollower {
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "moody.follower"))
        timer.schedule(deadline: .now(), repeating: .milliseconds(250), leeway: .milliseconds(20))
        timer.setEventHandler { [weak self] in self?.takeInOthers(updating: related, onGap: onGap) }
        timer.resume()
        return StackFollower(timer)
    }

    /// Which objects change with those of a save.
    public typealias RelatedObjects =
        @Sendable (SaveNotification, isolated ManagedObjectContext) throws -> [ManagedObjectID]

    /// Looks once, and returns when the reader's lists have reported what was found.
    ///
    /// Looks and reports are made in one block of the reader, so that two looks cannot overtake each other.
    public func takeInOthers(
        updating related: @escaping RelatedObjects = { _, _ in [] },
        onGap: @escaping @Sendable () -> Void = {}, fileName: StaticString = #fileID,
        lineNumber: Int = #line, functionName: StaticString = #function
    ) {
        let site = CallSite(fileName: fileName, lineNumber: lineNumber, functionName: functionName)
        reader.performAndWait { context in
            do {
                let changes = try coordinator.changesByOthers()
                if changes.isEmpty { return }
                if changes.isIncomplete {
                    watchers.willReadAgain()
                    tellOtherReaders(site) { try $0.mergeChanges(byOthers: changes) }
                    try context.mergeChanges(byOthers: changes)
                    watchers.didReadAgain()
                    onGap()
                } else {
                    var note = changes.saved
                    let known = Set(
                        note.insertedObjectIDs + note.updatedObjectIDs + note.deletedObjectIDs)
                    note.updatedObjectIDs += try related(note, context).filter { !known.contains($0) }
                    let all = note
                    tellOtherReaders(site) { try $0.mergeChanges(from: all) }
                    watchers.willMerge(note)
                    try context.mergeChanges(from: note)
                    watchers.didMerge(note)
                }
                logger.log(.trace, "took in what others wrote", site)
            } catch {
                coordinator.missChanges()
                logger.handle(
                    StackError(error), "the reader could not follow what others wrote", site)
            }
        }
    }
}
