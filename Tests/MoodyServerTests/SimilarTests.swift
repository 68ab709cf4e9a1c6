#if Server
import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import Palettes
import Testing

@testable import MoodyModel
@testable import MoodyServer

@Suite struct SimilarTests {
    /// The first of four is the one that is asked about; the second is 40 bits from it, the third 5, the
    /// fourth 7 in a mirror.
    private func server() async throws -> TestServer {
        let server = try await TestServer { options, _ in options.privacy.showsPaths = false }
        let base = PictureHash(words: SIMD4(1 << 62, 0xFFFF, 77, 1 << 40))
        func flipped(_ bits: Int) -> PictureHash {
            PictureHash(words: base.words ^ SIMD4(0, (1 << UInt64(bits)) - 1, 0, 0))
        }
        let hashes = [base, flipped(40), flipped(5), flipped(7).mirrored]
        let facts = CaptureInfo(
            taken: CivilDate(year: 2024, month: 1, day: 1), offset: nil, source: .original, width: 4,
            height: 3)
        try server.stack.performAndWait { transaction in
            for (index, hash) in hashes.enumerated() {
                let mood = MoodSource(
                    palette: Palette(entries: [.init(color: .white, share: 1)]),
                    request: PaletteRequest(mode: .area, count: 5), facts: facts, thumbnail: Data(),
                    preview: nil, pictureHash: Data(hash.bytes))
                let name = Data("\(index + 1).jpg".utf8)
                let source = PhotoImport(
                    location: FileLocation(folder: Data("/photos".utf8), name: name),
                    file: FileStamp(size: 1, mtimeNs: 2, inode: 3), contentHash: nil,
                    seen: Date(timeIntervalSince1970: 0), result: .kept(mood))
                _ = try transaction.importNewObject(Photo.self, from: source)
            }
        }
        try await server.until { server.server.lists.page.list.count == hashes.count }
        return server
    }

    private struct Line: Decodable, Equatable {
        struct Mood: Decodable, Equatable { let id: Int, path: String }
        var v: Int
        var distance: Int
        var mirrored: Bool?
        var mood: Mood
    }

    @Test func `the moods that are like one come nearest first, and tell no folder`() async throws {
        let server = try await server()
        func lines(_ query: String) async throws -> [Line] {
            let answer = try await server.ask("GET", "/api/v1/moods/1/similar" + query)
            #expect(answer.status == 200 && answer.fields["content-type"] == "application/x-ndjson")
            return try answer.text.split(separator: "\n").map {
                try JSONDecoder().decode(Line.self, from: Data($0.utf8))
            }
        }
        let copies = [
            Line(v: 1, distance: 5, mood: .init(id: 3, path: "3.jpg")),
            Line(v: 1, distance: 7, mirrored: true, mood: .init(id: 4, path: "4.jpg")),
        ]
        #expect(try await lines("") == copies)
        #expect(try await lines("?limit=1") == [copies[0]])
        let far = Line(v: 1, distance: 40, mood: .init(id: 2, path: "2.jpg"))
        #expect(try await lines("?kind=crops") == copies + [far])
        #expect(try await lines("?kind=series").isEmpty, "all have one clock")
        try await server.end()
    }

    @Test func `what is not asked rightly is refused`() async throws {
        let server = try await server()
        for (target, status) in [
            ("1/similar?kind=31", 400), ("1/similar?limit=0", 400), ("1/similar?near=1", 400),
            ("9/similar", 404),
        ] {
            #expect(try await server.ask("GET", "/api/v1/moods/" + target).status == status, "\(target)")
        }
        try await server.end()
    }
}
#endif
