import Foundation
import Glibc
import Testing

@Suite struct TemplateCommandTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
    }

    private var names: [String] {
        get throws { try bench.moody("template").lines.map { String($0.prefix { $0 != " " }) } }
    }

    private func hexes(_ text: String) -> Set<Substring> {
        Set(text.matches(of: /#[0-9a-f]{6}/).map(\.output))
    }

    @Test func `each template that is listed is printed, and is a format of a photo`() throws {
        let names = try names
        #expect(names.count == 21 && Set(names).isSuperset(of: ["css", "kitty", "base24", "theme-tokens"]))
        for name in names {
            let printed = try bench.moody("template", name)
            #expect(printed.status == 0 && printed.out.contains("{{"))
            let dark = try bench.moody("extract", "--format", name, "Photos/forest.jpg")
            let light = try bench.moody(
                "extract", "--format", name, "--variant", "light", "Photos/forest.jpg")
            #expect(dark.status == 0 && !dark.out.contains("{{") && !dark.out.isEmpty, "\(name)")
            // A theme says whose it is, and is another in the other variant.
            let isTheme = !printed.out.contains("{{#photos}}")
            #expect((dark.out != light.out) == (isTheme && name != "theme-tokens"), "\(name)")
            if isTheme { #expect(dark.out.prefix(512).contains("made by moody from forest.jpg"), "\(name)") }
        }
    }

    @Test func `a printed template is a template that writes the same`() throws {
        _ = try bench.shell("\"$moody\" template kitty > mine.conf.mustache")
        let own = try bench.moody("extract", "--format", "mine.conf.mustache", "Photos/forest.jpg")
        #expect(own.status == 0)
        #expect(try own.out == bench.moody("extract", "--format", "kitty", "Photos/forest.jpg").out)
    }

    @Test func `a store and a photo have the same theme`() throws {
        #expect(try bench.moody("ingest", "-k", "8", "Photos").status == 0)
        let exported = try bench.moody("export", "kitty", "Photos/forest.jpg")
        #expect(exported.status == 0)
        #expect(try exported.out == bench.moody("extract", "--format", "kitty", "Photos/forest.jpg").out)
    }

    @Test func `a theme is of one photo, and of all with --combined, of each with --each`() throws {
        #expect(try bench.moody("ingest", "Photos").status == 0)
        let several = try bench.moody("export", "kitty")
        #expect(several.status == 2 && several.out.isEmpty)
        #expect(
            several.err == """
                moody: kitty is a theme of one photo, and 3 photos match: name one, or use --combined, \
                or --each with --output DIR

                """)
        let photos = try bench.moody("extract", "--format", "kitty", "Photos", "-o", "k.conf")
        #expect(photos.status == 2 && !bench.exists("k.conf"))
        #expect(photos.err.hasSuffix("kitty is a theme of one photo, and 3 photos match: name one\n"))
        let none = try bench.moody("export", "kitty", "--where", "width > 99999")
        #expect(none.status == 2 && none.err == "moody: kitty is a theme of one photo, and none matches\n")
        #expect(try bench.moody("export", "kitty", "--combined").out.contains("made by moody from palette"))
        #expect(try bench.moody("export", "base24", "--each", "-o", "All").status == 0)
        #expect(bench.exists("All/forest.yaml") && bench.exists("All/desert.yaml"))
    }

    @Test func `a photo that is extracted has the facts of one in a store`() throws {
        let template = "{{#photo}}{{date}} {{day}} {{camera}} {{country}} {{width}}x{{height}}{{/photo}}"
        try bench.write(template, to: "facts.mustache")
        try bench.put("forest.jpg", at: 48.8584, 2.2945, as: "Facts/2024-06-28 14.03.07.jpg")
        _ = try bench.shell("cp \"$fixtures\"/slate.png Facts")
        try #require(try bench.moody("ingest", "-q", "Facts").status == 0)
        for name in try bench.shell("ls Facts").lines {
            let exported = try bench.moody("export", "./facts.mustache", "Facts/\(name)")
            let extracted = try bench.moody("extract", "--format", "./facts.mustache", "Facts/\(name)")
            #expect(exported.status == 0 && extracted.out == exported.out, "\(name)")
        }
        let named = try bench.moody(
            "extract", "--format", "./facts.mustache", "Facts/2024-06-28 14.03.07.jpg")
        #expect(named.out.hasPrefix("2024-06-28T14:03:07 2024-06-28  France "), "\(named.out)")
    }

    @Test func `a theme is made of eight colors unless another number is named`() throws {
        let eight = try bench.moody("extract", "-k", "8", "--format", "gpl", "Photos/forest.jpg")
        try bench.write("{{#colors}}{{.}} {{/colors}}", to: "mine.mustache")
        let mine = try bench.moody("extract", "--format", "./mine.mustache", "Photos/forest.jpg")
        #expect(hexes(mine.out).count == eight.lines.count - 4)
        let two = try bench.moody("extract", "-k", "2", "--format", "./mine.mustache", "Photos/forest.jpg")
        #expect(hexes(two.out).count == 2)
    }

    @Test func `a folder of templates becomes a folder of texts, or nothing`() throws {
        _ = try bench.shell(
            """
            mkdir -p T/sub T/.git; echo '{{background}}' > T/a.conf.mustache
            echo '{{text}} {{photo.name}}' > T/sub/b.css; echo '{{nothing}}' > T/.git/c
            """)
        let run = try bench.moody("extract", "--format", "T/", "-o", "Out", "Photos/forest.jpg")
        #expect(run.status == 0)
        #expect(try bench.shell("cd Out; find . -type f | sort").lines == ["./a.conf", "./sub/b.css"])
        let without = try bench.moody("extract", "--format", "T/", "Photos/forest.jpg")
        #expect(without.status == 64 && without.err.hasPrefix("moody: a folder of templates needs a folder"))
        _ = try bench.shell("printf 'x\\n{{backgroud}}' > T/z.mustache; rm -r Out")
        let wrong = try bench.moody("extract", "--format", "T/", "-o", "Out", "Photos/forest.jpg")
        #expect(wrong.status == 2 && !bench.exists("Out"))
        #expect(wrong.err == "moody: T/z.mustache:2: no value is called backgroud (background?)\n")
        _ = try bench.shell("rm T/z.mustache; mkdir -p Out; echo x > Out/a.conf")
        let refused = try bench.moody("extract", "--format", "T/", "-o", "Out", "Photos/forest.jpg")
        #expect(refused.status == 2 && !bench.exists("Out/sub"))
        _ = try bench.shell("rm -r Out; echo x > T/a.conf")
        let twice = try bench.moody("extract", "--format", "T/", "-o", "Out", "Photos/forest.jpg")
        #expect(twice.status == 2 && twice.err.contains("makes the same file as"))
    }

    @Test func `a file that says that moody made it is replaced, another is not`() throws {
        try bench.write("# {{moody}}\n{{text}}\n", to: "t.mustache")
        try bench.write("{{text}}\n", to: "u.mustache")
        for _ in 0..<2 {
            #expect(
                try bench.moody("extract", "--format", "t.mustache", "-o", "a", "Photos/forest.jpg").status
                    == 0)
        }
        #expect(
            try bench.moody("extract", "--format", "u.mustache", "-o", "b", "Photos/forest.jpg").status == 0)
        let again = try bench.moody("extract", "--format", "u.mustache", "-o", "b", "Photos/forest.jpg")
        #expect(again.status == 2 && again.err.contains("b: exists and does not say that moody wrote it"))
        let over = try bench.moody(
            "extract", "--format", "u.mustache", "-o", "b", "--overwrite", "Photos/forest.jpg")
        #expect(over.status == 0)
    }

    @Test(arguments: [
        (["extract", "--format", "kity", "Photos"], "moody: there is no format kity (kitty?)\n"),
        (["export", "xyzzyx"], "moody: there is no format xyzzyx\n"),
        (["template", "kity"], "moody: there is no template kity (kitty?)\n"),
        (["export", "hex", "--variant", "light"], "moody: --variant is for themes and templates.\n"),
        (["extract", "--variant", "light", "Photos"], "moody: --variant is for themes and templates.\n"),
    ])
    func `a name that is no format's is refused, with the nearest`(words: [String], message: String) throws {
        let run = try bench.run(words)
        #expect(run.status == 64 && run.err.hasPrefix(message), "\(run.err)")
    }

    @Test func `a template that cannot be read is named`() throws {
        _ = try bench.shell("mkfifo pipe.mustache; mkdir Empty")
        for (path, reason) in [
            ("none.mustache", "none.mustache: No such file or directory"),
            ("./pipe.mustache", "./pipe.mustache: is not a file"),
            ("./Empty", "./Empty: no template in it"),
        ] {
            let run = try bench.moody("extract", "--format", path, "-o", "Out", "Photos/forest.jpg")
            #expect(run.status == 2 && run.err == "moody: \(reason)\n", "\(run.err)")
        }
    }

    @Test func `the example of the page on templates runs, and its commands do`() throws {
        let file = URL(fileURLWithPath: #filePath).appending(path: "../../../docs/TEMPLATES.md")
        let page = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
        func block(_ kind: String) throws -> String {
            let rest = try #require(page.components(separatedBy: "```\(kind)\n").dropFirst().first)
            return try #require(rest.components(separatedBy: "```").first)
        }
        try bench.write(block("mustache"), to: "bar.css.mustache")
        _ = try bench.shell("mkdir Templates; cp bar.css.mustache Templates; \"$moody\" ingest -q Photos")
        let commands = try block("sh").split(separator: "\n")
        #expect(commands.count == 6)
        for command in commands {
            let run = try bench.shell("\"$moody\"" + command.dropFirst("moody".count))
            #expect(run.status == 0, "\(command): \(run.err)")
        }
        let css = try bench.shell("cat bar.css").out
        #expect(css.hasPrefix("/* made by moody from harbour.jpg */\nwindow { background: #"))
        #expect(try bench.shell("cat Theme/bar.css").out.contains(".swatch-1 { background: #"))
    }

    @Test func `a photo without a color has a gray theme, and a note`() throws {
        // One transparent pixel.
        let png =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR42mNgAAIAAAUAAen63NgAAAAASUVORK5CYII="
        _ = try bench.shell("echo \(png) | base64 -d > clear.png")
        let run = try bench.moody("extract", "--format", "kitty", "clear.png")
        #expect(run.status == 0 && run.out.contains("background #"))
        #expect(run.err.contains("moody: clear.png: note: no color: the theme is that of a gray\n"))
    }

    @Test func `shipped templates never ask for a name as it is`() throws {
        for name in try names {
            let text = try bench.moody("template", name).out
            #expect(!text.contains("{{{") && !text.contains("{{&"), "\(name)")
        }
    }
}
