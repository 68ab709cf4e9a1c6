extension Referable {
    /// Gives an attribute with external storage a value that was written to its file already, by whoever made
    /// it and on whatever thread.
    ///
    ///     let preview = try coordinator.stage(jpeg)               // on a worker
    ///     mood.setStaged(preview, for: \.preview)                 // on the context's queue
    public func setStaged<Value>(_ data: ExternalData, for keyPath: KeyPath<Self, Value>) {
        checkQueue()
        guard let name = try? keyPath.propertyNames().first, let slot = entity.slot(of: name),
            entity.slots[slot].isExternal, let core
        else { misuse("\(entity.name) has no attribute with external storage at \(keyPath)") }
        setValue(core.adopt(data), at: slot)
    }
}
