import Foundation
import Glibc
import Testing

@testable import Images
@testable import MoodyIngest

/// Streams that Python's tarfile wrote, compared with what Python's tarfile finds in them.
@Suite(.enabled(if: ArchiveStream.isBuiltIn)) struct ArchiveReaderTests {
    /// Runs Python in a folder of its own.
    private func python(_ script: String, _ arguments: String...) throws -> String {
        let process = Process(), pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script] + arguments
        process.standardOutput = pipe
        try process.run()
        let out = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return String(decoding: out, as: UTF8.self)
    }

    private func scratch() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tar-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// - Returns: a line for each file with bytes; the names of those without and why there are none.
    private func members(_ path: String) -> (lines: [String], without: [String], error: ArchiveError?) {
        let file = unsafe open(path, O_RDONLY)
        defer { close(file) }
        var lines: [String] = [], without: [String] = []
        do throws(ArchiveError) {
            let reader = try ArchiveReader(file, limit: 1 << 40)
            while let member = try reader.next() {
                switch member.bytes {
                case .success(let bytes):
                    let path = member.path.map { String($0) }.joined(separator: ",")
                    lines.append("\(path) \(member.size) \(member.mtimeNs) \(bytes.count)")
                case .failure(let error):
                    let path = String(decoding: member.path, as: UTF8.self)
                    without.append("\(path) \(member.mtimeNs) \(error)")
                }
            }
            return (lines, without, nil)
        } catch { return (lines, without, error) }
    }

    /// Names long, with newlines, and not UTF-8; links, folders, pipes; files of odd sizes; a last part.
    private static let writer = """
        import io, os, sys, tarfile
        path, kind = sys.argv[1:3]
        forms = {"ustar": tarfile.USTAR_FORMAT, "pax": tarfile.PAX_FORMAT, "gnu": tarfile.GNU_FORMAT}
        tar = tarfile.open(path, "w", format=forms[kind], encoding="utf-8", errors="surrogateescape",
            pax_headers={"comment": "of all"} if kind == "pax" else None)
        names = ["a.jpg", "deep/" * 12 + "b.png", "new\\nline", "bad\\udcff.jpg", "ä/ö.jpg"]
        if kind != "ustar": names += ["long/" * 60 + "c.jpg", "n" * 250 + ".png"]
        for number, name in enumerate(names):
            info = tarfile.TarInfo(name)
            info.size = [0, 1, 511, 512, 513, 70000, 65536][number]
            info.mtime = 1400000000 + number + (0.123456789 if kind == "pax" else 0)
            # A picture's first bytes, so that all of it is read; the second is a text.
            head = b"\\x89PNG\\r\\n\\x1a\\n" if number != 1 else b"text"
            tar.addfile(info, io.BytesIO((head + b"x" * info.size)[:info.size]))
            for type in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE):
                other = tarfile.TarInfo("other%d" % number)
                other.type, other.linkname = type, "a.jpg"
                tar.addfile(other)
        tar.close()
        """

    private static let lister = """
        import sys, tarfile
        tar = tarfile.open(sys.argv[1], encoding="utf-8", errors="surrogateescape")
        for info in tar:
            if not info.isreg(): continue
            name = ",".join(map(str, info.name.encode("utf-8", "surrogateescape")))
            time = info.pax_headers.get("mtime")
            whole, _, part = (time or str(int(info.mtime))).partition(".")
            print(name, info.size, int(whole) * 10**9 + int((part + "0" * 9)[:9]), info.size)
        """

    @Test(arguments: ["ustar", "pax", "gnu"])
    func `members are those that Python's tarfile lists`(kind: String) throws {
        let folder = try scratch(), path = folder.appending(path: "a.tar").path
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try python(Self.writer, path, kind)
        let expected = try python(Self.lister, path).split(separator: "\n").map(String.init)
        #expect(expected.count == (kind == "ustar" ? 5 : 7))
        let found = members(path)
        #expect(found.lines == expected && found.error == nil)
        // Two archives, one behind the other, blocks of zeros between them.
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try (bytes + bytes).write(to: URL(fileURLWithPath: path))
        let twice = members(path)
        #expect(twice.lines == expected + expected && twice.error == nil)
    }

    @Test func `a sum of signed bytes is a checksum`() throws {
        let folder = try scratch(), path = folder.appending(path: "a.tar").path
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = """
            import sys, tarfile
            info = tarfile.TarInfo("\\u00e4.jpg")
            info.size, info.mtime = 4, 1400000000
            head = bytearray(info.tobuf(tarfile.USTAR_FORMAT, "utf-8"))
            head[148:156] = b"%06o\\0 " % tarfile.calc_chksums(head)[1]
            open(sys.argv[1], "wb").write(bytes(head) + b"text".ljust(512, b"\\0") + bytes(1024))
            """
        _ = try python(script, path)
        let expected = try python(Self.lister, path).split(separator: "\n").map(String.init)
        let found = members(path)
        #expect(found.lines == expected && found.error == nil && expected.count == 1)
    }

    /// Times before 1970 of both kinds; a size that pax alone has; times of access where POSIX has the start
    /// of a path, as old GNU headers have them; a path in two parts.
    private static let rareWriter = """
        import sys, tarfile
        out = open(sys.argv[1], "wb")
        def member(name, format, size=4, time=0, own={}, prefix=None):
            info = tarfile.TarInfo(name)
            info.size, info.mtime, info.pax_headers = size, time, own
            all = info.tobuf(format, "utf-8")
            head = bytearray(all[-512:])
            if prefix:
                head[345:345 + len(prefix)] = prefix
                head[148:156] = b"%06o\\0 " % tarfile.calc_chksums(head)[0]
            out.write(all[:-512] + bytes(head) + b"text".ljust(512, b"\\0"))
        member("gnu.jpg", tarfile.GNU_FORMAT, time=-3600)
        member("pax.jpg", tarfile.PAX_FORMAT, own={"mtime": "-1.5"})
        member("size.jpg", tarfile.PAX_FORMAT, size=0, own={"size": "4"})
        member("access.jpg", tarfile.GNU_FORMAT, prefix=b"01234567012")
        member("name.jpg", tarfile.USTAR_FORMAT, prefix=b"folder")
        out.write(bytes(1024))
        out.close()
        """

    @Test func `times before 1970, sizes of pax and the fields of old headers are read`() throws {
        let folder = try scratch(), path = folder.appending(path: "a.tar").path
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try python(Self.rareWriter, path)
        let found = members(path)
        let expected = [
            ("gnu.jpg", -3_600_000_000_000), ("pax.jpg", -1_500_000_000), ("size.jpg", 0), ("access.jpg", 0),
            ("folder/name.jpg", 0),
        ].map { "\($0.0.utf8.map { String($0) }.joined(separator: ",")) 4 \($0.1) 4" }
        #expect(found.lines == expected && found.error == nil)
    }

    /// GNU tar gives a link with a long name a member of its own for the name, as it does a file.
    private static let linkWriter = """
        import sys, tarfile
        for kind in ("gnu", "pax"):
            form = tarfile.GNU_FORMAT if kind == "gnu" else tarfile.PAX_FORMAT
            tar = tarfile.open(sys.argv[1] + kind, "w", format=form)
            for type in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE, tarfile.CHRTYPE):
                other = tarfile.TarInfo("n" * 200 + ".jpg")
                other.type, other.linkname = type, "l" * 200
                tar.addfile(other)
                tar.addfile(tarfile.TarInfo("a%d.jpg" % type[0]))
            tar.close()
        """

    @Test func `the long name of what is no file is not the next file's`() throws {
        let folder = try scratch(), path = folder.appending(path: "a.tar").path
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try python(Self.linkWriter, path)
        let expected = "2153".utf8.map { byte in
            "a\(byte).jpg".utf8.map { String($0) }.joined(separator: ",") + " 0 0 0"
        }
        for kind in ["gnu", "pax"] {
            let found = members(path + kind)
            #expect(found.lines == expected && found.error == nil, "\(kind)")
        }
    }

    /// Archives by GNU tar of a file, its second name and a file with a hole, and of one more behind them.
    private static let holes = """
        import os, subprocess, sys
        os.chdir(sys.argv[1])
        os.mkdir("d")
        for name, size in (("d/a.jpg", 4), ("d/c.jpg", 1 << 20), ("d/z.jpg", 4)):
            with open(name, "wb") as file:
                file.truncate(size); file.write(b"text"); file.seek(size // 2); file.write(b"t")
        # More parts than a header has room for.
        with open("d/c.jpg", "r+b") as file:
            for part in range(60): file.seek(part * 16384); file.write(b"t")
        os.link("d/a.jpg", "d/b.jpg")
        for name in os.listdir("d"): os.utime("d/" + name, (0, 1400000000))
        for kind in ("gnu", "oldgnu", "posix"):
            subprocess.run(["tar", "--format=" + kind, "-S", "--sort=name", "-cf", kind, "d"], check=True)
        old = ["--format=posix", "--sparse-version=0.1"]
        subprocess.run(["tar", *old, "-S", "--sort=name", "-cf", "posix1", "d"], check=True)
        """

    /// A name that is none, of a link and of a sparse file with data: the next file is read.
    @Test func `members without a name are called so, and the next file is read`() throws {
        let folder = try scratch(), path = folder.appending(path: "a.tar").path
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = """
            import io, sys, tarfile
            tar = tarfile.open(sys.argv[1], "w", format=tarfile.GNU_FORMAT)
            for name, type, size in (("", b"1", 700), ("d/", b"1", 0), ("", b"S", 700), ("a.jpg", b"0", 4)):
                info = tarfile.TarInfo("x")
                info.type, info.size = type, size
                head = bytearray(info.tobuf(tarfile.GNU_FORMAT))
                head[:100] = name.encode().ljust(100, b"\\0")
                head[148:156] = b"%06o\\0 " % tarfile.calc_chksums(head)[0]
                data = 0 if type == b"1" else size  # a link has none, whatever its size says
                tar.fileobj.write(bytes(head) + b"x" * data + bytes(-data % 512))
            tar.fileobj.close()
            """
        _ = try python(script, path)
        let found = members(path)
        let nameless = "a member without a name".utf8.map { String($0) }.joined(separator: ",")
        #expect(
            found.lines == [nameless + " 0 0 0", nameless + " 700 0 700", "97,46,106,112,103 4 0 4"]
                && found.without == [] && found.error == nil)
    }

    @Test(arguments: ["gnu", "oldgnu", "posix", "posix1"])
    func `second names are named, files with holes have their zeros, and the next file is read`(kind: String)
        throws
    {
        let folder = try scratch()
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try python(Self.holes, folder.path)
        let found = members(folder.appending(path: kind).path)
        #expect(found.without == ["d/b.jpg 1400000000000000000 \(MemberError.hardLink)"])
        // Of a text no more is read than tells it.
        let expected = [("d/a.jpg", 4, 4), ("d/c.jpg", 1 << 20, 65_536), ("d/z.jpg", 4, 4)].map {
            let name = $0.0.utf8.map { String($0) }.joined(separator: ",")
            return "\(name) \($0.1) 1400000000000000000 \($0.2)"
        }
        #expect(found.lines == expected && found.error == nil)
    }

    /// RFC 1952; RFC 8878, 3.1.1; the format of xz; PKWARE's APPNOTE.TXT, 4.3.7 and 4.3.16.
    @Test(
        arguments: [
            [0x1F, 0x8B, 8], [0x28, 0xB5, 0x2F, 0xFD], [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0],
            [0x50, 0x4B, 3, 4], [0x50, 0x4B, 5, 6],
        ] as [[UInt8]])
    func `an archive is told from what is none by its first bytes`(magic: [UInt8]) throws {
        let folder = try scratch(), path = folder.appending(path: "a.tar").path
        defer { try? FileManager.default.removeItem(at: folder) }
        func isArchive(_ bytes: [UInt8]) throws -> Bool {
            try Data(bytes + [UInt8](repeating: 7, count: 1024)).write(to: URL(fileURLWithPath: path))
            return BytePath(path).isArchive
        }
        #expect(try isArchive(magic))
        for index in magic.indices {
            var other = magic
            other[index] ^= 1
            #expect(try !isArchive(other), "\(index)")
        }
        _ = try python(Self.writer, path, "ustar")
        #expect(BytePath(path).isArchive)
        #expect(!BytePath(folder.path).isArchive && !BytePath("/dev/null").isArchive)
    }

    @Test func `a stream that is cut says so, unless it is cut between members`() throws {
        let folder = try scratch(), path = folder.appending(path: "a.tar").path
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try python(Self.writer, path, "gnu")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path)), whole = members(path).lines
        var cuts = 0
        for count in stride(from: 100, to: bytes.count, by: 711) {
            try bytes.prefix(count).write(to: URL(fileURLWithPath: path))
            let found = members(path)
            #expect(whole.starts(with: found.lines))
            if found.error != nil { cuts += 1 }
            // A member that is there is whole.
            if count % 512 != 0 { #expect(found.error != nil, "\(count)") }
        }
        #expect(cuts > 50)
    }

    @Test func `a stream that ends behind the name of a member is cut`() throws {
        let folder = try scratch(), path = folder.appending(path: "a.tar").path
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try python(Self.writer, path, "gnu")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let header = try #require(bytes.firstRange(of: Data("././@LongLink".utf8))).lowerBound
        // The header of the name, and the name, which is shorter than a block.
        try bytes.prefix(header + 1024).write(to: URL(fileURLWithPath: path))
        #expect(members(path).error != nil)
        try bytes.prefix(header).write(to: URL(fileURLWithPath: path))
        #expect(members(path).error == nil)
    }

    @Test func `changed bytes end in members or an error, never in a crash`() throws {
        let folder = try scratch(), path = folder.appending(path: "a.tar").path
        defer { try? FileManager.default.removeItem(at: folder) }
        for kind in ["pax", "gnu"] {
            _ = try python(Self.writer, path, kind)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            var random = Random(state: 1), errors = 0
            for _ in 0..<300 {
                var changed = bytes
                for _ in 0..<1 + random.next() % 3 {
                    // Headers above all: the first part of a block.
                    let block = Int(random.next() % UInt64(bytes.count / 512)) * 512
                    let value = [0, 0x7F, 0x80, 0xFF, 0x39, UInt8(truncatingIfNeeded: random.next())]
                    changed[block + Int(random.next() % 512)] = value[Int(random.next() % 6)]
                }
                try changed.write(to: URL(fileURLWithPath: path))
                if members(path).error != nil { errors += 1 }
            }
            #expect(errors > 20)
        }
        for text in ["", "hello", String(repeating: "x", count: 5_000), "\u{1F}\u{8B}"] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            #expect(members(path).lines == [])
            #expect((members(path).error == nil) == text.isEmpty)
        }
    }
}

/// SplitMix64, so that each run changes the same bytes.
private struct Random: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
