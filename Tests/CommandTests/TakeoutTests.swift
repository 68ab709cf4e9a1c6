import Foundation
import Images
import Testing

/// Files of Google Takeout beside photos. Their names are those that users report, with the reports.
@Suite struct TakeoutTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putSquares([("P/a.png", "336699"), ("plain.png", "aa3311")])
        _ = try bench.shell("touch -d 2020-01-02T03:04:06Z P/a.png plain.png")
    }

    /// 2014-05-13T16:53:20Z, as `date -u -d @1400000000` says.
    private static func json(
        _ title: String, time: String = "1400000000", _ latitude: Double = 48.5, _ longitude: Double = -2.25
    ) -> String {
        """
        {"title": "\(title)", "description": "", "imageViews": "3",
         "creationTime": {"timestamp": "1600000000", "formatted": "Sep 13, 2020, 12:26:40 PM UTC"},
         "photoTakenTime": {"timestamp": "\(time)", "formatted": "May 13, 2014, 4:53:20 PM UTC"},
         "geoData": {"latitude": \(latitude), "longitude": \(longitude), "altitude": 0.0,
          "latitudeSpan": 0.0, "longitudeSpan": 0.0},
         "url": "https://photos.google.com/photo/x", "googlePhotosOrigin": {"mobileUpload": {}}}
        """
    }

    private struct Facts: Decodable, Equatable {
        var taken: String?
        var offset: Int?
        var dateSource: String?
        var latitude: Double?
        var longitude: Double?

        static let takeout = Facts(
            taken: "2014-05-13T16:53:20", offset: 0, dateSource: "sidecar", latitude: 48.5, longitude: -2.25)
    }

    private func facts(_ path: String) throws -> Facts {
        let run = try bench.moody("extract", "--format", "record", path)
        return try JSONDecoder().decode(Facts.self, from: Data((run.lines.first ?? "").utf8))
    }

    /// TheLastGimbus/GooglePhotosTakeoutHelper#449, simulot/immich-go#1321.
    @Test(arguments: [
        ("IMG_2.png", "IMG_2.png.supplemental-metadata.json", "IMG_2.png"),
        ("IMG_2.png", "IMG_2.png.json", "IMG_2.png"),
        (
            "PXL_20230922_144936660.NIGHT.png", "PXL_20230922_144936660.NIGHT.png.supplemental-.json",
            "PXL_20230922_144936660.NIGHT.png"
        ),
        (
            "IMG_20200101_123456789_HDR_PORTRAIT_abcd.png",
            "IMG_20200101_123456789_HDR_PORTRAIT_abcd.png.s.json",
            "IMG_20200101_123456789_HDR_PORTRAIT_abcd.png"
        ),
        (
            "0123456789012345678901234567890123456789012.png",
            "0123456789012345678901234567890123456789012.pn.json",
            "01234567890123456789012345678901234567890123456789.png"
        ),
        ("IMG_2(1).png", "IMG_2.png.supplemental-metadata(1).json", "IMG_2.png"),
        ("IMG_2(1).png", "IMG_2.png(1).json", "IMG_2.png"),
        ("IMG_2(1).png", "IMG_2(1).png.json", "IMG_2(1).png"),
        ("IMG_2-edited.png", "IMG_2.png.supplemental-metadata.json", "IMG_2.png"),
        ("IMG_2-edited(1).png", "IMG_2.png.supplemental-metadata(1).json", "IMG_2.png"),
        ("A _ B.png", "A _ B.png.supplemental-metadata.json", "A & B.png"),
        ("été.png", "été.png.supplemental-metadata.json", "été.png"),
    ])
    func `the file of a photo is found by the names that Takeout gives`(
        photo: String, name: String, title: String
    ) throws {
        try bench.move("P/a.png", to: "P/" + photo)
        #expect(try facts("P/" + photo).dateSource != "sidecar")
        try bench.write(Self.json(title), to: "P/" + name)
        #expect(try facts("P/" + photo) == .takeout)
        try bench.write(Self.json("other.png"), to: "P/" + name)
        #expect(try facts("P/" + photo).latitude == nil)
    }

    @Test func `it fills what photo and XMP lack, and nothing else`() throws {
        // A photo with a date of its own.
        try bench.put("forest.jpg", as: "P/f.jpg")
        let own = try facts("P/f.jpg")
        try bench.write(Self.json("f.jpg"), to: "P/f.jpg.json")
        let filled = try facts("P/f.jpg")
        #expect(filled.taken == own.taken && filled.dateSource == "original" && filled.latitude == 48.5)
        // A place of 0, 0 is none.
        try bench.write(Self.json("a.png", 0, 0), to: "P/a.png.json")
        var expected = Facts.takeout
        (expected.latitude, expected.longitude) = (nil, nil)
        #expect(try facts("P/a.png") == expected)
        try bench.write(Self.json("a.png"), to: "P/a.png.json")
        try bench.write(
            """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF
             xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
             <rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/"
              exif:DateTimeOriginal="2011-02-03T04:05:06"/>
            </rdf:RDF></x:xmpmeta>
            """, to: "P/a.png.xmp")
        let both = try facts("P/a.png")
        #expect(both.taken == "2011-02-03T04:05:06" && both.latitude == 48.5)
    }

    @Test(arguments: [
        "", "{}", "[]", "nonsense", #"{"title": 7}"#,
        #"{"title": "a.png", "photoTakenTime": {"timestamp": "x"}}"#,
        #"{"title": "a.png", "photoTakenTime": {"timestamp": "99999999999999999999"}}"#,
        #"{"title": "a.png", "geoData": {"latitude": 91, "longitude": 0}}"#,
        String(repeating: "[", count: 100_000),
    ])
    func `what is no such file, or says what cannot be, is passed over`(text: String) throws {
        try bench.write(text, to: "P/a.png.json")
        let run = try bench.moody("extract", "--format", "record", "P")
        #expect(run.status == 0 && run.lines.count == 2, "\(run)")
        let found = try facts("P/a.png")
        #expect(found.dateSource == "fileTime" && found.latitude == nil)
    }

    private func exported(_ store: String) throws -> [String] {
        try bench.moody("export", "jsonl", "--store", store).lines
            .map { $0.replacing(/"id":[0-9]+/, with: "") }.sorted()
    }

    @Test func `a file that comes, changes, or goes changes facts, and one that is as it was is not opened`()
        throws
    {
        func ingest(_ store: String = "own.moody") throws -> String {
            try bench.moody("ingest", "--store", store, "P").err
        }
        func expectFresh() throws {
            _ = try bench.shell("rm -rf fresh.moody* .fresh.moody*")
            _ = try ingest("fresh.moody")
            #expect(try exported("own.moody") == exported("fresh.moody"))
        }
        _ = try ingest()
        let name = "P/a.png.supplemental-metadata.json"
        try bench.write(Self.json("a.png"), to: name)
        #expect(try ingest().contains("1 changed"))
        try expectFresh()
        #expect(try exported("own.moody").joined().contains("2014-05-13"))
        try bench.write(Self.json("a.png", time: "1500000000"), to: name)
        #expect(try ingest().contains("1 changed"))
        try expectFresh()
        #expect(try ingest().contains("1 unchanged"))
        try bench.remove(name)
        #expect(try ingest().contains("1 changed"))
        try expectFresh()
        #expect(try !exported("own.moody").joined().contains("2017"))
    }

    @Test(.enabled(if: ArchiveStream.isBuiltIn), arguments: [true, false])
    func `in archives it counts too, and from a pipe where it comes before its photo`(isFirst: Bool) throws {
        try bench.write(Self.json("a.png"), to: "P/a.png.supplemental-metadata.json")
        let run = try bench.shell(
            """
            facts() { grep -o '"taken":"[^"]*"\\|"latitude":[^,]*' | tr '\\n' ' '; echo; }
            "$moody" extract --format record P | facts
            python3 -c '
            import zipfile, tarfile
            names = ["P/a.png", "P/a.png.supplemental-metadata.json"]
            if \(isFirst ? "True" : "False"): names.reverse()
            with zipfile.ZipFile("t.zip", "w") as file:
                for name in names: file.write(name)
            with zipfile.ZipFile("1.zip", "w") as file: file.write("P/a.png")
            with zipfile.ZipFile("2.zip", "w") as file: file.write(max(names, key=len))
            with tarfile.open("t.tar", "w") as file:
                for name in names: file.add(name)'
            "$moody" extract --format record t.zip | facts
            "$moody" extract --format record 1.zip 2.zip | facts
            "$moody" extract --tar - < t.zip | facts
            cat t.tar | "$moody" extract --tar - | facts
            """)
        let all = #""taken":"2014-05-13T16:53:20" "latitude":48.5"#
        let none = #""taken":"2020-01-02T03:04:06""#
        #expect(
            run.lines.map { $0.trimmingCharacters(in: .whitespaces) }
                == [all, all, all, isFirst ? all : none, isFirst ? all : none], "\(run)")
        let note = "moody: -: note: 1 JSON file of Google Takeout came behind its photo, and does not count\n"
        #expect(run.err == (isFirst ? "" : note + note), "\(run)")
    }
}
