extension ManagedObjectContext: SaveFollower {
    /// The next throwing call reports rows that cannot be read, and lists read everything again.
    nonisolated func mergeSoon(_ note: SaveNotification) {
        executor.async { [weak self] in
            self?.assumeIsolated { context in
                context.withObjects { core in
                    do { try core.mergeChanges(from: note) } catch { core.note(error) }
                }
            }
        }
    }
}

extension ContextCore {
    /// Notifies the contexts beside this one, and its children.
    func tellFollowers(_ note: SaveNotification, by context: ManagedObjectContext?) {
        source.followers.tell(note, by: context)
        context?.childFollowers.tell(note, by: context)
    }
}

extension ManagedObjectContext {
    /// Takes in what somebody else wrote: as ``mergeChanges(from:)`` where all of it is known; else every
    /// object without changes is read again when it is asked for, and lists read everything again.
    ///
    /// - Throws: ``StoreError``; what could not be read is read again before lists report anything else.
    public func mergeChanges(byOthers changes: ChangesByOthers) throws {
        try withObjects { core in
            if !changes.isIncomplete { return try core.mergeChanges(from: changes.saved) }
            core.readAgain()
        }
    }
}
