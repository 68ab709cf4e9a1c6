extension ContextCore {
    /// The plan of a save, for a copy of the stores: nothing of it goes to the stores themselves, and no
    /// object is changed. Hooks that run before a save are not called.
    ///
    /// - Throws: ``ValidationError``, ``StoreError``.
    func planOfUnsavedChanges() throws -> SavePlan {
        processPendingChanges()
        guard hasChanges else { return SavePlan() }
        try validate()
        return try SaveDraft(self, stagesLargeValues: false).plan
    }
}
