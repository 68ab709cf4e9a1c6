import Foundation
import MoodyGallery
import Palettes
import Testing

@Suite struct CSVTests {
    @Test func `a line ends with CR LF`() {
        #expect(CSV.line([.text("a"), .number(-1), .empty, .real(0.5)]) == "a,-1,,0.5\r\n")
        #expect(CSV.line([]) == "\r\n")
    }

    /// The examples of RFC 4180, section 2, rules 6 and 7.
    @Test(arguments: [
        ("b CRLF bb", "b CRLF bb"), ("b\r\nbb", "\"b\r\nbb\""), ("b\"bb", "\"b\"\"bb\""), ("a,b", "\"a,b\""),
        ("\n", "\"\n\""), ("a\rb", "\"a\rb\""), ("", ""), (" a ", " a "), ("\"\u{301}", "\"\"\"\u{301}\""),
    ])
    func `commas, quotes and line breaks are quoted`(text: String, cell: String) {
        #expect(CSV.line([.text(text)]) == cell + "\r\n")
    }

    @Test(arguments: [
        ("=1+1", "'=1+1"), ("+1", "'+1"), ("-1", "'-1"), ("@a", "'@a"), ("=\"a\"", "\"'=\"\"a\"\"\""),
        ("a=1", "a=1"), ("\t=1", "'\t=1"),
    ])
    func `no text runs as a formula`(text: String, cell: String) {
        #expect(CSV.line([.text(text)]) == cell + "\r\n")
    }

    @Test func `a number keeps its minus, and what is no number is empty`() {
        #expect(CSV.line([.real(-33.9), .real(.nan), .real(.infinity)]) == "-33.9,,\r\n")
    }

    /// Python's csv module is the reader from outside.
    @Test func `another program reads the cells that were written`() throws {
        let cells = ["plain", "a,b", "line\nbreak", "\"quoted\"", "crlf\r\n", "é日本"]
        let process = Process(), input = Pipe(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c",
            "import csv,sys,json;sys.stdin.reconfigure(newline='');"
                + "print(json.dumps(list(csv.reader(sys.stdin))))",
        ]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(CSV.line(cells.map { .text($0) }).utf8))
        try input.fileHandleForWriting.close()
        let read = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(try JSONDecoder().decode([[String]].self, from: read) == [cells])
    }
}

@Suite struct PaletteTextTests {
    private let palette = Palette(entries: [
        .init(color: RGB(red: 0x33, green: 0x66, blue: 0x99), share: 0.75),
        .init(color: .white, share: 0.25),
    ])

    @Test func `hex lists stand apart by a blank line`() {
        var lists = HexLists()
        let text = lists.next(palette) + lists.next(palette)
        #expect(text == "#336699\n#ffffff\n\n#336699\n#ffffff\n")
    }

    @Test func `a palette without colors leaves no trace in hex lists`() {
        let none = Palette(entries: [])
        var lists = HexLists()
        let text = [none, palette, none, none, palette, none].map { lists.next($0) }.joined()
        #expect(text == "#336699\n#ffffff\n\n#336699\n#ffffff\n")
    }

    @Test func `a table has a line a color`() {
        let table =
            PaletteTable.photoHead
            + PaletteTable.photo(plainPath("=a,b.jpg"), width: 3, height: 2, palette)
        #expect(
            table == """
                path,width,height,rank,hex,share,lightness,a,b,name,displayP3\r
                "'=a,b.jpg",3,2,1,#336699,0.75,0.4993,-0.033,-0.093,\(palette.entries[0].color.name),\r
                "'=a,b.jpg",3,2,2,#ffffff,0.25,1,0,0,white,\r\n
                """)
        let none = PaletteTable.photo(
            plainPath("clear.png"), width: 1, height: 1, Palette(entries: []))
        #expect(none == "clear.png,1,1,,,,,,,,\r\n")
    }

    @Test func `a table has the Display P3 value of a color that sRGB has not`() {
        let wide = DisplayP3(red: 255, green: 0, blue: 0)
        let palette = Palette(entries: [
            .init(color: RGB(red: 255, green: 0, blue: 0), share: 0.5, displayP3: wide),
            .init(color: .white, share: 0.5),
        ])
        let lines = PaletteTable.photo(plainPath("a.jpg"), width: 1, height: 1, palette).components(
            separatedBy: "\r\n")
        #expect(lines[0].hasSuffix(",red,color(display-p3 1.0000 0.0000 0.0000)"))
        #expect(lines[1].hasSuffix(",white,"))
    }

    private func plainPath(_ text: String) -> PhotoPath { PhotoPath(bytes: Array(text.utf8), shown: text) }
}
