import DataStacks
import Foundation
import Images
import ManagedObjects
import MoodyIngest
import MoodyModel

/// A user's name for a mood.
enum MoodName {
    /// The moods with these numbers, or of the photos at these paths, in their order; nil where there is
    /// none.
    static func find(_ names: [BytePath], in stack: DataStack) throws -> [ManagedObjectID?] {
        var numbered: [Int64: ManagedObjectID] = [:]
        let numbers = Set(names.compactMap(number))
        if !numbers.isEmpty {
            let keys = numbers.compactMap { id($0, in: stack).map(MoodKey.init) }
            let ids = try stack.read {
                try $0.fetchObjectIDs(
                    FetchRequest<Mood>(\Mood.markedForDeletionDate == nil && Filter(\.row, isIn: keys)))
            }
            for id in ids { numbered[id.key] = id }
        }
        return try names.map { name in
            if let number = number(name) { return numbered[number] }
            let location = try location(name)
            return try stack.read { view in
                let mood = try view.fetchAll(FetchRequest(Photo.filter(uniqueID: location))).first?.mood
                return mood?.markedForDeletionDate == nil ? mood?.objectID : nil
            }
        }
    }

    /// The moods that are named; who names one that is not there is told.
    ///
    /// - Returns: those that are there, and whether these are all.
    static func find(_ names: [BytePath], in stack: DataStack, _ messages: Messages) throws
        -> (ids: [ManagedObjectID], isWhole: Bool)
    {
        let found = try names.isEmpty ? [] : find(names, in: stack)
        for (name, id) in zip(names, found) where id == nil {
            messages.problem(name.description, "no such mood")
        }
        return (found.compactMap(\.self), !found.contains(nil))
    }

    /// Why a photo that was seen has no mood; nil for one that was never seen, and for a number.
    static func reason(_ path: BytePath, in stack: DataStack) throws -> String? {
        if number(path) != nil { return nil }
        let location = try location(path)
        return try stack.read { view in
            guard let photo = try view.fetchAll(FetchRequest(Photo.filter(uniqueID: location))).first else {
                return nil
            }
            return switch photo.state {
            case .failed: photo.failure
            case .removed: "it was deleted (moody ingest --restore brings it back)"
            case .notPicture, .sidecar: "\(ImageError.unknownFormat)"
            case .kept, .missing: nil
            }
        }
    }

    /// The ID that a mood of this number has, if there is one.
    private static func id(_ number: Int64, in stack: DataStack) -> ManagedObjectID? {
        let coordinator = stack.coordinator
        return coordinator.storeIdentifiers.lazy.compactMap { store in
            URL(string: "x-coredata://\(store)/Mood/p\(number)").flatMap {
                coordinator.managedObjectID(forURIRepresentation: $0)
            }
        }.first
    }

    /// As `moody list` prints it: `+1` and `007` are names.
    static func isNumber(_ name: BytePath) -> Bool { number(name) != nil }

    private static func number(_ path: BytePath) -> Int64? {
        guard let first = path.bytes.first, (UInt8(ascii: "1")...UInt8(ascii: "9")).contains(first) else {
            return nil
        }
        return path.text.flatMap { Int64($0) }
    }

    /// The photo itself may be gone, and folders on the way with it.
    private static func location(_ path: BytePath) throws -> FileLocation {
        let folder = try (try? path.folder.resolvedAsFarAsItGoes()) ?? path.folder.absolute()
        return FileLocation(folder: Data(folder.bytes), name: Data(path.name), path: "")
    }
}
