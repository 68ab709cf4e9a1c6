import Foundation
import Testing

/// A store in another of Core Data's formats, and back.
@Suite struct StoreConvertTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    @Test func `to XML, to binary and back every value is kept`() throws {
        try bench.putPhotos()
        _ = try bench.moody("ingest", "--preview", "1600", "Photos")
        let before = try bench.moody("export", "json").out
        for (source, target) in [
            ("Moody.moody", "a.xml"), ("a.xml", "b.binary"), ("b.binary", "c.moody"), ("c.moody", "d.xml"),
        ] {
            let run = try bench.moody("store", "convert", source, target)
            #expect(run == .init(status: 0, out: "", err: "moody: wrote \(target): 3 moods\n"))
        }
        #expect(try bench.moody("export", "json", "--store", "c.moody").out == before)
        let check = try bench.moody("store", "check", "c.moody")
        #expect(check.status == 0, "\(check)")
        // By a parser that is not ours: the same files, the same bytes of colors and previews.
        let told = try bench.shell(
            """
            python3 - <<'PY'
            import sqlite3, base64, xml.etree.ElementTree as E
            def xml(name):
                objects = list(E.parse(name).getroot().iter('object'))
                value = lambda o, n: next((a.text or '' for a in o if a.get('name') == n), None)
                moods = [o for o in objects if o.get('type') == 'MOOD']
                return sorted((value(o, 'colors'), value(o, 'preview')) for o in moods)
            def plain(kept):
                # 1 and the bytes, or 2 and the name of a file.
                if kept[0] == 1: return kept[1:]
                return open('.Moody_SUPPORT/_EXTERNAL_DATA/' + kept[1:].rstrip(b'\\0').decode(), 'rb').read()
            rows = list(sqlite3.connect('Moody.moody').execute('SELECT ZCOLORS, ZPREVIEW FROM ZMOOD'))
            text = lambda data: base64.b64encode(data).decode()
            sql = sorted((text(colors), text(plain(preview))) for colors, preview in rows)
            print(len(sql), xml('a.xml') == sql, xml('d.xml') == sql, all(p[:4] == '/9j/' for _, p in sql))
            PY
            """)
        #expect(told.out == "3 True True True\n", "\(told)")
    }

    /// A gap among the keys is what a new store would close. The other store is Apple's, also to XML.
    @Test func `from SQLite to SQLite rows keep their keys, also of other programs' stores`() throws {
        try bench.putPhotos()
        _ = try bench.moody("ingest", "Photos")
        _ = try bench.moody("delete", "1")
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let other = root.appending(path: "ManagedObjectsTests/Fixtures/Stores/SampleModel_V1.sqlite").path
        _ = try bench.shell(
            """
            cp '\(other)' other.sqlite
            sqlite3 other.sqlite 'DELETE FROM ZCAR WHERE Z_PK = (SELECT min(Z_PK) FROM ZCAR)'
            """)
        for (source, target) in [("Moody.moody", "a.moody"), ("other.sqlite", "b.sqlite")] {
            #expect(try bench.moody("store", "convert", source, target).status == 0)
            let dumps = try [source, target].map { try bench.shell("sqlite3 \($0) .dump").out }
            #expect(dumps[0].count > 1000 && dumps[1] == dumps[0], "\(source)")
        }
        #expect(try bench.moody("store", "convert", "other.sqlite", "c.xml").status == 0)
        let counts = try bench.shell(
            """
            grep -c '<object type="CAR"' c.xml
            sqlite3 other.sqlite "SELECT count(*) FROM ZCAR WHERE Z_ENT = \\
                (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Car')"
            """
        ).out
        let lines = counts.split(separator: "\n")
        #expect(lines.count == 2 && lines[0] == lines[1] && lines[0] != "0", "\(counts)")
    }

    @Test func `what cannot be converted is said, and nothing is written over or left`() throws {
        try bench.write("<database><object type=\"MOOD\"", to: "broken.xml")
        try bench.write("hello", to: "hello.xml")
        try bench.putPhotos()
        _ = try bench.moody("ingest", "Photos")
        let names = try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).sorted()
        for (words, said) in [
            (["nothing.xml", "a.xml"], "moody: nothing.xml: No such file or directory\n"),
            (["broken.xml", "a.moody"], "moody: broken.xml: cannot be read: line 1: unclosed token\n"),
            (["hello.xml", "a.moody"], "moody: hello.xml: not a Core Data store\n"),
            (["Moody.moody", "hello.xml"], "moody: hello.xml: File exists\n"),
            (["Moody.moody", "nowhere/a.xml"], "moody: nowhere/a.xml: No such file or directory\n"),
        ] {
            let run = try bench.run(["store", "convert"] + words)
            #expect(run == .init(status: 2, out: "", err: said))
        }
        #expect(try bench.read("hello.xml") == "hello")
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.path).sorted() == names)
    }
}
