import Foundation
import ManagedObjects
import MoodyIngest

/// Chapter 1 of the book, in its order: the stack (1.3), a table that follows its moods (1.4), a picture that
/// is taken and a mood that is deleted (1.5).
///
///     swift run MoodyBook PHOTO
@main struct MoodyBook {
    @MainActor static func main() async {
        guard CommandLine.arguments.count == 2 else {
            print("usage: MoodyBook PHOTO")
            exit(64)
        }
        let photo = BytePath(CommandLine.arguments[1])
        do {
            let image = try ExtractedPalette(bytes: readPhoto(photo), settings: PaletteSettings())
            print("1.3  a context on the main queue, and Moody.moody below it")
            let managedObjectContext = try createMoodyMainContext()
            try await run(managedObjectContext, image)
        } catch {
            print("MoodyBook: \(CommandLine.arguments[1]): \(error)")
            exit(1)
        }
    }

    private static func run(_ context: isolated ManagedObjectContext, _ image: ExtractedPalette) async throws
    {
        print("1.4  the table")
        let table = try MoodsTable(context)
        for _ in 0..<2 {
            print("1.5  a picture is taken")
            context.performChanges { context in Mood.insert(into: context, image: image) }
            await changes(of: context)
        }
        guard let mood = table.first else { return }
        print("1.5  the first mood is shown, and deleted")
        let detail = MoodDetail(mood)
        detail.deleteMood()
        await changes(of: context)
        withExtendedLifetime(detail) {}
    }

    /// Waits until the changes were made that the context's queue was handed.
    private static func changes(of context: ManagedObjectContext) async {
        await withCheckedContinuation { done in context.performChanges { _ in done.resume() } }
    }
}
