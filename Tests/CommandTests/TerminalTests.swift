import Foundation
import Testing

/// On a pseudo-terminal, whose other end is a fixture in Python.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "no python3 here"))
struct TerminalTests {
    private static let kitty = #"\x1b_Gi=31;OK\x1b\\\x1b[?62;c"#
    private static let sixel = #"\x1b[?62;4;22c"#
    private static let plain = #"\x1b[?1;2c"#

    private static func bench() throws -> Workbench {
        let bench = try Workbench()
        try bench.putPhotos()
        #expect(try bench.moody("ingest", "-q", "Photos").status == 0)
        return bench
    }

    private func show(_ bench: Workbench, _ terminal: String, answer: String, _ more: String = "") throws
        -> String
    {
        let run = try bench.shell(
            "\(terminal) python3 \"$fixtures\"/terminal.py '\(answer)' \"$moody\" show 1 \(more)")
        #expect(run.status == 0, "\(run.err)")
        return run.out
    }

    @Test func `swatches have the colors that the terminal says it has`() throws {
        let bench = try Self.bench()
        let full = try show(bench, "COLORTERM=truecolor TERM=xterm-256color", answer: Self.plain)
        #expect(full.contains("\u{1B}[38;2;") && !full.contains("[38;5;"))
        let indexed = try show(bench, "TERM=xterm-256color", answer: Self.plain)
        #expect(indexed.contains("\u{1B}[38;5;") && !indexed.contains("[38;2;"))
        let sixteen = try show(bench, "TERM=xterm", answer: Self.plain)
        #expect(sixteen.contains("\u{258C}") && !sixteen.contains("[38;"))
        for none in ["TERM=dumb", "TERM=xterm NO_COLOR=1", "TERM=xterm COLORTERM=truecolor NO_COLOR=1"] {
            #expect(try !show(bench, none, answer: Self.plain).contains("\u{1B}"))
        }
        #expect(
            try !show(bench, "COLORTERM=truecolor TERM=xterm", answer: Self.plain, "--color never").contains(
                "\u{1B}"))
        // The same lines, whatever the colors: a bar is two lines more.
        func words(_ text: String) -> [String] {
            // A terminal's lines end with a carriage return.
            String(text.unicodeScalars.filter { $0 != "\r" }).replacing(
                /\u{1B}\[[0-9;]*[mc]|\u{1B}_G[^\u{1B}]*\u{1B}\\/, with: ""
            ).replacing(
                "\r", with: ""
            )
            .replacing("\u{258C}", with: "").split(separator: "\n")
            .map { $0.split(separator: " ").joined(separator: " ") }.filter { !$0.isEmpty }
        }
        let piped = words(try bench.moody("show", "1").out)
        #expect(piped.count == 8)
        for text in [full, indexed, sixteen] { #expect(words(text) == piped) }
    }

    @Test(arguments: [
        ("ase", true), ("aco", true), ("png", true), ("gpl", false), ("svg", false), ("scss", false),
    ])
    func `bytes that are no text are not for a terminal`(format: String, isRefused: Bool) throws {
        let bench = try Self.bench()
        for line in ["export \(format)", "extract Photos/forest.jpg --format \(format)"] {
            let run = try bench.shell(
                "TERM=xterm python3 \"$fixtures\"/terminal.py '\(Self.plain)' \"$moody\" \(line)")
            #expect(run.out.contains("is not for a terminal: --output FILE") == isRefused, "\(line): \(run)")
            let piped = try bench.shell("\"$moody\" \(line) | wc -c")
            #expect((Int(piped.out.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0) > 20, "\(line)")
        }
    }

    @Test func `a terminal that takes pictures is given the photo, in its own way`() throws {
        let bench = try Self.bench()
        // The fixture is 16 pixels wide and high.
        let kitty = try show(bench, "TERM=xterm-kitty", answer: Self.kitty)
        #expect(kitty.contains("\u{1B}_Ga=T,f=32,s=16,v=16,q=2,m=0;"))
        let data = kitty.matches(of: /\u{1B}_G(a=T[^;]*|m=[01]);([A-Za-z0-9+\/=]*)\u{1B}\\/)
            .map { String($0.output.2) }
        let pixels = try #require(Data(base64Encoded: data.joined()))
        #expect(pixels.count == 16 * 16 * 4)
        // The two colors of the fixture, within what a JPEG moves them.
        for (at, wanted) in [(0, [0xD8, 0xA0, 0x65]), (15 * 16 * 4, [0x7F, 0xB3, 0xE5])] {
            for channel in 0..<3 { #expect(abs(Int(pixels[at + channel]) - wanted[channel]) < 12) }
        }

        let sixel = try show(bench, "TERM=xterm-256color", answer: Self.sixel)
        let picture = try #require(sixel.firstMatch(of: /\u{1B}Pq"1;1;16;16([^\u{1B}]*)\u{1B}\\/))
        // A band of six rows ends with a hyphen; over all colors of a band each pixel is set once.
        let bands = picture.output.1.split(separator: "-")
        #expect(bands.count == 3)
        let percents = Dictionary(
            picture.output.1.matches(of: /#([0-9]+);2;([0-9]+);([0-9]+);([0-9]+)/).map { color in
                (color.1, [color.2, color.3, color.4].map { Double($0) ?? -1 })
            }, uniquingKeysWith: { first, _ in first })
        for (number, band) in bands.enumerated() {
            var set = 0, sums = [0.0, 0, 0]
            for line in band.split(separator: "$") {
                let before = set
                defer {
                    let color = line.matches(of: /#([0-9]+)/).last.flatMap { percents[$0.1] } ?? []
                    for (channel, percent) in color.enumerated() {
                        sums[channel] += percent * Double(set - before)
                    }
                }
                let letters = line.replacing(/#[0-9]+(;2;[0-9;]+)?/, with: "")
                for run in letters.matches(of: /(?:!([0-9]+))?([?-~])/) {
                    let bits = (run.output.2.first?.asciiValue ?? 63) - 63
                    set += bits.nonzeroBitCount * (run.output.1.flatMap { Int($0) } ?? 1)
                }
            }
            #expect(set == 16 * (number < 2 ? 6 : 4))
            // Few colors, whose mean is the photo's: on top one, below the other.
            let mean = sums.map { $0 / Double(set) * 2.55 }, wanted = [[216.0, 160, 101], [127, 179, 229]]
            if number != 1 {
                #expect(zip(mean, wanted[number / 2]).allSatisfy { abs($0 - $1) < 16 }, "\(mean)")
            }
        }
        #expect(try !show(bench, "TERM=xterm", answer: Self.plain).contains("\u{1B}P"))
    }

    /// kitty's protocol: pieces of 4,096 letters of base64, m=0 in the last alone. 32 x 24 pixels are one.
    @Test(arguments: [(32, 24, 1), (33, 24, 2), (64, 24, 2)])
    func `a picture's last piece says that it is the last`(width: Int, height: Int, pieces: Int) throws {
        let bench = try Workbench()
        try bench.putNoise(side: width, height: height, as: "a.png")
        #expect(try bench.moody("ingest", "-q", "a.png").status == 0)
        let text = try show(bench, "TERM=xterm-kitty", answer: Self.kitty)
        let found = text.matches(of: /\u{1B}_G(?:a=T[^;]*,)?m=([01]);([A-Za-z0-9+\/=]*)\u{1B}\\/)
        #expect(found.map(\.output.1) == (1...pieces).map { $0 == pieces ? "0" : "1" })
        #expect(found.map(\.output.2.utf8.count).reduce(0, +) == (width * height * 4 + 2) / 3 * 4)
        #expect(found.allSatisfy { $0.output.2.utf8.count <= 4096 })
    }

    @Test func `a terminal that says nothing is waited for, and not for long`() throws {
        let bench = try Self.bench()
        // The fixture ends what does not end within half a minute, with status 99.
        let text = try show(bench, "TERM=xterm COLORTERM=truecolor", answer: "")
        #expect(text.contains("\u{1B}[38;2;") && !text.contains("\u{1B}P") && text.contains("desert.jpg"))
        // An answer that never ends, and one that is none.
        #expect(try show(bench, "TERM=xterm", answer: #"\x1b[?62;4;4;4"#).contains("desert.jpg"))
        #expect(try show(bench, "TERM=xterm", answer: "hello").contains("desert.jpg"))
    }

    @Test func `a pipe is never asked, nor given a picture`() throws {
        let bench = try Self.bench()
        let run = try bench.moody(
            "show", "--color", "always", "1", environment: ["TERM": "xterm-kitty", "COLORTERM": "truecolor"])
        #expect(run.out.contains("\u{1B}[38;2;") && !run.out.contains("\u{1B}_G"))
        // On a terminal of which standard output is a file: what is asked would be seen in the terminal.
        let file = try bench.shell(
            "TERM=xterm-kitty python3 \"$fixtures\"/terminal.py '' sh -c '\"$moody\" show --color always 1 "
                + "> out'"
        )
        #expect(file.status == 0 && file.out.isEmpty)
        #expect(try bench.read("out").contains("desert.jpg"))
    }
}
