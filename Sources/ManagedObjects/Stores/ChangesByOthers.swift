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
