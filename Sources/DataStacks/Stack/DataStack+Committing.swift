import ManagedObjects
import Synchronization

// Commits, merges and reports come in one order: that of the writer's queue, on which each save is made and
// its merge handed to the reader before the next transaction begins.
extension DataStack {
    /// Saves what a transaction changed, on the writer's queue, and hands it to the reader.
    ///
    /// - Parameter entersReader: whether this thread waits for reports as soon as it leaves the writer's
    ///   queue: it enters the reader's then, and tells them itself.
    /// - Parameter afterReports: called on the reader's queue when monitors and lists have reported.
    /// - Returns: what was written.
    /// - Throws: of the save.
    func commit(
        _ core: ContextCore, _ site: CallSite, entersReader: Bool, afterReports: (@Sendable () -> Void)? = nil
    ) throws -> SaveNotification {
        // While the rows are still there, so that reports can tell what they held.
        let doomed = core.deletedObjectIDs
        if !doomed.isEmpty { reader.performAndWait { $0.prepareForDeletion(of: doomed) } }
        let note = try core.save()
        if note.isEmpty && afterReports == nil { return note }
        reader.deliver(wakesThread: !entersReader) { [self] context in
            merge(note, into: context, site)
            afterReports?()
        }
        tellOtherReaders(site) { try $0.mergeChanges(from: note) }
        return note
    }

    /// Hands to the readers beside this stack's what they have to take in.
    func tellOtherReaders(
        _ site: CallSite, _ merge: @escaping @Sendable (isolated ManagedObjectContext) throws -> Void
    ) {
        for other in otherReaders.withLock({ $0 }) {
            other.deliver(wakesThread: true) { [logger] context in
                // It may be run by one who waits for a limited time.
                do { try ReadLimit.$current.withValue(nil) { try merge(context) } } catch {
                    logger.handle(StackError(error), "another reader could not follow a commit", site)
                }
            }
        }
    }

    /// Brings the reader up to date. A commit stands, whether the reader can read it or not: it reads it
    /// again before it reports anything else.
    func merge(_ note: SaveNotification, into reader: isolated ManagedObjectContext, _ site: CallSite) {
        if note.isEmpty { return }
        watchers.willMerge(note)
        do { try reader.mergeChanges(from: note) } catch {
            logger.handle(StackError(error), "the reader could not follow a commit", site)
        }
        watchers.didMerge(note)
        logger.log(
            .trace,
            """
            committed: \(note.insertedObjectIDs.count) inserted, \(note.updatedObjectIDs.count) updated, \
            \(note.deletedObjectIDs.count) deleted
            """, site)
    }

    /// Returns when what was committed so far has been reported.
    func waitForReports() { reader.performAndWait { _ in } }
}
