#if Server
import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import MoodyModel
import Palettes
import Testing

@testable import MoodyServer

/// What other machines are not told they cannot ask for in halves either.
@Suite struct PrivacyTests {
    private func insert(into stack: DataStack) throws {
        try stack.performAndWait { transaction in
            for (number, path) in ["/p/Hochzeit/harbour.jpg", "/p/Alltag/street.jpg"].enumerated() {
                let entries = [Palette.Entry(color: RGB(hex: "#336699")!, share: 1)]
                let facts = CaptureInfo(
                    taken: CivilDate(year: 2024, month: 5, day: 31), offset: nil, source: .original, width: 3,
                    height: 2, latitude: 41.853, longitude: 12.48883)
                let mood = MoodSource(
                    palette: Palette(entries: entries), request: PaletteRequest(PaletteOptions()),
                    facts: facts, thumbnail: Data(), preview: nil)
                let parts = path.split(separator: "/").map(String.init)
                let source = PhotoImport(
                    location: FileLocation(
                        folder: Data("/p/\(parts[1])".utf8), name: Data(parts[2].utf8), path: path),
                    file: FileStamp(size: 1, mtimeNs: 1, inode: Int64(number)), contentHash: nil,
                    seen: Date(),
                    result: .kept(mood))
                _ = try transaction.importUniqueObject(Photo.self, from: source)
            }
        }
    }

    private static let places = [
        "latitude+%3E+41.85", "NOT+longitude+%3C+12", "country.name+==+%22Italy%22", "country+!=+nil",
        "continent.name+==+%22Europe%22", "width+%3E+1+AND+(height+%3C+9+OR+latitude+%3E+0)",
        "SUBQUERY(country.moods,+$each,+$each.width+%3E+1).@count+%3E+0",
        "SUBQUERY(photo.mood.swatches,+$each,+$each.mood.latitude+%3E+1).@count+%3E+0",
    ]
    private static let folders = [
        "path+BEGINSWITH+%22/p%22", "photo.path+LIKE+%22*Hochzeit*%22", "photo.folder+!=+nil",
    ]

    @Test func `conditions on what is not told are refused, with others or alone`() async throws {
        let server = try await TestServer { options, _ in options.privacy = PagePrivacy() }
        try insert(into: server.stack)
        for condition in Self.places + Self.folders {
            for target in ["moods?where=", "events?where="] {
                let answer = try await server.ask("GET", "/api/v1/" + target + condition)
                // What is no condition here is none elsewhere.
                #expect([400, 403].contains(answer.status), "\(condition) \(answer.status)")
            }
        }
        for condition in Self.places.prefix(6) + Self.folders.prefix(2) {
            let answer = try await server.ask("GET", "/api/v1/moods?where=" + condition)
            #expect(answer.status == 403 && answer.text.contains("does not tell"), "\(condition)")
        }
        #expect(try await server.ask("GET", "/api/v1/moods?where=width+%3E+1").status == 200)
        #expect(try await server.ask("GET", "/api/v1/moods?section=country").status == 403)
        try await server.end()
        let open = try await TestServer()
        try insert(into: open.stack)
        for condition in Self.places.prefix(6) + Self.folders.prefix(2) {
            #expect(
                try await open.ask("GET", "/api/v1/moods?where=" + condition).status == 200, "\(condition)")
        }
        try await open.end()
    }

    @Test(arguments: [false, true]) func `a search knows folders where they are told`(isTold: Bool)
        async throws
    {
        let server = try await TestServer { options, _ in
            options.privacy = PagePrivacy(showsPaths: isTold, showsPlaces: isTold)
        }
        try insert(into: server.stack)
        func find(_ query: String) async throws -> Int {
            let answer = try await server.ask("GET", "/api/v1/find?q=" + query)
            return answer.text.split(separator: "\n").count
        }
        #expect(try await find("harbour") == 1)
        #expect(try await find("2024") == 2)
        #expect(try await find("hochzeit") == (isTold ? 1 : 0))
        // Without the index, too.
        #expect(try await find("hochzeit+or+neverland") == (isTold ? 1 : 0))
        try await server.end()
    }
}
#endif
