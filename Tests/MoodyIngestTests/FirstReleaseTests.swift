import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Palettes
import Testing

/// A store that the first release made (commit aa4a98d, `moody ingest --preview 1200`), with one preview in
/// its row, one in a file, and a photo that could not be read; and what that release exported of it.
@Suite struct FirstReleaseTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "moody-\(UUID().uuidString)")
    private let preview = "723AE0C8-5B6F-4590-BE4E-33BF76E786C5"

    /// A copy to work on.
    private func open() throws -> DataStack {
        let external = folder.appending(path: ".first-release_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(at: external, withIntermediateDirectories: true)
        let store = folder.appending(path: "first-release.moody")
        try fixture("FirstRelease/store.sqlite").write(to: store)
        try fixture("FirstRelease/\(preview)").write(to: external.appending(path: preview))
        let stack = DataStack(model: try .moody())
        try stack.addStorage(sqlite: store)
        return stack
    }

    private struct Export: Decodable {
        struct Mood: Decodable {
            struct Color: Decodable { let hex: String, share: Double }
            let id: Int64, path: String, width: Int32, height: Int32, day: String, colors: [Color]
        }
        let moods: [Mood]
    }

    @Test func `a store of the first release opens with nothing lost`() throws {
        let stack = try open()
        defer { try? FileManager.default.removeItem(at: folder) }
        let export = try JSONDecoder().decode(Export.self, from: fixture("FirstRelease/export.json"))
        #expect(export.moods.count == 2)
        let file = try fixture("FirstRelease/\(preview)")
        try stack.reader.performAndWait { context in
            for old in export.moods {
                let request = FetchRequest<Mood>(\.photo?.path == old.path)
                let mood = try #require(try context.fetch(request).first)
                #expect(mood.objectID.key == old.id)
                #expect((mood.width, mood.height) == (old.width, old.height))
                #expect("\(mood.day)" == old.day.filter { $0 != "-" })
                #expect(mood.colors.map { $0.hex.lowercased() } == old.colors.map(\.hex))
                #expect(mood.shares.count == old.colors.count)
                #expect(zip(mood.shares, old.colors).allSatisfy { abs($0 - $1.share) < 1e-6 })
                #expect(mood.swatches.count == old.colors.count)
                #expect(mood.thumbnail?.jpeg.starts(with: [0xFF, 0xD8]) == true)
                #expect(mood.preview?.starts(with: [0xFF, 0xD8]) == true)
            }
            let previews = try context.fetch(FetchRequest<Mood>()).compactMap(\.preview)
            #expect(previews.contains(file), "byte for byte")
            #expect(try context.count(FetchRequest<Photo>()) == 3, "the broken one is remembered")
        }
        let report = try stack.coordinator.report()
        #expect(report.isSound && report.externalFiles == 1 && report.leftOverFiles == [])
        try stack.coordinator.close()
    }

    @Test func `a store of the first release is written on`() throws {
        let stack = try open()
        defer { try? FileManager.default.removeItem(at: folder) }
        try stack.performAndWait { transaction in
            let moods = try transaction.fetchAll(FetchRequest<Mood>(sortedBy: .ascending(\.date)))
            transaction.delete(moods[0])
        }
        try stack.coordinator.close()
        let again = DataStack(model: try .moody())
        try again.addStorage(sqlite: folder.appending(path: "first-release.moody"))
        let counts = try again.coordinator.report().counts
        #expect(
            counts["Mood"] == 1 && counts["Thumbnail"] == 1 && counts["Swatch"] == 5 && counts["Photo"] == 3)
        try again.coordinator.close()
    }
}
