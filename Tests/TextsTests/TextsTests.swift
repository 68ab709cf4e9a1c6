import Foundation
import Testing
import Texts

@Suite struct TextsTests {
    /// All that the one writer must handle: controls of ASCII and of Latin-1, marks of direction, a quotation
    /// mark with a mark above it, separators of lines, letters beyond the first plane.
    private static let texts = [
        "", "fog over the harbour", "a\"\u{301},b", "\u{9B}31mred", "a\u{202E}b", "\u{1B}[2J",
        "\0\t\r\n\u{7F}",
        "\u{2028}\u{2029}", "C:\\x", "\u{1F308}\u{200D}", "=1+1", "-5", "@a", "+b", ",", "\r\n",
    ]

    @Test(arguments: texts) func `Foundation reads JSON back as it was`(text: String) throws {
        let quoted = JSONString.quoted(text)
        let read = try JSONDecoder().decode([String].self, from: Data("[\(quoted)]".utf8))
        #expect(read.map { Array($0.utf8) } == [Array(text.utf8)])
    }

    @Test(arguments: texts) func `nothing that is written steers a terminal`(text: String) {
        let forbidden = (0..<0x20).map { $0 } + Array(0x7F...0x9F) + Array(0x202A...0x202E)
        for written in [JSONString.quoted(text), ShownText.of(text)] {
            #expect(!written.unicodeScalars.contains { forbidden.contains(Int($0.value)) })
        }
    }

    /// Python's reader of CSV; a formula is a text with an apostrophe.
    @Test func `Python reads cells back as they were`() throws {
        let line = Self.texts.map(CSVText.cell).joined(separator: ",") + "\r\n"
        let process = Process(), input = Pipe(), output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            "python3", "-c",
            "import csv, io, json, sys; t = sys.stdin.buffer.read().decode().replace(chr(0), '<NUL>'); "
                + "print(json.dumps(list(csv.reader(io.StringIO(t, newline='')))))",
        ]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data(line.utf8))
        try input.fileHandleForWriting.close()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let rows = try JSONDecoder().decode([[String]].self, from: said)
        let wanted = Self.texts.map { text in
            let isFormula = text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } ?? false
            return ((isFormula ? "'" : "") + text).replacing("\0", with: "<NUL>")
        }
        #expect(rows.map { $0.map { Array($0.utf8) } } == [wanted.map { Array($0.utf8) }])
    }

    @Test func `bytes have two digits each`() {
        #expect(Hexadecimal.text([0, 9, 15, 16, 255] as [UInt8]) == "00090f10ff")
    }

    /// Foundation's calendar, also of days before 1582.
    @Test func `days are those of the proleptic Gregorian calendar`() {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let style = Date.ISO8601FormatStyle().year().month().day()
        for number in stride(from: 0, to: 200_000, by: 97) {
            let date = GregorianDay.date(number)
            let instant = Date(timeIntervalSince1970: Double(number) * 86_400)
            #expect(ISOText.day(date.year, date.month, date.day) == instant.formatted(style))
            #expect(GregorianDay.number(date.year, date.month, date.day) == number)
        }
        for number in stride(from: -800_000, to: 0, by: 131) {
            let date = GregorianDay.date(number), next = GregorianDay.date(number + 1)
            #expect(GregorianDay.number(date.year, date.month, date.day) == number)
            #expect(next > date)
        }
        // By Python's datetime.date.
        #expect(GregorianDay.date(-719_162) == (1, 1, 1) && GregorianDay.date(-141_428) == (1582, 10, 14))
    }

    @Test func `a clock has as much of a second as there is`() {
        #expect(ISOText.clock(4, 3, 7) == "04:03:07")
        #expect(ISOText.clock(14, 3, 7, fraction: 630_000, places: 6) == "14:03:07.63")
        #expect(ISOText.clock(14, 3, 7, fraction: 1) == "14:03:07.000000001")
        #expect(ISOText.digits(-5, 4) == "-0005" && ISOText.digits(12_345, 4) == "12345")
        #expect(Hexadecimal.text(UInt32(0xAB)) == "000000ab" && Hexadecimal.text([0, 255]) == "00ff")
    }

    /// Foundation's reader of XML.
    @Test(arguments: texts) func `an attribute is read back as it was, but for what XML does not have`(
        text: String
    ) throws {
        let escaped = MarkupText.attribute(text)
        let document = try PropertyListDecoder().decode(
            String.self, from: Data("<plist version=\"1.0\"><string>\(escaped)</string></plist>".utf8))
        let expected = text.unicodeScalars.map {
            $0.value < 0x20 && !["\t", "\n", "\r"].contains($0) ? "\u{FFFD}" : $0
        }
        #expect(Array(document.unicodeScalars) == expected)
    }
}
