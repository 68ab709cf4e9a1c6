import Foundation
import Testing

/// Names that want to steer a terminal, a shell, a page or a parser.
@Suite struct NameTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    /// As printf(1) writes it, and as it is shown.
    private static let names = [
        ("new\\nline.jpg", "new\\nline.jpg"), ("tab\\there.jpg", "tab\\there.jpg"),
        ("esc-\\033[31mred.jpg", "esc-\\x1b[31mred.jpg"),
        ("rtl-\\342\\200\\256gpj.jpg", "rtl-\\u{202e}gpj.jpg"),
        ("invalid-\\377\\376.jpg", "invalid-\\xff\\xfe.jpg"), ("latin1-caf\\351.jpg", "latin1-caf\\xe9.jpg"),
        ("-k9.jpg", "-k9.jpg"), ("--help.jpg", "--help.jpg"), (" space .jpg", " space .jpg"),
        ("<img src=x onerror=alert(1)>.jpg", "<img src=x onerror=alert(1)>.jpg"),
        // A family with joiners, and a Persian word with one that keeps its letters apart.
        (
            "\\360\\237\\221\\250\\342\\200\\215\\360\\237\\221\\247.jpg",
            "\u{1F468}\u{200D}\u{1F467}.jpg"
        ),
        (
            "\\331\\205\\333\\214\\342\\200\\214\\330\\263.jpg",
            "\u{645}\u{6CC}\u{200C}\u{633}.jpg"
        ),
        ("\\346\\227\\245\\346\\234\\254.jpg", "日本.jpg"),
        (String(repeating: "A", count: 251) + ".jpg", String(repeating: "A", count: 251) + ".jpg"),
    ]

    @Test(arguments: names.indices)
    func `a photo with an odd name is kept, shown escaped, and found again`(index: Int) throws {
        let (name, shown) = Self.names[index]
        let make =
            "mkdir -p P; name=$(printf -- '%b_' '\(name)'); name=${name%_}; "
            + "cp \"$fixtures/slate.png\" \"P/$name\";"
        let run = try bench.shell(make + "\"$moody\" ingest P")
        #expect(run.status == 0, "\(run.err)")
        #expect(run.out.hasSuffix("  #336699  \(shown)\n"))
        #expect(run.out.unicodeScalars.filter { $0.value < 32 } == ["\n"])
        let json = try bench.moody("list", "--json").out
        #expect(json.split(separator: "\n").count == 1)
        #expect(try JSONSerialization.jsonObject(with: Data(json.utf8)) is [String: Any])
        let name2 = "name=$(printf -- '%b_' '\(name)'); name=${name%_};"
        #expect(try bench.shell(name2 + "\"$moody\" show \"P/$name\"").out.contains("/P/\(shown)\n"))
        let extracted = try bench.shell(name2 + "cd P; \"$moody\" extract --format=hex -- \"$name\"")
        #expect(extracted.out == "#336699\n" && extracted.status == 0)
        #expect(extracted.err.contains("moody: \(shown): note: "))
        #expect(try bench.moody("ingest", "P").err == "1 photo: 1 unchanged; Moody.moody\n")
        #expect(try bench.shell(name2 + "\"$moody\" delete \"P/$name\"").out.hasPrefix("- "))
    }

    @Test func `lists of paths may hold any name`() throws {
        let run = try bench.shell(
            """
            mkdir P; cp "$fixtures/slate.png" "P/$(printf 'a\\nb.jpg')"; \
            cp "$fixtures/slate.png" "P/$(printf '\\377.jpg')"
            find P -type f -print0 | sort -z | "$moody" extract -0 --files-from - 2> /dev/null
            """)
        #expect(run.status == 0)
        #expect(run.lines == ["P/a\\nb.jpg", "#336699 100.0% denim", "P/\\xff.jpg", "#336699 100.0% denim"])
    }

    @Test func `names in options are bytes too`() throws {
        try bench.putPhotos()
        let run = try bench.shell(
            """
            name() { printf "$1\\377$2"; }
            mkdir "$(name D)"; ls Photos/*.jpg > "$(name D /l.txt)"
            "$moody" ingest --files-from "$(name D /l.txt)" --report="$(name r)" --html "$(name h)" > \
            /dev/null
            "$moody" export json -o "$(name e .json)"; "$moody" extract Photos/forest.jpg -o "$(name x)"
            "$moody" export html --output="$(name P /)"
            "$moody" list --limit 1 --store "$(name D /../Moody.moody)"
            test -s "$(name r)" && test -s "$(name h)" && test -s "$(name e .json)" && \
            test -s "$(name P)/index.html"
            test -s "$(name x)" && LC_ALL=C ls -b
            """)
        #expect(run.status == 0, "\(run.err)")
        #expect(
            run.lines.dropFirst()
                == ["D\\377", "Moody.moody", "Photos", "P\\377", "e\\377.json", "h\\377", "r\\377", "x\\377"])
        #expect(run.err.contains("moody: wrote P\\xff/: 3 moods\n"))
    }

    @Test func `a store in a folder whose name is no text is that store and no other`() throws {
        try bench.putPhotos()
        let run = try bench.shell(
            """
            here="$(printf 'D\\377')"; other="$(printf 'D\\357\\277\\275')"; mkdir "$here" "$other"; \
            cd "$here"
            "$moody" ingest --preview 64 ../Photos && "$moody" list && "$moody" store check > /dev/null &&
            "$moody" show ../Photos/forest.jpg > /dev/null && "$moody" delete 1 && "$moody" ingest .. || exit
            MOODY_STORE="../$here/Moody.moody" "$moody" list --limit 1 || exit
            cd ..; "$moody" list --store "$PWD/$here/Moody.moody" --limit 1; cd "$here"; ls -A; \
            ls -A "../$other"
            """)
        #expect(run.status == 0, "\(run.err)")
        #expect(run.out.hasSuffix("forest.jpg\n.Moody_SUPPORT\nMoody.moody\n"), "\(run.out)")
        #expect(run.err.hasPrefix("moody: made the store ./Moody.moody\n3 photos: 3 new; Moody.moody\n"))
    }

    @Test func `a store whose own name is no text is refused`() throws {
        try bench.putPhotos()
        let run = try bench.shell("\"$moody\" ingest Photos --store \"$(printf 'st\\377.moody')\"; ls -A")
        #expect(run.out == "Photos\n")
        #expect(run.err == "moody: st\\xff.moody: the name of a store must be UTF-8\n")
    }

    @Test func `what a camera calls itself can steer nothing, and places are no longer than they are known`()
        throws
    {
        let run = try bench.shell(
            """
            python3 - "$fixtures/slate.png" <<'END'
            import struct, sys, zlib
            def entry(tag, kind, count, value): return struct.pack(">HHI4s", tag, kind, count, value)
            def at(number): return struct.pack(">I", number)
            camera = "Cam\\u202eera\\x1b[31m".encode() + b"\\0"
            # Longitude 122.41940000000001 as an EXIF reader adds it up: 122 + 25/60 + 9.84/3600.
            angles = struct.pack(">12I", 37, 1, 46, 1, 29640, 1000, 122, 1, 25, 1, 984, 100)
            first, gps, text = 8, 8 + 2 + 2 * 12 + 4, 8 + 2 + 2 * 12 + 4 + 2 + 4 * 12 + 4
            tiff = b"MM\\0*" + at(first)
            tiff += struct.pack(">H", 2) + entry(0x110, 2, len(camera), at(text + 48)) + entry(0x8825, 4, \
            1, at(gps)) + at(0)
            tiff += struct.pack(">H", 4) + entry(1, 2, 2, b"N\\0\\0\\0") + entry(2, 5, 3, at(text))
            tiff += entry(3, 2, 2, b"W\\0\\0\\0") + entry(4, 5, 3, at(text + 24)) + at(0) + angles + camera
            chunk = b"eXIf" + tiff
            png = open(sys.argv[1], "rb").read()
            # Behind the header, which is 8 + 25 bytes.
            png = png[:33] + struct.pack(">I", len(tiff)) + chunk + struct.pack(">I", zlib.crc32(chunk)) + \
            png[33:]
            open("cam.png", "wb").write(png)
            END
            "$moody" ingest -q cam.png > /dev/null; "$moody" show 1
            """)
        #expect(run.status == 0, "\(run.err)")
        #expect(run.out.contains("  camera   Cam\\u{202e}era [31m\n"), "\(run.out)")
        #expect(run.out.contains("  place    37.7749, -122.4194\n"), "\(run.out)")
    }

    @Test func `a photo that is named by a number is meant by a path`() throws {
        try bench.putPhotos()
        try bench.put("slate.png", as: "2")
        _ = try bench.moody("ingest", "Photos", "2")
        #expect(try bench.moody("show", "2").out.contains("forest.jpg"))
        #expect(try bench.moody("show", "./2").out.contains("#336699"))
    }

    @Test func `pipes, sockets and devices are no photos and nobody waits for them`() throws {
        let made = try bench.shell(
            """
            mkdir P; cp "$fixtures/slate.png" P; mkfifo P/fifo.jpg; ln -s /dev/zero P/zero.jpg
            python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("P/socket.jpg")'
            """)
        #expect(made.status == 0, "\(made.err)")
        for links in [[], ["-L"]] {
            let run = try bench.run(["ingest", "P"] + links)
            #expect(run.status == 0)
            #expect(run.err.hasSuffix("3 other files; Moody.moody\n"))
        }
        for name in ["fifo.jpg", "socket.jpg", "zero.jpg"] {
            for command in ["ingest", "extract"] {
                let run = try bench.moody(command, "P/" + name)
                #expect(run.status == 1)
                #expect(run.err.hasPrefix("moody: P/\(name): not a regular file\n"))
            }
        }
    }

    @Test func `links in a circle end`() throws {
        _ = try bench.shell(
            """
            mkdir -p P/deep; cp "$fixtures/slate.png" P/deep; ln -s .. P/deep/up; ln -s . P/self
            ln -s b.jpg P/a.jpg; ln -s a.jpg P/b.jpg; ln -s nowhere P/dangling.jpg
            """)
        let run = try bench.moody("ingest", "-L", "P")
        #expect(run.status == 0)
        #expect(run.lines.count == 1)
        let named = try bench.moody("extract", "P/a.jpg", "P/dangling.jpg")
        #expect(
            named.err == """
                moody: P/a.jpg: Too many levels of symbolic links
                moody: P/dangling.jpg: No such file or directory

                """)
    }

    @Test func `what may not be read is named, and nothing in it becomes missing`() throws {
        _ = try bench.shell(
            """
            mkdir -p P/closed P/open; cp "$fixtures/slate.png" P/closed/in.png; \
            cp "$fixtures/harbour.jpg" P/open/a.jpg
            cp "$fixtures/forest.jpg" P/open/secret.jpg; chmod 777 .
            """)
        #expect(try bench.nobody("\"$moody\" ingest P", mayWrite: true).status == 0)
        _ = try bench.shell("chmod 0 P/closed P/open/secret.jpg")
        let run = try bench.nobody("\"$moody\" ingest --recompute P", mayWrite: true)
        #expect(run.status == 1)
        #expect(run.err.contains("moody: P/closed: Permission denied\n"))
        #expect(run.err.contains("moody: P/open/secret.jpg: Permission denied\n"))
        #expect(try bench.moody("list", "--missing").out == "")
        #expect(try bench.moody("list").lines.count == 3)
    }

    @Test func `a path that is too long is named and the rest is done`() throws {
        let run = try bench.shell(
            """
            mkdir P; cp "$fixtures/slate.png" P
            python3 -c 'import os
            os.chdir("P")
            for _ in range(20): os.mkdir("N" * 250); os.chdir("N" * 250)'
            "$moody" ingest P
            """)
        #expect(run.status == 1)
        #expect(run.lines.count == 1)
        #expect(run.err.contains(": File name too long\n"))
    }

    @Test func `a file of another century is kept`() throws {
        try bench.put("slate.png", as: "Photos/late.png")
        try bench.put("slate.png", as: "Photos/early.png")
        _ = try bench.shell(
            "touch -d 2486-07-01T00:00:00Z Photos/late.png; touch -d 1902-01-01T00:00:00Z Photos/early.png")
        let run = try bench.moody("ingest", "Photos")
        #expect(run.status == 0 && run.lines.count == 2)
        #expect(try bench.moody("ingest", "Photos").out == "")
    }
}
