package import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Synchronization

/// Brings a store up to date with files: the one writer.
///
///     let report = try Ingest(stack: stack).run([BytePath("Photos")])
///
/// Photos are read and reduced on many threads; their outcomes come back in the order of their paths and are
/// written in transactions of at most 256 photos or half a second. A run that is stopped, or killed, has kept
/// what was committed; the next one goes on from there and ends with the same store.
package struct Ingest {
    package var options: IngestOptions
    package var callbacks: IngestCallbacks
    /// Path to bytes. A parameter so that a test can hand in bytes, or a disk that fails.
    package var read: @Sendable (BytePath) throws(FileError) -> [UInt8] = { path throws(FileError) in
        try readPhoto(path)
    }

    let store: StoreProvider

    package init(
        stack: DataStack, options: IngestOptions = IngestOptions(),
        callbacks: IngestCallbacks = IngestCallbacks()
    ) {
        (store, self.options, self.callbacks) = (.existing(stack), options, callbacks)
    }

    /// Creates an ingest into a store that does not exist yet: it is made while the first photos are read. A
    /// dry run makes none.
    ///
    /// - Parameter make: makes an empty store. Called once, on the caller's thread; what it throws ends the
    /// run.
    package init(
        making make: @escaping () throws -> DataStack, options: IngestOptions = IngestOptions(),
        callbacks: IngestCallbacks = IngestCallbacks()
    ) {
        (store, self.options, self.callbacks) = (.deferred(make), options, callbacks)
    }

    /// - Throws: ``StoreError`` when the store cannot be used. What was committed before stays.
    package func run(_ paths: [BytePath]) throws -> IngestReport {
        if case .existing(let stack) = store, !options.isDryRun, Self.areFewFiles(paths) {
            let found = FileFinder.find(
                paths, filter: options.filter, skipping: options.skipped,
                namingOthers: callbacks.wantsAllSkips)
            let all = found.withSidecarsOfNamedFiles
            var inputs = IngestInputs(found: all, named: Set(paths))
            // A folder may have taken the place of a file just now: then all photos are read.
            if found.roots.isEmpty {
                let foundPaths = all.files.map(\.path), request = PaletteRequest(options.settings.palette)
                inputs.stored = Result { try PhotoCatalog(at: foundPaths, in: stack, asking: request) }
            }
            return try run(inputs).report
        }
        // The store is read while the files are looked at: either is half of a run that has nothing to do.
        let stored = Mutex<Result<PhotoCatalog, any Error>?>(nil), isRead = DispatchGroup()
        if case .existing(let stack) = store {
            let request = PaletteRequest(options.settings.palette)
            DispatchQueue(label: "moody.stored").async(group: isRead) {
                let photos = Result { try PhotoCatalog(in: stack, asking: request) }
                stored.withLock { $0 = photos }
            }
        }
        let found = FileFinder.find(
            paths, filter: options.filter, skipping: options.skipped,
            namingOthers: callbacks.wantsAllSkips)
        isRead.wait()
        var inputs = IngestInputs(found: found.withSidecarsOfNamedFiles, named: Set(paths))
        inputs.stored = stored.withLock { $0 }
        return try run(inputs).report
    }

    /// Whether no path is a folder's, and so few of the store's photos are concerned.
    private static func areFewFiles(_ paths: [BytePath]) -> Bool {
        paths.count <= PhotoCatalog.maximumPaths
            && paths.allSatisfy { (try? FileStatus(at: $0))?.kind != .folder }
    }

    /// - Returns: besides, the files that were left for a later look.
    func run(_ inputs: IngestInputs) throws -> (report: IngestReport, unsettled: [BytePath]) {
        if options.restore && !options.isDryRun, case .existing(let stack) = store {
            try unmark(inputs, in: stack)
        }
        var run = IngestRun(self, inputs)
        return try run.perform()
    }

    /// Takes deletions back that can still be taken back: those photos have their moods.
    private func unmark(_ inputs: IngestInputs, in stack: DataStack) throws {
        let files = inputs.found.files.filter { inputs.askedAnew?.contains($0.path) ?? true }
        let isFew = files.count <= PhotoCatalog.maximumPaths, locations = files.map(\.location)
        let marked = try stack.read { view in
            let request =
                isFew
                ? FetchRequest(Photo.filter(uniqueIDs: locations))
                : FetchRequest<Photo>(\.mood?.markedForDeletionDate != nil)
            let moods = try view.fetchAll(request).compactMap { photo in
                photo.mood.flatMap { $0.markedForDeletionDate == nil ? nil : (photo.location, $0.objectID) }
            }
            return Dictionary(moods) { first, _ in first }
        }
        if marked.isEmpty { return }
        _ = try stack.unmarkMoods(locations.compactMap { marked[$0] })
    }
}

/// The store that moods go to.
enum StoreProvider {
    case existing(DataStack)
    /// An empty store, made when it is first needed.
    case deferred(() throws -> DataStack)
}
