import Foundation
import Testing

/// `moody store migrate`, and whose changes `moody store history` prints; SQLite's own shell sees the rows.
@Suite struct StoreMigrateTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
        _ = try bench.shell(
            """
            "$moody" ingest -q Photos && mkdir New.xcdatamodel
            "$moody" store model --format xml Moody.moody \
            | sed -e 's/<attribute name="camera"/<attribute name="maker" elementID="camera"/' \
            -e 's/<entity name="Thumbnail"[^>]*>/&<attribute name="kind" attributeType="Integer 16" \
            defaultValueString="7"\\/>/' > New.xcdatamodel/contents
            sqlite3 Moody.moody "UPDATE ZMOOD SET ZCAMERA = 'camera ' || Z_PK"
            """)
    }

    @Test func `a dry run names what becomes of each entity, and changes nothing`() throws {
        let before = try bench.shell("md5sum Moody.moody; ls -a")
        let run = try bench.moody("store", "migrate", "-n", "Moody.moody", "New.xcdatamodel")
        #expect(
            run.out == """
                Continent: copied
                Country: copied
                Mood: transformed
                    maker from camera
                Photo: copied
                Swatch: copied
                Thumbnail: transformed
                    kind from (default)

                """)
        let json = try bench.moody("store", "migrate", "-n", "--json", "Moody.moody", "New.xcdatamodel")
        #expect(
            json.lines.first { $0.contains("Mood\"") }
                == #"{"v":1,"kind":"transformed","from":"Mood","to":"Mood","properties":{"maker":"camera"}}"#)
        #expect(try bench.shell("md5sum Moody.moody; ls -a") == before)
    }

    @Test func `a migration keeps all values and the old store, and is made once`() throws {
        let run = try bench.moody("store", "migrate", "Moody.moody", "New.xcdatamodel")
        #expect(run.status == 0 && run.out.isEmpty)
        #expect(run.err == "moody: Moody.moody: migrated; before: Moody.moody.~1~\n")
        let rows = try bench.shell(
            """
            sqlite3 Moody.moody "SELECT ZMAKER FROM ZMOOD ORDER BY 1; SELECT DISTINCT ZKIND FROM ZTHUMBNAIL"
            sqlite3 Moody.moody.~1~ "SELECT COUNT(ZCAMERA) FROM ZMOOD"
            """)
        #expect(rows.lines == ["camera 1", "camera 2", "camera 3", "7", "3"])
        let again = try bench.moody("store", "migrate", "Moody.moody", "New.xcdatamodel")
        #expect(again.status == 0 && again.err == "moody: Moody.moody: is of this version already\n")
        #expect(!bench.exists("Moody.moody.~2~"))
        let verdict = try bench.moody("store", "verify", "Moody.moody")
        #expect(verdict.status == 0, "\(verdict)")
    }

    @Test func `entities that come and go are named as such`() throws {
        _ = try bench.shell(
            """
            sed -i -e 's/<\\/model>/<entity name="Album"><attribute name="title" optional="YES" \
            attributeType="String"\\/><\\/entity><\\/model>/' New.xcdatamodel/contents
            """)
        let run = try bench.moody("store", "migrate", "-n", "Moody.moody", "New.xcdatamodel")
        #expect(run.lines.contains("nothing -> Album: added"), "\(run)")
        let json = try bench.moody("store", "migrate", "-n", "--json", "Moody.moody", "New.xcdatamodel")
        let added = #"{"v":1,"kind":"added","from":null,"to":"Album","properties":{}}"#
        #expect(json.lines.contains(added), "\(json)")
    }

    @Test func `history is printed of one author, or of all`() throws {
        func transactions(_ options: String...) throws -> Int {
            let run = try bench.run(["store", "history", "--json"] + options + ["Moody.moody"])
            #expect(run.status == 0, "\(run)")
            return run.lines.count
        }
        let all = try transactions()
        #expect(all > 0)
        #expect(try transactions("--author", "nobody") == 0)
        #expect(
            try bench.shell(
                """
                sqlite3 Moody.moody "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, Z_OPT, ZNAME) \
                SELECT 900, Z_ENT, 1, 'somebody' FROM ATRANSACTIONSTRING LIMIT 1; \
                UPDATE ATRANSACTION SET ZAUTHORTS = 900 WHERE Z_PK = (SELECT MAX(Z_PK) FROM ATRANSACTION)"
                """
            ).status == 0)
        #expect(try transactions("--author", "somebody") == 1)
        #expect(try transactions() == all)
    }
}
