import Foundation
import Glibc
import Testing

/// XMP files beside photos. What they say is by `exiftool -s -n`.
@Suite struct SidecarTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.put("forest.jpg", as: "P/other.jpg")
        // 40 x 20, and the same 20 times as large, where it is asked for.
        _ = try bench.shell(
            """
            python3 -c 'import struct, zlib
            def chunk(kind, data):
                whole = kind + data
                return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))
            for name, times in ("P/a.png", 1), ("large.png", 20):
                row = b"\\0" + bytes([200, 30, 30] * 30 * times + [30, 30, 200] * 10 * times)
                open(name, "wb").write(b"\\x89PNG\\r\\n\\x1a\\n"
                    + chunk(b"IHDR", struct.pack(">IIBBBBB", 40 * times, 20 * times, 8, 2, 0, 0, 0))
                    + chunk(b"IDAT", zlib.compress(row * 20 * times)) + chunk(b"IEND", b""))'
            touch -d 2020-01-02T03:04:05Z P/a.png
            """)
    }

    /// As exiftool 12.57 writes one: elements.
    private static func elements(_ date: String, orientation: Int = 6) -> String {
        """
        <?xpacket begin='\u{FEFF}' id='W5M0MpCehiHzreSzNTczkc9d'?>
        <x:xmpmeta xmlns:x='adobe:ns:meta/' x:xmptk='Image::ExifTool 12.57'>
        <rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>

         <rdf:Description rdf:about=''
          xmlns:exif='http://ns.adobe.com/exif/1.0/'>
          <exif:DateTimeOriginal>\(date)</exif:DateTimeOriginal>
          <exif:GPSLatitude>48,51.504N</exif:GPSLatitude>
          <exif:GPSLongitude>2,17.67E</exif:GPSLongitude>
         </rdf:Description>

         <rdf:Description rdf:about=''
          xmlns:tiff='http://ns.adobe.com/tiff/1.0/'>
          <tiff:Orientation>\(orientation)</tiff:Orientation>
         </rdf:Description>
        </rdf:RDF>
        </x:xmpmeta>
        <?xpacket end='w'?>
        """
    }

    /// As exiv2 0.27.6 writes one: attributes.
    private static func attributes(_ date: String, more: String = "") -> String {
        """
        <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 4.4.0-Exiv2">
         <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
          <rdf:Description rdf:about=""
            xmlns:tiff="http://ns.adobe.com/tiff/1.0/"
            xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/"
           tiff:Orientation="8" \(more)
           photoshop:DateCreated="\(date)"/>
         </rdf:RDF>
        </x:xmpmeta>
        <?xpacket end="w"?>
        """
    }

    private struct Facts: Decodable, Equatable {
        var taken: String?
        var offset: Int?
        var dateSource: String?
        var width: Int?
        var height: Int?
        var latitude: Double?
        var notes: [String]?
    }

    private func facts(_ path: String = "P/a.png") throws -> Facts {
        let run = try bench.moody("extract", "--format", "record", path)
        var facts = try JSONDecoder().decode(Facts.self, from: Data((run.lines.first ?? "").utf8))
        // Not those of the palette.
        facts.notes = facts.notes?.filter { $0.hasPrefix("a.png.xmp") }
        if facts.notes?.isEmpty == true { facts.notes = nil }
        return facts
    }

    private func exported() throws -> [String] {
        try bench.moody("export", "jsonl").lines.map { $0.replacing(/"id":[0-9]+/, with: "") }.sorted()
    }

    /// What the store says equals what one fresh ingest says.
    private func expectFresh() throws {
        let run = try bench.moody("ingest", "--store", "fresh.moody", "P")
        #expect(run.status == 0)
        let fresh = try bench.moody("export", "jsonl", "--store", "fresh.moody").lines
            .map { $0.replacing(/"id":[0-9]+/, with: "") }.sorted()
        _ = try bench.shell("rm -rf fresh.moody* .fresh.moody*")
        let own = try exported()
        #expect(own == fresh)
    }

    @Test func `date, place, and orientation are those of the sidecar`() throws {
        let own = try facts()
        #expect(own.dateSource == "fileTime" && own.width == 40 && own.latitude == nil)
        try bench.write(Self.elements("2011-02-03T04:05:06+01:00"), to: "P/a.png.xmp")
        let found = try facts()
        #expect(found.taken == "2011-02-03T04:05:06" && found.offset == 60)
        #expect(found.dateSource == "sidecar" && found.width == 20 && found.height == 40)
        #expect(abs((found.latitude ?? 0) - 48.8584) < 1e-9 && found.notes == nil)
        // Of the stem, with attributes, in capitals.
        try bench.remove("P/a.png.xmp")
        try bench.write(Self.attributes("2010-01-02T03:04:05"), to: "P/a.XMP")
        let other = try facts()
        #expect(other.taken == "2010-01-02T03:04:05" && other.dateSource == "sidecar" && other.height == 40)
        // Its own comes first, and says nothing of the rest.
        try bench.write(Self.elements("2012", orientation: 1), to: "P/a.png.xmp")
        let first = try facts()
        #expect(first.taken == "2012-01-01T00:00:00" && first.width == 40)
        let json = try bench.moody("extract", "--json", "P/a.png")
        #expect(json.out.contains("\"width\":40"))
    }

    @Test func `a sidecar of a stem is of the kind of file that it names`() throws {
        let raw = "photoshop:SidecarForExtension=\"NEF\""
        try bench.write(Self.attributes("2010-01-02T03:04:05", more: raw), to: "P/a.xmp")
        #expect(try facts().dateSource == "fileTime")
        let png = "photoshop:SidecarForExtension=\"PNG\""
        try bench.write(Self.attributes("2010-01-02T03:04:05", more: png), to: "P/a.xmp")
        #expect(try facts().dateSource == "sidecar")
    }

    @Test func `UTF-16 and other prefixes are read, and what is inside of a property is not`() throws {
        let text = Self.attributes("2010-01-02T03:04:05").replacing("photoshop:", with: "p:")
            .replacing("xmlns:photoshop", with: "xmlns:p")
        let units = text.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        try Data([0xFF, 0xFE] + units).write(to: URL(fileURLWithPath: bench.path("P/a.xmp")))
        #expect(try facts().taken == "2010-01-02T03:04:05")
        let inside = """
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description \
            xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/" xmlns:xmp="http://ns.adobe.com/xap/1.0/">\
            <xmpMM:DerivedFrom><rdf:Description xmp:CreateDate="2001-01-01"/></xmpMM:DerivedFrom>\
            </rdf:Description></rdf:RDF>
            """
        try bench.write(inside, to: "P/a.xmp")
        #expect(try facts().dateSource == "fileTime")
    }

    @Test(arguments: [
        ("<a>\n<b>\n</a>", "a.png.xmp: line 3: mismatched tag"),
        ("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>", "a.png.xmp: line 1: a document type"),
        ("", "a.png.xmp: line 1: no element found"), ("\u{0}", nil),
        (String(repeating: "<a>", count: 300), nil),
    ])
    func `a sidecar that cannot be read is a note of its photo`(text: String, note: String?) throws {
        try bench.write(text, to: "P/a.png.xmp")
        let found = try facts()
        #expect(found.dateSource == "fileTime" && found.width == 40)
        #expect(
            found.notes?.count == 1 && found.notes?[0].hasPrefix("a.png.xmp: line 1") == true
                || note != nil && found.notes == note.map { [$0] }, "\(found.notes ?? [])")
        let run = try bench.moody("extract", "P/a.png")
        #expect(run.status == 0 && run.err.contains("moody: P/a.png: note: a.png.xmp: line "))
        _ = try bench.shell("truncate -s 17M P/a.png.xmp")
        #expect(try facts().notes == ["a.png.xmp: larger than 16 MB"])
    }

    @Test func `a photo whose sidecar cannot be opened is left as it is for the next run`() throws {
        // A regular file that nobody can read, not even root.
        _ = try bench.shell("ln -s /proc/self/mem P/a.png.xmp")
        for _ in 0..<2 {
            let run = try bench.moody("ingest", "P")
            #expect(run.status == 1)
            #expect(run.err.contains("P/a.png: a.png.xmp: Input/output error"), "\(run.err)")
            #expect(try exported().count == 1)
        }
        try bench.remove("P/a.png.xmp")
        _ = try bench.moody("ingest", "P")
        try expectFresh()
        try bench.write(Self.elements("2011"), to: "P/a.png.xmp")
        _ = try bench.moody("ingest", "P")
        let own = try exported()
        #expect(own.contains { $0.contains("2011-01-01") })
        _ = try bench.shell("ln -sf /proc/self/mem P/a.png.xmp")
        #expect(try bench.moody("ingest", "-L", "P").status == 1)
        #expect(try exported() == own)
        try bench.remove("P/a.png.xmp")
        try bench.write(Self.elements("2012"), to: "P/a.png.xmp")
        #expect(try bench.moody("ingest", "P").status == 0)
        try expectFresh()
    }

    @Test func `a page that is written again shows a photo as its sidecar turns it`() throws {
        func export(_ folder: String) throws -> Data {
            let run = try bench.moody("export", "html", "--thumbnail", "640", "--output", folder)
            #expect(run.status == 0, "\(run.err)")
            let names = try bench.shell("cd \(folder) && find sharp -name '*.jpg'").out
            #expect(names.contains("sharp/"), "\(names)")
            return Data(try bench.shell("cd \(folder) && md5sum $(find . -name '*.jpg' | sort)").out.utf8)
        }
        _ = try bench.shell("mv large.png P")
        _ = try bench.moody("ingest", "P")
        let before = try export("Page/")
        #expect(try export("Page/") == before)
        try bench.write(Self.elements("2011", orientation: 3), to: "P/large.png.xmp")
        _ = try bench.moody("ingest", "P")
        let turned = try export("Page/")
        #expect(try turned != before && turned == export("Fresh/"))
    }

    @Test func `both dates are told where they differ`() throws {
        _ = try bench.shell("cp P/a.png P/b.png")
        let own = "2010-01-02T03:04:05"
        _ = try bench.shell(
            """
            python3 -c 'import struct, zlib
            data = open("P/a.png", "rb").read()
            text = b"XML:com.adobe.xmp\\0\\0\\0\\0\\0<x photoshop:DateCreated=\\x22\(own)\\x22/>"
            whole = b"iTXt" + text
            open("P/a.png", "wb").write(data[:33] + struct.pack(">I", len(text)) + whole
                + struct.pack(">I", zlib.crc32(whole)) + data[33:])'
            """)
        #expect(try facts().taken == own)
        try bench.write(Self.elements("2011-02-03T04:05:06"), to: "P/a.png.xmp")
        #expect(
            try facts().notes == ["a.png.xmp says 2011-02-03T04:05:06, the photo 2010-01-02T03:04:05"])
        try bench.write(Self.elements("2010-01-02T03:04:06"), to: "P/a.png.xmp")
        #expect(try facts().notes == nil)
    }

    @Test func `a sidecar that comes, changes, or goes changes facts, and nothing else is read`() throws {
        try #require(try bench.moody("ingest", "P").status == 0)
        let hexes = try bench.moody("export", "hex").out
        try bench.write(Self.elements("2011-02-03T04:05:06"), to: "P/a.png.xmp")
        let came = try bench.moody("ingest", "P")
        #expect(came.err.contains("1 changed, 1 unchanged"), "\(came.err)")
        #expect(try bench.moody("export", "jsonl").out.contains("2011-02-03T04:05:06"))
        try expectFresh()
        let again = try bench.moody("ingest", "P")
        #expect(again.err.contains("2 photos: 2 unchanged;"), "\(again.err)")
        _ = try bench.shell("rm P/a.png.xmp")
        try bench.write(Self.elements("2013-02-03T04:05:06", orientation: 8), to: "P/a.xmp")
        #expect(try bench.moody("ingest", "P").err.contains("1 changed"))
        try expectFresh()
        #expect(try bench.moody("export", "hex").out == hexes)
        _ = try bench.shell("rm P/a.xmp")
        #expect(try bench.moody("ingest", "P").err.contains("1 changed"))
        #expect(!(try bench.moody("export", "jsonl").out.contains("sidecar")))
        try expectFresh()
        // A photo that is named brings its sidecar.
        try bench.write(Self.elements("2014-02-03T04:05:06"), to: "P/a.png.xmp")
        #expect(try bench.moody("ingest", "P/a.png").err.contains("1 changed"))
        try expectFresh()
    }

    @Test func `copies and moved photos have their own sidecars or none`() throws {
        try bench.write(Self.elements("2011-02-03T04:05:06"), to: "P/a.png.xmp")
        try #require(try bench.moody("ingest", "P").status == 0)
        _ = try bench.shell("cp -p P/a.png P/copy.png")
        _ = try bench.moody("ingest", "P")
        try expectFresh()
        _ = try bench.shell("mv P/a.png P/moved.png")
        _ = try bench.moody("ingest", "P")
        let moods = try bench.moody("list", "--json").out
        #expect(!moods.contains("2011-02-03"), "\(moods)")
        _ = try bench.shell("mkdir P/sub; mv P/a.png.xmp P/sub/moved.png.xmp; mv P/moved.png P/sub")
        _ = try bench.moody("ingest", "P")
        #expect(try bench.moody("list", "--json").out.contains("2011-02-03T04:05:06"))
    }

    /// An older version kept sidecars as files that are no pictures.
    @Test func `a store of an older version takes the sidecars in`() throws {
        func ingest() throws -> String { try bench.moody("ingest", "--store", "old.moody", "P").err }
        try bench.write(Self.elements("2011-02-03T04:05:06"), to: "P/a.png.xmp")
        _ = try ingest()
        let old = try bench.shell(
            """
            python3 -c 'import sqlite3
            store = sqlite3.connect("old.moody")
            store.execute("update ZPHOTO set ZSTATE = 2 where ZSTATE = 5")
            store.execute("update ZMOOD set ZDATESOURCE = 5, ZLATITUDE = null")
            print(store.total_changes); store.commit()'
            """)
        try #require(old.out == "3\n", "\(old.err)")
        #expect(try ingest().contains("1 changed"))
        #expect(try ingest().contains("2 photos: 2 unchanged"))
        let moods = try bench.moody("export", "jsonl", "--store", "old.moody").out
        #expect(moods.contains("\"dateSource\":\"sidecar\"") && moods.contains("48.8584"))
    }

    /// What was not looked at with its sidecar is looked at later.
    @Test func `no change of a sidecar is lost while a photo of it is away or not asked for`() throws {
        _ = try bench.shell("cp P/a.png P/a.PNG; printf x >> P/a.PNG; touch -r P/a.png P/a.PNG")
        try bench.write(Self.elements("2001-01-01T00:00:00"), to: "P/a.xmp")
        _ = try bench.moody("ingest", "P")
        try expectFresh()
        for (number, script) in [
            "\"$moody\" ingest -q P/a.png", "\"$moody\" ingest -q P/a.xmp",
            "mv P/a.PNG away; \"$moody\" ingest -q P; mv away P/a.PNG",
            "mv P/a.PNG away; echo > P/a.PNG; \"$moody\" ingest -q P; mv away P/a.PNG",
        ].enumerated() {
            try bench.write(Self.elements("\(2002 + number)-02-03T00:00:00"), to: "P/a.xmp")
            _ = try bench.shell(script)
            _ = try bench.moody("ingest", "P")
            try expectFresh()
        }
        _ = try bench.shell("rm P/a.xmp; mv P/a.PNG away; \"$moody\" ingest -q P; mv away P/a.PNG")
        _ = try bench.moody("ingest", "P")
        try expectFresh()
    }

    /// By `exiftool -s -n`: EXIF says the same moment with more, and satellites tell Greenwich's time.
    @Test func `a sidecar that says less of the same moment takes nothing away`() throws {
        try bench.put("harbour.jpg", as: "P/h.jpg")
        let own = try facts("P/h.jpg")
        let date = try #require(own.taken)
        let moment = String(date.prefix(19))
        for (name, value) in [
            ("exif:DateTimeOriginal", moment), ("photoshop:DateCreated", String(date.prefix(10))),
            ("xmp:CreateDate", String(date.prefix(4))), ("exif:GPSTimeStamp", "1999-01-01T00:00:00Z"),
        ] {
            try bench.write(
                """
                <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about=""
                xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
                xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" \(name)="\(value)"/></rdf:RDF>
                """, to: "P/h.jpg.xmp")
            #expect(try facts("P/h.jpg").taken == date, "\(name)")
        }
    }

    @Test func `watch hears of sidecars`() throws {
        try bench.write(Self.elements("2011-02-03T04:05:06"), to: "P/a.png.xmp")
        let watch = try bench.start("watch", "P")
        try watch.waitForErr("moody: watching P")
        try watch.waitForOut("2011-02-03")
        try bench.write(Self.attributes("2012-02-03T04:05:06"), to: "P/a.png.xmp")
        try watch.waitForOut("2012-02-03")
        try bench.write(Self.attributes("2013-02-03T04:05:06"), to: "new.xmp")
        try bench.move("new.xmp", to: "P/other.xmp")
        try watch.waitForOut("2013-02-03")
        try bench.remove("P/a.png.xmp")
        try watch.waitForOut("undated")
        watch.send(SIGTERM)
        _ = try watch.wait()
        try expectFresh()
    }
}
