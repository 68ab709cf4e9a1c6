// compiles: without this, a broken build would pass for a refusal
import DataStacks
import Foundation
import ManagedObjects
import MoodyModel

func use(_ context: ManagedObjectContext, _ stack: DataStack) async throws {
    let cutoff = Date(timeIntervalSinceReferenceDate: 0)
    let photos = try await context.perform { context in
        let photo: Photo = context.insert()
        let others = try context.fetch(FetchRequest(\Mood.date > cutoff && \Mood.camera == "Leica"))
        for other in others { context.delete(other) }
        return photo.reference
    }
    print(context.performAndWait { $0[photos]?.path ?? "" })
    Task { print(await context.perform { $0[photos]?.path ?? "" }) }
    print(try await stack.perform { transaction in transaction.edit(photos)?.path ?? "" })
}
