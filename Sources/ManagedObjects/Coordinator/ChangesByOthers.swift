/// Changes that other stacks and processes wrote to the stores of a coordinator.
public struct ChangesByOthers: Sendable, Equatable {
    var history = StoreHistory()

    /// The known changes: those of programs that keep a history.
    public var saved: SaveNotification { history.note }
    /// Whether something was written that no log tells of.
    public var isIncomplete: Bool { history.isGap }
    /// Whether there is nothing in it.
    public var isEmpty: Bool { history.isEmpty }
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
