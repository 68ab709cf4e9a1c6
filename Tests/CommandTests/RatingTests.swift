import Foundation
import Testing

/// Ratings in photos and in XMP files beside them; the values are those of `exiftool -s -n -Rating`.
@Suite struct RatingTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.put("rated.jpg", as: "P/rated.jpg")
        try bench.put("forest.jpg", as: "P/forest.jpg")
    }

    /// As exiftool writes one, or with the rating as an attribute.
    private func rate(_ name: String, _ value: String, isElement: Bool = true) throws {
        let start = "<rdf:Description rdf:about='' xmlns:xmp='http://ns.adobe.com/xap/1.0/'"
        let rating =
            isElement
            ? "\(start)><xmp:Rating>\(value)</xmp:Rating></rdf:Description>"
            : "\(start) xmp:Rating='\(value)'/>"
        try bench.write(
            """
            <?xpacket begin='\u{FEFF}' id='W5M0MpCehiHzreSzNTczkc9d'?>
            <x:xmpmeta xmlns:x='adobe:ns:meta/' x:xmptk='Image::ExifTool 12.57'>
            <rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
            \(rating)
            </rdf:RDF>
            </x:xmpmeta>
            <?xpacket end='w'?>
            """, to: "P/\(name)")
    }

    private struct Mood: Decodable {
        let path: String
        let rating: Int?
    }

    private func ratings(_ arguments: String...) throws -> [String: Int?] {
        let run = try bench.run(["list", "--json"] + arguments)
        let moods = try run.lines.map { try JSONDecoder().decode(Mood.self, from: Data($0.utf8)) }
        return Dictionary(
            uniqueKeysWithValues: moods.map { (URL(fileURLWithPath: $0.path).lastPathComponent, $0.rating) })
    }

    @Test func `a rating in a photo is read, kept, and asked for`() throws {
        #expect(try bench.moody("ingest", "-q", "P").status == 0)
        #expect(try ratings() == ["rated.jpg": 4, "forest.jpg": nil])
        #expect(try ratings("--where", "rating >= 3") == ["rated.jpg": 4])
        #expect(try ratings("--where", "rating == nil") == ["forest.jpg": nil])
        #expect(try ratings("--where", "rating > 4").isEmpty)
        // Nothing is no star, as in other programs.
        #expect(try ratings("--where", "rating == 0") == ["forest.jpg": nil])
        #expect(try ratings("--where", "rating < 3") == ["forest.jpg": nil])
        #expect(try ratings("--where", "rating != 0 && rating != nil") == ["rated.jpg": 4])
        #expect(try ratings("--where", "NOT rating >= 3") == ["forest.jpg": nil])
        #expect(try ratings("--where", "rating IN {0, 1}") == ["forest.jpg": nil])
        #expect(try ratings("--where", "rating BETWEEN {0, 3}") == ["forest.jpg": nil])
        #expect(try bench.moody("show", "P/rated.jpg").out.contains("  rating   4 of 5\n"))
        // Copies and records have it as well.
        _ = try bench.shell("cp P/rated.jpg P/copy.jpg")
        #expect(try bench.moody("ingest", "-q", "P").status == 0)
        #expect(try ratings("--where", "rating == 4").count == 2)
        let records = try bench.moody("export", "record")
        #expect(records.lines.filter { $0.contains("\"rating\":4,") }.count == 2)
        try bench.write(records.out, to: "records.jsonl")
        #expect(try bench.moody("import", "-q", "--store", "other.moody", "records.jsonl").status == 0)
        #expect(try ratings("--store", "other.moody") == ratings())
    }

    @Test(arguments: [
        ("3", 3), ("3.0", 3), ("0", 0), ("5", 5), ("-1", -1), ("-1.0", -1), ("4.5", 4), ("6", nil),
        ("4 ", 4), (" 3\n", 3),
        ("-2", nil),
        ("x", nil), ("", nil), ("nan", nil), ("1e300", nil),
    ])
    func `a sidecar's rating wins, and what is none says nothing`(_ text: String, _ rating: Int?) throws {
        try rate("rated.jpg.xmp", text)
        try rate("forest.xmp", text, isElement: false)
        #expect(try bench.moody("ingest", "-q", "P").status == 0)
        #expect(try ratings() == ["rated.jpg": rating ?? 4, "forest.jpg": rating])
    }

    @Test func `a rating that comes, changes, or goes is seen by the next run`() throws {
        #expect(try bench.moody("ingest", "-q", "P").status == 0)
        try rate("forest.jpg.xmp", "2")
        #expect(try bench.moody("ingest", "-q", "P").status == 0)
        #expect(try ratings()["forest.jpg"] == 2)
        try rate("forest.jpg.xmp", "-1")
        #expect(try bench.moody("ingest", "-q", "P").status == 0)
        #expect(try ratings("--where", "rating == -1") == ["forest.jpg": -1])
        #expect(try bench.moody("show", "P/forest.jpg").out.contains("  rating   rejected\n"))
        try bench.remove("P/forest.jpg.xmp")
        #expect(try bench.moody("ingest", "-q", "P").status == 0)
        #expect(try ratings()["forest.jpg"] == .some(nil))
    }

    @Test func `a rating is a number`() throws {
        #expect(try bench.moody("ingest", "-q", "P").status == 0)
        let run = try bench.moody("list", "--where", "rating >= 'good'")
        #expect(run.status == 64 || run.out.isEmpty, "\(run)")
    }
}
