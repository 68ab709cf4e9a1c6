import Foundation
import Testing

/// What programs read is what docs/moody.schema.json says, checked by a program of its own:
/// scripts/checks/json.
@Suite struct SchemaTests {
    private let bench: Workbench
    private let checker: String

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
        try bench.put("slate.png", as: "Photos/deep/slate.png")
        let script = URL(fileURLWithPath: #filePath).appending(path: "../../../scripts/checks/json")
        checker = script.standardizedFileURL.path
    }

    /// - Parameter line: a command that writes JSON.
    private func check(_ line: String, _ kind: String, count: Int) throws {
        let run = try bench.shell("{ \(line) ; } > out.json; python3 '\(checker)' \(kind) < out.json")
        #expect(run.status == 0 && run.out == "check-json: \(count) objects\n", "\(line): \(run)")
    }

    @Test func `everything that is written as JSON is as the schema says`() throws {
        try check(
            "\"$moody\" ingest --json --ignore white,border --background teal Photos", "change", count: 4)
        try check("\"$moody\" list --json", "mood", count: 4)
        try check("\"$moody\" export record --thumbnails", "record", count: 4)
        try check(
            "\"$moody\" export record | \"$moody\" import --json --store other.moody -", "imported", count: 1)
        #expect(
            try bench.moody("list", "--json").out.contains(
                "\"ignore\":[\"border\",\"white\"],\"background\":\"#008080\""))
        #expect(try bench.moody("show", "1").out.contains("  without  border, white, #008080\n"))
        // Three months, four moods.
        try check("\"$moody\" list --json --section month", "", count: 7)
        try check("\"$moody\" show --json 1 2", "mood", count: 2)
        try check("\"$moody\" check --json 1 Photos/forest.jpg '#36c' '#c63'", "paletteCheck", count: 3)
        #expect(
            try bench.moody("show", "--json", "1").out.contains("\"roles\":{\"dark\":{\"background\":\"#"))
        try check("\"$moody\" export json", "export", count: 1)
        try check("\"$moody\" export jsonl", "mood", count: 4)
        try check("\"$moody\" ingest -n --json --recompute Photos", "plan", count: 4)
        try check("\"$moody\" delete -n --json 2", "deletion", count: 1)
        try check("\"$moody\" store check --json", "check", count: 1)
        try check(
            "mv Photos/desert.jpg Photos/IMG_20150607.jpg; rm Photos/forest.jpg; "
                + "\"$moody\" ingest -k auto --json Photos",
            "change", count: 4)
        try check("\"$moody\" delete --json 1", "change", count: 1)
        try check("\"$moody\" extract --json Photos", "extracted", count: 3)
        try bench.write("name,hex\nSky,#3366cc\n", to: "names.csv")
        try check("\"$moody\" extract --json --names names.csv Photos", "extracted", count: 3)
        try check("\"$moody\" extract --format record --thumbnails Photos | sed '$d'", "record", count: 3)
        try check(
            "echo text > Photos/broken.jpg; \"$moody\" extract --format record Photos | grep broken",
            "recordError", count: 1)
        try check(
            "rm Photos/broken.jpg; tar -cf - Photos | \"$moody\" extract --tar - | tail -n 1", "recordEnd",
            count: 1)
        try check(
            "cp Photos/harbour.jpg \"$(printf '\\377.jpg')\"; "
                + "\"$moody\" extract --json nosuch \"$(printf '\\377.jpg')\"",
            "", count: 2)
    }

    @Test(arguments: [
        ("mood", "{\"v\":1}"), ("change", "{\"v\":1,\"change\":\"insert\",\"batch\":1,\"id\":1,\"from\":0}"),
        ("failure", "{\"v\":true,\"path\":\"a\",\"error\":\"b\"}"),
        ("failure", "{\"v\":1,\"path\":\"a\",\"error\":\"\"}"),
        ("extracted", "{\"v\":1,\"path\":\"a\",\"width\":0,\"height\":1,\"colors\":[],\"notes\":[]}"),
        ("plan", "{\"v\":1,\"plan\":\"no\",\"path\":\"a\"}"),
        ("", "{\"v\":1,\"path\":\"a\",\"error\":\"b\",\"more\":1}"),
    ])
    func `what is not as the schema says is refused`(kind: String, text: String) throws {
        try bench.write(text, to: "in.json")
        #expect(try bench.shell("python3 '\(checker)' \(kind) < in.json").status == 1)
    }
}
