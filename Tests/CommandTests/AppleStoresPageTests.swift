import Foundation
import Testing

/// docs/APPLE-STORES.md: each command prints what the page says, and leaves the stores as they are.
@Suite struct AppleStoresPageTests {
    private let root = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL

    /// The commands of the page, each with what it prints.
    private func examples() throws -> [(command: String, output: String)] {
        let page = try String(contentsOf: root.appending(path: "docs/APPLE-STORES.md"), encoding: .utf8)
        return page.components(separatedBy: "```console\n$ ").dropFirst().compactMap { part in
            let text = part.components(separatedBy: "```")[0]
            guard let end = text.firstIndex(of: "\n") else { return nil }
            return (String(text[..<end]), String(text[text.index(after: end)...]))
        }
    }

    @Test func `every command of the page about Apple's stores prints what the page says`() throws {
        let bench = try Workbench(),
            stores = root.appending(path: "Tests/ManagedObjectsTests/Fixtures/Stores")
        _ = try bench.shell("mkdir S && cp '\(stores.path)'/* S/ && chmod u+w S/*")
        func state() throws -> String {
            try bench.shell("cd S && find . -printf '%p %s %T@\\n' | sort && md5sum *").out
        }
        let before = try state(), examples = try examples()
        #expect(examples.count >= 7)
        for (command, output) in examples {
            // The copy goes to a folder of the test's own.
            let line = command.replacing("/tmp/", with: "../")
            let words = line.hasPrefix("moody ") ? "\"$moody\" " + line.dropFirst("moody ".count) : line
            let run = try bench.shell("cd S && { \(words); } 2>&1")
            #expect(
                run.out.replacing("\r\n", with: "\n") == output.replacing("/tmp/", with: "../"), "\(command)")
        }
        #expect(try state() == before)
    }

    @Test func `a check of somebody else's store counts its rows, as JSON too`() throws {
        let bench = try Workbench()
        let store = root.appending(path: "Tests/ManagedObjectsTests/Fixtures/Stores/SampleModel_V1.sqlite")
        _ = try bench.shell("cp '\(store.path)' a.sqlite")
        let run = try bench.moody("store", "check", "--json", "a.sqlite")
        let report = try JSONSerialization.jsonObject(with: Data(run.out.utf8)) as? [String: Any]
        let counts = try bench.shell(
            """
            sqlite3 a.sqlite "SELECT p.Z_NAME, count(*) FROM ZCAR c JOIN Z_PRIMARYKEY p ON p.Z_ENT = c.Z_ENT \
            GROUP BY 1 UNION SELECT 'Person', count(*) FROM ZPERSON ORDER BY 1"
            """
        ).lines
        let told = (report?["counts"] as? [String: Int] ?? [:]).sorted { $0.key < $1.key }
        #expect(run.status == 0 && report?["sound"] as? Bool == true)
        #expect(counts.count > 2 && told.map { "\($0.key)|\($0.value)" } == counts)
        for (owner, count, damage) in [
            ("999", 1, "1 key leads to no row"), ("998", 2, "2 keys lead to no row"), ("NULL", 2, nil),
        ] {
            let cars = "SELECT Z_PK FROM ZCAR ORDER BY Z_PK LIMIT \(count)"
            _ = try bench.shell(
                "sqlite3 a.sqlite 'UPDATE ZCAR SET ZOWNER = \(owner) WHERE Z_PK IN (\(cars))'")
            let check = try bench.moody("store", "check", "a.sqlite")
            #expect(check.status == (damage == nil ? 0 : 1))
            let lines = check.lines.filter { $0.hasPrefix("  damage: ") }
            #expect(lines == damage.map { ["  damage: Car.owner: \($0)"] } ?? [])
        }
    }

    @Test func `a store without a history has no number of transactions, not none`() throws {
        let bench = try Workbench()
        let store = root.appending(path: "Tests/ManagedObjectsTests/Fixtures/Stores/SampleModel_V1.sqlite")
        let run = try bench.moody("store", "info", "--json", store.path)
        #expect(run.status == 0 && run.out.contains("\"transactions\":null,"), "\(run)")
    }

    /// Without its model a store's hashes are compared with nothing.
    @Test func `a difference that is found is a failure`() throws {
        let bench = try Workbench()
        let store = root.appending(path: "Tests/ManagedObjectsTests/Fixtures/Stores/SampleModel_V1.sqlite")
        _ = try bench.shell("cp '\(store.path)' a.sqlite; chmod u+w a.sqlite")
        #expect(try bench.moody("store", "verify", "a.sqlite").status == 0)
        let dropped = try bench.shell(
            """
            cp a.sqlite b.sqlite
            sqlite3 b.sqlite 'DROP INDEX Z_Person_UNIQUE_firstName_lastName; \
            ALTER TABLE ZPERSON DROP COLUMN ZLASTNAME'
            "$moody" store verify b.sqlite
            """)
        let line = "b.sqlite: ZPERSON has no column for Person.lastName"
        #expect(dropped.status == 1 && dropped.lines.first == line, "\(dropped)")
        _ = try bench.shell("sqlite3 a.sqlite 'DELETE FROM Z_MODELCACHE'")
        for options in [[], ["--json"]] {
            let run = try bench.run(["store", "verify", "a.sqlite"] + options)
            #expect(run.status == 1 && run.out.contains("the store holds no model"), "\(run)")
        }
    }

    /// Read by Python, counted by SQL.
    @Test func `a table of an entity has its columns, also for rows of those that inherit from it`() throws {
        let bench = try Workbench()
        let store = root.appending(path: "Tests/ManagedObjectsTests/Fixtures/Stores/SampleModel_V1.sqlite")
        let run = try bench.shell(
            """
            cp '\(store.path)' a.sqlite; chmod u+w a.sqlite
            "$moody" store dump --format csv a.sqlite Car | python3 -c '
            import csv, sys
            head, *rows = csv.reader(sys.stdin)
            lengths = {len(row) for row in rows}
            print("isLimitedEdition" in head, lengths == {len(head)}, len({row[1] for row in rows}))
            print(len(rows))'
            sqlite3 a.sqlite 'SELECT COUNT(DISTINCT Z_ENT), COUNT(*) FROM ZCAR'
            """)
        let lines = run.lines
        try #require(lines.count == 3, "\(run)")
        #expect(lines[0].hasPrefix("False True ") && lines[0] != "False True 1", "\(run)")
        #expect(lines[2] == "\(lines[0].split(separator: " ")[2])|\(lines[1])", "\(run)")
    }

    @Test func `what is no store gets a line with its name and the reason`() throws {
        let bench = try Workbench()
        let store = root.appending(path: "Tests/ManagedObjectsTests/Fixtures/Stores/SampleModel_V1.sqlite")
        _ = try bench.shell(
            """
            echo hello > text; : > empty; mkdir folder; mkfifo pipe
            head -c 9000 '\(store.path)' > cut; head -c 600 /dev/zero > zeros
            sqlite3 plain 'CREATE TABLE a (b)'
            cp '\(store.path)' cache; chmod u+w cache
            sqlite3 cache "UPDATE Z_MODELCACHE SET Z_CONTENT = x'0011223344'"
            """)
        for verb in ["info", "tables", "dump", "verify", "history", "model", "check"] {
            for name in ["nothing", "text", "empty", "folder", "pipe", "cut", "zeros", "plain", "cache"] {
                let run = try bench.run(["store", verb, name])
                #expect(run.status == 2 && run.out.isEmpty, "\(verb) \(name): \(run)")
                let isNamed =
                    run.err.hasPrefix("moody: \(name): ") || run.err.contains("no store at ./\(name)")
                #expect(isNamed && run.err.split(separator: "\n").count == 1, "\(verb) \(name): \(run.err)")
            }
        }
        let empty = try bench.moody("store", "info", "empty")
        #expect(empty.err == "moody: empty: empty, and so no Core Data store\n")
    }

    @Test func `what is wrong in a model file is named with its line`() throws {
        let bench = try Workbench()
        for (line, told) in [
            ("<attribute name=\"b\" attributeType=\"Odd\"/>", "3: A.b is of the unknown type "),
            ("<attribute 1/>", "3: no XML: "), ("</entity></model>\n<model>", "4: no XML: "),
        ] {
            try bench.write("<model>\n<entity name=\"A\">\n\(line)\n</entity>\n</model>\n", to: "contents")
            _ = try bench.shell("mkdir -p A.xcdatamodel && mv contents A.xcdatamodel/")
            let run = try bench.moody("store", "model", "A.xcdatamodel")
            #expect(run.status == 2 && run.out == "", "\(run)")
            #expect(run.err.hasPrefix("moody: A.xcdatamodel:\(told)"), "\(run.err)")
        }
    }

    @Test(arguments: [(0, 0), (1, 1), (2, 2), (3, 3), (4, 3)])
    func `a limit of rows is one for each entity`(limit: Int, count: Int) throws {
        let bench = try Workbench()
        try bench.putPhotos()
        #expect(try bench.moody("ingest", "-q", "Photos").status == 0)
        func rows(_ entities: String...) throws -> [String] {
            let start = ["store", "dump", "--json", "--limit", "\(limit)", "Moody.moody"]
            let run = try bench.run(start + entities)
            #expect(run.status == 0)
            return run.lines
        }
        let (photos, moods) = try (rows("Photo"), rows("Mood"))
        #expect(photos.count == count && moods.count == count)
        #expect(try rows("Photo", "Mood") == photos + moods)
    }

    /// SQLite's calendar is the oracle. A day that ends while the test runs is asked about again.
    @Test func `the history since a day begins at its midnight in UTC`() throws {
        let bench = try Workbench()
        try bench.put("forest.jpg", as: "Photos/forest.jpg")
        #expect(try bench.moody("ingest", "-q", "Photos").status == 0)
        let days: [(name: String, start: String)] =
            [
                ("today", ""), ("yesterday", ", '-1 day'"), ("YESTERDAY", ", '-1 day'"),
                ("2001-01-01", ", '-100 years'"),
            ]
            + ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"].enumerated()
            .flatMap {
                number, name in
                [name, String(name.prefix(3))].map { ($0, ", '-6 days', 'weekday \(number)'") }
            }
        // The first and the last second of each of ten days.
        _ = try bench.shell(
            """
            sqlite3 Moody.moody "DELETE FROM ACHANGE; DELETE FROM ATRANSACTION; \
            WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9) \
            INSERT INTO ATRANSACTION (Z_PK, ZTIMESTAMP) SELECT 2 * i + s + 1, \
            strftime('%s', 'now', 'start of day') - 978307200 \
            - 86400 * (9 - i) + 86399 * s FROM n, (SELECT 0 AS s UNION ALL SELECT 1)"
            """)
        func day() throws -> String { try bench.shell("date -u +%F").out }
        for (name, start) in days {
            var before = "", counts: [String] = []
            repeat {
                before = try day()
                counts = try bench.shell(
                    """
                    "$moody" store history --json --since \(name) Moody.moody | wc -l
                    sqlite3 Moody.moody "SELECT COUNT(*) FROM ATRANSACTION \
                    WHERE ZTIMESTAMP + 978307200 >= \
                    CAST(strftime('%s', 'now', 'start of day'\(start)) AS INTEGER)"
                    """
                ).lines.map { $0.trimmingCharacters(in: .whitespaces) }
            } while try day() != before
            #expect(counts.count == 2 && counts[0] == counts[1] && counts[0] != "0", "\(name): \(counts)")
        }
        #expect(try bench.moody("store", "history", "--since", "su", "Moody.moody").status == 64)
        // An instant, with parts of a second or without.
        _ = try bench.shell(
            """
            sqlite3 Moody.moody "DELETE FROM ATRANSACTION; \
            INSERT INTO ATRANSACTION (Z_PK, ZTIMESTAMP) VALUES (1, 100.25), (2, 100.75)"
            """)
        for (instant, count) in [("40Z", 2), ("40.500Z", 1), ("41Z", 0)] {
            let run = try bench.moody(
                "store", "history", "--json", "--since", "2001-01-01T00:01:\(instant)", "Moody.moody")
            #expect(run.status == 0 && run.lines.count == count, "\(run)")
        }
    }
}
