import Foundation
import Testing

/// `moody export xmp`: keywords beside photos. What is in a sidecar is read by exiftool, too.
@Suite struct XMPExportTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.putPhotos()
        let run = try bench.moody("ingest", "Photos")
        try #require(run.status == 0)
    }

    private static let darktable = """
        <?xml version="1.0" encoding="UTF-8"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/" x:xmptk="XMP Core 4.4.0-Exiv2">
         <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
          <rdf:Description rdf:about=""
            xmlns:exif="http://ns.adobe.com/exif/1.0/"
            xmlns:xmp="http://ns.adobe.com/xap/1.0/"
            xmlns:lr="http://ns.adobe.com/lightroom/1.0/"
            xmlns:darktable="http://darktable.sf.net/"
           exif:DateTimeOriginal="2011-02-03T04:05:06"
           xmp:Rating="3"
           darktable:xmp_version="5">
           <lr:hierarchicalSubject>
            <rdf:Bag>
             <rdf:li>darktable|format|jpg</rdf:li>
             <rdf:li>Places|Kyoto</rdf:li>
            </rdf:Bag>
           </lr:hierarchicalSubject>
           <darktable:history>
            <rdf:Seq>
             <rdf:li darktable:num="0" darktable:operation="exposure" darktable:enabled="1"/>
            </rdf:Seq>
           </darktable:history>
          </rdf:Description>
         </rdf:RDF>
        </x:xmpmeta>

        """

    /// The words of a list, without moody's beginning.
    private func words(_ sidecar: String, _ start: String = "moody\\|") throws -> [String] {
        try bench.read(sidecar).matches(
            of: Regex<(Substring, Substring)>("<rdf:li>\(start)([a-z]+)</rdf:li>")
        )
        .map { String($0.1) }
    }

    @Test func `its words are those by which a photo is found`() throws {
        let run = try bench.moody("export", "xmp")
        #expect(run.status == 0 && run.err == "moody: 3 new\n" && run.out.isEmpty)
        for name in ["desert", "forest", "harbour"] {
            let sidecar = "Photos/\(name).jpg.xmp"
            let found = try words(sidecar)
            #expect((1...5).contains(found.count))
            #expect(try words(sidecar, "moody/") == found)
            for word in found {
                let paths = try bench.moody("find", word, "--json").out
                #expect(paths.contains("\(name).jpg"), "\(word)")
            }
            // Fewer than five are all that there are.
            if found.count < 5 {
                for word in ["blue", "red", "green", "yellow", "pink", "gray", "black"]
                where !found.contains(word) {
                    #expect(try !bench.moody("find", word, "--json").out.contains("\(name).jpg"), "\(word)")
                }
            }
            #expect(try !bench.read(sidecar).contains("dc:subject"))
        }
    }

    @Test func `twice is once, and what was written goes again`() throws {
        try bench.write(Self.darktable, to: "Photos/forest.jpg.xmp")
        let photos = try bench.shell("cat Photos/*.jpg | sha256sum").out
        _ = try bench.shell("chmod 640 Photos/forest.jpg.xmp")
        #expect(try bench.moody("export", "xmp").err == "moody: 2 new, 1 changed\n")
        let once = try bench.shell("cat Photos/*.xmp; stat -c '%n %Y %i %a' Photos/*.xmp").out
        #expect(once.contains("Photos/forest.jpg.xmp") && once.contains(" 640\n"))
        #expect(try bench.moody("export", "xmp").err == "moody: 3 same\n")
        #expect(try bench.shell("cat Photos/*.xmp; stat -c '%n %Y %i %a' Photos/*.xmp").out == once)
        let rehearsal = try bench.moody("export", "xmp", "--remove", "-n")
        #expect(rehearsal.lines.count == 3)
        #expect(try bench.shell("cat Photos/*.xmp; stat -c '%n %Y %i %a' Photos/*.xmp").out == once)
        #expect(try bench.moody("export", "xmp", "--remove").err == "moody: 1 changed, 2 removed\n")
        #expect(try bench.read("Photos/forest.jpg.xmp") == Self.darktable)
        #expect(try bench.shell("ls -A Photos").lines.count == 4)
        #expect(try bench.shell("cat Photos/*.jpg | sha256sum").out == photos)
    }

    @Test func `a dry run says what would be done, and does nothing`() throws {
        try bench.write(Self.darktable, to: "Photos/forest.jpg.xmp")
        try bench.write("<a>", to: "Photos/harbour.jpg.xmp")
        let run = try bench.moody("export", "xmp", "-n")
        let folder = try bench.realPath
        #expect(
            Set(run.lines) == [
                "new  \(folder)/Photos/desert.jpg.xmp", "changed  \(folder)/Photos/forest.jpg.xmp",
                "refused  \(folder)/Photos/harbour.jpg.xmp",
            ])
        #expect(run.status == 1)
        #expect(run.err.contains("harbour.jpg.xmp: line 1: no element found\n"))
        #expect(run.err.hasSuffix("moody: 1 new, 1 changed, 1 refused; nothing was written\n"))
        #expect(try bench.read("Photos/forest.jpg.xmp") == Self.darktable)
        #expect(!bench.exists("Photos/desert.jpg.xmp"))
    }

    @Test func `photos are selected, and a folder takes all sidecars`() throws {
        let run = try bench.moody("export", "xmp", "--where", "path contains 'forest'", "-o", "Side/Cars")
        let folder = try bench.realPath
        #expect(run.err == "moody: 1 new\n")
        let all = try bench.shell("find Side -type f").lines
        #expect(all == ["Side/Cars\(folder)/Photos/forest.jpg.xmp"])
        #expect(try bench.shell("ls Photos").lines.count == 3)
        #expect(
            try bench.moody("export", "xmp", "Photos/forest.jpg", "-o", "Side/Cars").err == "moody: 1 same\n")
        let removal = try bench.moody("export", "xmp", "--remove", "-o", "Side/Cars")
        #expect(removal.err == "moody: 1 removed\n")
    }

    @Test func `a sidecar of the stem gets the words, unless it is of several photos`() throws {
        try bench.write(Self.darktable, to: "Photos/forest.xmp")
        #expect(try bench.moody("export", "xmp").err == "moody: 2 new, 1 changed\n")
        #expect(!bench.exists("Photos/forest.jpg.xmp"))
        #expect(try bench.read("Photos/forest.xmp").contains("moody|"))
        #expect(try bench.moody("export", "xmp", "--remove").status == 0)
        #expect(try bench.read("Photos/forest.xmp") == Self.darktable)
        try bench.write("", to: "Photos/forest.nef")
        let run = try bench.moody("export", "xmp")
        #expect(
            run.status == 1
                && run.err.contains("forest.jpg: forest.xmp is of 2 photos: forest.jpg, forest.nef\n"))
        // Said to be of another kind of file.
        let raw = Self.darktable.replacing(
            "xmp:Rating=",
            with: "xmlns:photoshop=\"http://ns.adobe.com/photoshop/1.0/\" "
                + "photoshop:SidecarForExtension=\"NEF\" xmp:Rating=")
        try bench.write(raw, to: "Photos/forest.xmp")
        #expect(try bench.moody("export", "xmp").err == "moody: 1 new, 2 same\n")
        #expect(try bench.read("Photos/forest.xmp") == raw)
    }

    @Test func `no date, place, or rating changes, and no photo is read again`() throws {
        try bench.write(Self.darktable, to: "Photos/forest.xmp")
        try bench.write(Self.darktable, to: "Photos/desert.jpg.xmp")
        _ = try bench.moody("ingest", "Photos")
        let before = try bench.moody("export", "jsonl").out
        #expect(before.contains("2011-02-03"))
        for arguments in [["export", "xmp"], ["export", "xmp", "--remove"], ["export", "xmp"]] {
            _ = try bench.run(arguments)
            let run = try bench.moody("ingest", "Photos")
            #expect(run.err.contains("3 unchanged"), "\(run.err)")
            #expect(try bench.moody("export", "jsonl").out == before)
        }
    }

    @Test func `what cannot be written is named`() throws {
        let folder = bench.path("Photos")
        try bench.write(Self.darktable, to: "real.xmp")
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/desert.jpg.xmp", withDestinationPath: "../real.xmp")
        try FileManager.default.createDirectory(
            atPath: folder + "/forest.jpg.xmp", withIntermediateDirectories: false)
        try bench.remove("Photos/harbour.jpg")
        let run = try bench.moody("export", "xmp")
        #expect(run.status == 1)
        #expect(run.err.contains("desert.jpg.xmp: is a link: moody changes the file itself, where it is\n"))
        #expect(run.err.contains("forest.jpg.xmp: Is a directory\n"))
        #expect(run.err.contains("harbour.jpg: is missing: it gets no sidecar\n"))
        #expect(run.err.hasSuffix("moody: 3 refused\n"))
        #expect(try bench.read("real.xmp") == Self.darktable)
    }

    @Test func `a folder that may not be written is named, and nothing is left in it`() throws {
        _ = try bench.shell("chmod 755 . Photos; chmod 644 palettes.moody* Photos/*")
        let run = try bench.nobody("$moody export xmp")
        #expect(run.status == 1)
        #expect(run.err.contains("desert.jpg.xmp: Permission denied\n"))
        #expect(try bench.shell("ls -A Photos").lines.count == 3)
    }

    @Test func `options that are not for it, and those that are for it alone`() throws {
        for arguments in [
            ["export", "json", "-n"], ["export", "json", "--remove"], ["export", "xmp", "-o", "-"],
            ["export", "xmp", "--each", "-o", "a"], ["export", "xmp", "--names", "a"],
        ] {
            let run = try bench.run(arguments)
            #expect(run.status == 64, "\(arguments) \(run.err)")
        }
    }

    /// All fields that exiftool reads, but moody's own.
    private func fields(_ path: String) throws -> [String] {
        try bench.shell("exiftool -a -G1 -s -XMP:all '\(path)'").lines.filter { !$0.contains("XMP-moody") }
    }

    private static let hasExiftool = FileManager.default.isExecutableFile(atPath: "/usr/bin/exiftool")

    @Test(.enabled(if: hasExiftool)) func `exiftool validates it, and every other field is the same`() throws
    {
        try bench.write(Self.darktable, to: "Photos/forest.jpg.xmp")
        _ = try bench.shell(
            """
            exiftool -q -o Photos/desert.jpg.xmp -XMP-digiKam:TagsList=Family/Bob -XMP-dc:Subject=sand \\
                -XMP-xmp:Rating=4 -XMP-exif:DateTimeOriginal='2001:02:03 04:05:06' Photos/desert.jpg
            """)
        var before: [String: [String]] = [:]
        for name in ["forest", "desert"] { before[name] = try fields("Photos/\(name).jpg.xmp") }
        #expect(try bench.moody("export", "xmp").status == 0)
        for name in ["forest", "desert", "harbour"] {
            let path = "Photos/\(name).jpg.xmp", lists = ["HierarchicalSubject", "TagsList"]
            let valid = try bench.shell("exiftool -validate -warning -error -a '\(path)'").out
            #expect(valid == "Validate                        : OK\n", "\(path): \(valid)")
            let words = try words(path)
            for (list, start) in zip(lists, ["moody|", "moody/"]) {
                let read = try bench.shell("exiftool -s3 -sep ';' -\(list) '\(path)'").out.split(
                    separator: "\n"
                )
                .joined().split(separator: ";").map(String.init).filter { $0.hasPrefix(start) }
                #expect(read == words.map { start + $0 })
            }
            func others(_ lines: [String]) -> [String] {
                lines.filter { line in !lists.contains { line.contains($0) } }
            }
            if let old = before[name] { #expect(try others(fields(path)) == others(old)) }
        }
        #expect(
            try bench.shell("exiftool -s3 -DCSubject -XMP-dc:Subject Photos/desert.jpg.xmp").out == "sand\n")
        // What exiftool writes anew is still known as moody's.
        _ = try bench.shell("exiftool -q -overwrite_original -XMP-xmp:Label=blue Photos/*.xmp")
        #expect(try bench.moody("export", "xmp").err == "moody: 3 same\n")
        #expect(try bench.moody("export", "xmp", "--remove").status == 0)
        #expect(try bench.shell("grep -c 'moody[|/]' Photos/*.xmp").lines.allSatisfy { $0.hasSuffix(":0") })
    }
}
