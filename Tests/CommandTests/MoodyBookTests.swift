import Foundation
import Testing

/// The book's first chapter as a program: `swift run MoodyBook PHOTO`.
@Suite struct MoodyBookTests {
    private func book(_ bench: Workbench, _ photo: String) throws -> Workbench.Run {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let folder = URL(fileURLWithPath: tests).deletingLastPathComponent().path
        return try bench.shell("'\(folder)/MoodyBook' \(photo)")
    }

    @Test func `the chapter runs in its order, and each update is printed`() throws {
        let bench = try Workbench()
        // What the colors are, the command says.
        let colors = try bench.shell(
            "\"$moody\" extract \"$fixtures/desert.jpg\" | grep -o '#[0-9a-f]\\{6\\}' | tr '\\n' ' '")
        let cell = "MoodCell DAY  \(colors.out.trimmingCharacters(in: .whitespaces))"
        func told(_ run: Workbench.Run) -> [String] {
            run.out.replacing(#/[0-9]{4}-[0-9]{2}-[0-9]{2}/#, with: "DAY").split(separator: "\n").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        }
        let changes = [
            "1.5  a picture is taken", "insert [0, 0] \(cell)", "1.5  a picture is taken",
            "insert [0, 0] \(cell)", "1.5  the first mood is shown, and deleted", "delete [0, 0]",
            "the mood is gone: back to the table",
        ]
        let start = ["1.3  a context on the main queue, and Moody.moody below it", "1.4  the table"]
        let first = try book(bench, "\"$fixtures/desert.jpg\"")
        #expect(told(first) == start + ["0 rows"] + changes)
        #expect(first.status == 0 && first.err.isEmpty)
        // What was saved is there the next time.
        let second = try book(bench, "\"$fixtures/desert.jpg\"")
        #expect(told(second) == start + ["1 row", "[0, 0] \(cell)"] + changes)
        let store = ".local/share/MoodyBook/Moody.moody"
        let count = colors.out.split(separator: " ").count
        let rows = try bench.shell("sqlite3 \(store) 'SELECT COUNT(*), MAX(length(ZCOLORS)) FROM ZMOOD'")
        #expect(count > 1 && rows.out == "2|\(3 * count)\n")
    }

    @Test func `no photo, and what is none, are errors that say so`() throws {
        let bench = try Workbench()
        #expect(try book(bench, "").status == 64)
        try bench.write("text", to: "text.jpg")
        let run = try book(bench, "text.jpg")
        #expect(run.status == 1)
        #expect(run.out == "MoodyBook: text.jpg: not a picture of a known kind\n")
        #expect(!bench.exists(".local"))
    }
}
