import Foundation
import Images
import Testing

/// Archives by GNU tar, bsdtar, Info-ZIP, 7z and Python. What is right: the folder that GNU tar unpacks.
@Suite(.enabled(if: ArchiveStream.isBuiltIn)) struct ArchiveTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    /// What the shell knows in each test: `records FILE PREFIX` prints the records of a run by path, without
    /// the prefix and the last line.
    private static let tools = """
        export TZ=UTC
        records() {
            python3 -c '
        import json, sys
        records = [json.loads(line) for line in open(sys.argv[1])]
        assert records.pop().get("end"), "no last line"
        for record in records:
            assert record["path"].startswith(sys.argv[2]), record["path"]
            record["path"] = record["path"][len(sys.argv[2]):]
            print(json.dumps(record, sort_keys=True))' "$1" "$2" | sort
        }
        tar -xf "$fixtures/archives/trip.tar"
        "$moody" extract --format record Trip > folder.jsonl 2> /dev/null
        records folder.jsonl "$(pwd -P)/" > folder

        """

    private func shell(_ script: String) throws -> Workbench.Run { try bench.shell(Self.tools + script) }

    @Test(arguments: [
        "trip.tar", "trip.gnu.tgz", "trip.bsdtar.tar.zst", "trip.bsdtar.tar.xz", "trip.bsdtar.zip",
        "trip.infozip.zip", "trip.stream.zip", "trip.7z.zip",
    ])
    func `records of an archive are those of its folder but for the paths`(name: String) throws {
        let run = try shell(
            """
            cp "$fixtures/archives/\(name)" .
            "$moody" extract --format record \(name) > r.jsonl; echo $?
            records r.jsonl "$(pwd -P)/\(name)/" | cmp - folder && wc -l < folder
            """)
        #expect(run.out.split(whereSeparator: \.isWhitespace) == ["1", "3"], "\(run)")
        #expect(run.err.hasSuffix("/\(name)/Trip/broken.jpg: not a picture of a known kind\n"), "\(run)")
    }

    /// A pipe cannot be read from its end, where a zip has its list.
    @Test(arguments: ["trip.tar", "trip.gnu.tgz", "trip.bsdtar.tar.xz", "trip.infozip.zip", "trip.7z.zip"])
    func `an archive from a pipe and from standard input gives the same photos`(name: String) throws {
        let run = try shell(
            """
            cat "$fixtures/archives/\(name)" | "$moody" extract --tar - > pipe.jsonl 2> pipe.err
            "$moody" extract --tar - < "$fixtures/archives/\(name)" > file.jsonl 2> file.err
            cmp pipe.jsonl file.jsonl && cmp pipe.err file.err
            python3 -c '
            import json
            for line in open("pipe.jsonl"):
                record = json.loads(line)
                if "palette" in record or "colors" in record: print(record["path"])' | sort
            """)
        // Hidden files too: whoever makes the stream chooses.
        #expect(run.lines == ["Trip/.hidden/b.jpg", "Trip/a.jpg", "Trip/sub/ö.png"], "\(run)")
    }

    @Test func `every format reads archives beside photos and folders`() throws {
        let run = try shell(
            """
            cp "$fixtures/archives/trip.infozip.zip" photos.zip
            "$moody" extract --format hex Trip/a.jpg Trip/sub/ö.png > hex
            "$moody" extract --format hex photos.zip 2> err | cmp - hex && grep broken err
            "$moody" extract photos.zip Trip/a.jpg 2> err | grep -c '^[^ ]*/'
            "$moody" extract --json photos.zip 2> err | grep -o '"path":"[^"]*"' | sort
            "$moody" extract --format kitty photos.zip 2>&1 | tail -n 1
            """)
        #expect(
            run.lines.prefix(5) == [
                "moody: photos.zip/Trip/broken.jpg: not a picture of a known kind", "3",
                #""path":"photos.zip/Trip/a.jpg""#, #""path":"photos.zip/Trip/broken.jpg""#,
                #""path":"photos.zip/Trip/sub/ö.png""#,
            ], "\(run)")
        #expect(run.lines.last?.contains("2 photos") == true, "\(run)")
    }

    @Test func `moods of an archive are those of its folder`() throws {
        let run = try shell(
            """
            cp "$fixtures/archives/trip.7z.zip" photos.zip
            "$moody" extract -q --format record photos.zip | "$moody" import -q --store a.moody -
            "$moody" ingest -q --store b.moody Trip 2> /dev/null
            for store in a b; do "$moody" list --store $store.moody | sed 's|[^ ]*/||' > $store; done
            cmp a b && wc -l < a
            "$moody" ingest --store b.moody photos.zip; echo $?
            "$moody" ingest --store b.moody photos.zip 'Trip/notes.txt' 2>&1 | grep -c 'an archive:'
            """)
        #expect(run.out.split(whereSeparator: \.isWhitespace) == ["2", "1", "1"], "\(run)")
        #expect(
            run.err.contains(
                "moody: photos.zip: an archive: moody extract --format record photos.zip | moody import -\n"),
            "\(run)")
    }

    @Test(arguments: ["encrypted.infozip.zip", "encrypted.7z.zip"])
    func `an encrypted member is that member's error`(name: String) throws {
        let run = try shell(
            """
            "$moody" extract --format record "$fixtures/archives/\(name)" 2>&1 > r.jsonl |
                sed 's|.*/Trip|Trip|'
            tail -n 1 r.jsonl
            """)
        #expect(
            Set(run.lines) == [
                "Trip/a.jpg: encrypted", "Trip/broken.jpg: encrypted", "Trip/sub/ö.png: encrypted",
                #"{"v":1,"end":true,"photos":0,"failed":3}"#,
            ], "\(run)")
    }

    /// Zip64, lengths behind the bytes, names of DOS and of UTF-8, paths that leave the folder, two files of
    /// one name; and overlapping members, as in bombs.
    private static let odd = """
        import io, os, struct, sys, zipfile
        photo = open("Trip/a.jpg", "rb").read()
        def archive(name): return zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED)
        with archive("zip64.zip") as file:
            with file.open("a.jpg", "w", force_zip64=True) as member: member.write(photo)
        class Pipe(io.RawIOBase):
            def __init__(self, name): self.file = open(name, "wb")
            def writable(self): return True
            def write(self, data): return self.file.write(data)
            def close(self): self.file.close()
        pipe = Pipe("descriptor.zip")
        with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as file: file.writestr("a.jpg", photo)
        pipe.close()
        with archive("utf8.zip") as file: file.writestr("\\u00e4\\u65e5.jpg", photo)
        with archive("out.zip") as file:
            for name in ("../../a.jpg", "/etc/a.jpg", "x/./../a.jpg"): file.writestr(name, photo)
        with archive("twice.zip") as file:
            file.writestr("a.jpg", photo); file.writestr("a.jpg", photo)
        data = open("utf8.zip", "rb").read()
        name = "\\u00e4\\u65e5.jpg".encode()
        old = data.replace(name, b"\\x84\\x81\\xff\\xfe\\x80.jpg")
        old = old.replace(b"\\0\\x08\\x08\\0", b"\\0\\0\\x08\\0")
        open("cp437.zip", "wb").write(old)
        # One photo that twenty names in the list at the end share.
        with archive("one.zip") as file: file.writestr("a.jpg", photo)
        data = open("one.zip", "rb").read()
        at = data.index(b"PK\\1\\2"); end = data.index(b"PK\\5\\6")
        entry = data[at:end]
        many = bytearray(data[end:])
        many[8:16] = struct.pack("<HHI", 20, 20, len(entry) * 20)
        open("overlap.zip", "wb").write(data[:at] + entry * 20 + bytes(many))
        """

    @Test func `odd archives give their photos under the names that they have`() throws {
        try bench.write(Self.odd, to: "odd.py")
        let run = try shell(
            """
            python3 odd.py 2> /dev/null
            for name in zip64 descriptor utf8 cp437 out twice overlap; do
                "$moody" extract --format record $name.zip > r.jsonl
                echo "$name $? $(python3 -c '
            import base64, json
            for line in open("r.jsonl"):
                record = json.loads(line)
                if record.get("end"): continue
                bytes = record.get("pathBytes")
                path = base64.b64decode(bytes) if bytes else record["path"].encode()
                print(path.split(b".zip/", 1)[1], end=" ")
                assert "error" not in record and record["size"] == 719, record')"
            done
            """)
        #expect(
            run.lines.map { $0.trimmingCharacters(in: .whitespaces) } == [
                "zip64 0 b'a.jpg'", "descriptor 0 b'a.jpg'",
                #"utf8 0 b'\xc3\xa4\xe6\x97\xa5.jpg'"#, #"cp437 0 b'\x84\x81\xff\xfe\x80.jpg'"#,
                "out 0 b'../../a.jpg' b'/etc/a.jpg' b'x/./../a.jpg'", "twice 0 b'a.jpg' b'a.jpg'",
                // The same bytes once.
                "overlap 0 b'a.jpg'",
            ], "\(run)")
    }

    @Test func `what unpacks to more than it may is refused`() throws {
        let run = try shell(
            """
            ulimit -v 8000000
            python3 -c '
            import io, tarfile, zipfile
            class Zeros(io.RawIOBase):
                def readinto(self, buffer): buffer[:] = bytes(len(buffer)); return len(buffer)
            with zipfile.ZipFile("bomb.zip", "w", zipfile.ZIP_DEFLATED) as file:
                with file.open("a.png", "w") as member:
                    member.write(bytes.fromhex("89504e470d0a1a0a"))
                    for _ in range(50): member.write(bytes(1 << 20))
            with tarfile.open("bomb.tar.gz", "w:gz") as file:
                info = tarfile.TarInfo("a.txt"); info.size = 200 << 20
                file.addfile(info, Zeros())
                info = tarfile.TarInfo("b.jpg"); info.size = 719
                file.addfile(info, open("Trip/a.jpg", "rb"))'
            for name in bomb.zip bomb.tar.gz; do
                "$moody" extract --max unpacked=20M --format record $name > r.jsonl
                echo $? $(tail -n 1 r.jsonl)
                "$moody" extract --max unpacked=20M --tar - < $name > r.jsonl; echo $? $(tail -n 1 r.jsonl)
            done
            "$moody" extract -q --max unpacked=300M --format hex bomb.tar.gz | wc -l
            """)
        let end = #"{"v":1,"end":true,"photos":0,"failed":1}"#
        let lines = run.lines.map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines == ["1 " + end, "2", "1 " + end, "2", "3"], "\(run)")
        let words = run.err.split(separator: "\n").filter { $0.hasSuffix(": unpacks to more than 20 MB") }
        #expect(words.count == 4, "\(run)")
    }

    @Test func `an archive in an archive is no photo, and one in a folder is not looked into`() throws {
        let run = try shell(
            """
            mkdir F && cp "$fixtures/archives/trip.infozip.zip" F/inner.zip && cp Trip/a.jpg F
            tar -czf outer.tgz F && gzip -c outer.tgz > twice.gz && gzip -c Trip/a.jpg > a.jpg.gz
            "$moody" extract --format json outer.tgz F | grep -o '"path":"[^"]*"'
            "$moody" extract twice.gz a.jpg.gz; echo $?
            """)
        #expect(
            run.lines == [#""path":"outer.tgz/F/a.jpg""#, #""path":"F/a.jpg""#, "1"], "\(run)")
        #expect(
            run.err == """
                moody: twice.gz: a damaged archive: compressed more than once
                moody: a.jpg.gz: neither a tar nor a zip archive

                """, "\(run)")
    }

    /// Of a cut archive the photos before the cut are those of the whole one.
    @Test(arguments: [
        "trip.tar", "trip.gnu.tgz", "trip.bsdtar.tar.xz", "trip.infozip.zip", "trip.stream.zip",
    ])
    func `a cut archive is an error, with the photos before the cut`(name: String) throws {
        let run = try shell(
            """
            python3 -c '
            import json, os, subprocess, sys
            whole = open(os.environ["fixtures"] + "/archives/\(name)", "rb").read()
            def records(data):
                open("c", "wb").write(data)
                words = [os.environ["moody"], "extract", "--tar", "-"]
                run = subprocess.run(words, stdin=open("c"), capture_output=True)
                lines = [json.loads(line) for line in run.stdout.splitlines()]
                return run.returncode, [line for line in lines if "contentHash" in line], run.stderr.decode()
            status, every, _ = records(whole)
            assert status == 1 and len(every) == 4, (status, len(every))
            errors = 0
            for count in range(1, len(whole), max(len(whole) // 11, 1)):
                status, some, words = records(whole[:count])
                assert status in (0, 1, 2) and (status != 2 or words), (count, status, words)
                assert all(record in every for record in some if "error" not in record), count
                errors += status == 2
            print("ok", errors > 2)'
            """)
        #expect(run.lines == ["ok True"], "\(run)")
    }

    @Test func `bad input has a reason, and costs a status`() throws {
        let run = try shell(
            """
            : > empty; head -c 3000 /dev/urandom > noise; printf 'PK\\003\\004' > head.zip
            printf '\\037\\213\\010' > head.gz; mkdir folder.zip
            for name in noise head.zip head.gz folder.zip nowhere.zip; do
                "$moody" extract --tar $name > out; echo "$? $(wc -c < out)"
            done
            "$moody" extract --tar empty; echo $?
            "$moody" extract head.zip head.gz; echo $?
            """)
        #expect(
            run.lines == [
                "2 0", "2 0", "2 0", "2 0", "2 0", #"{"v":1,"end":true,"photos":0,"failed":0}"#, "0", "1",
            ], "\(run)")
        let errors = run.err.split(separator: "\n").map(String.init)
        #expect(errors.count == 7 && errors[0] == "moody: noise: neither a tar nor a zip archive", "\(run)")
        #expect(errors[3] == "moody: folder.zip: Is a directory", "\(run)")
        #expect(errors[4] == "moody: nowhere.zip: No such file or directory", "\(run)")
    }

    @Test(arguments: ["require", "off"])
    func `names that are not UTF-8 and files with holes are read in workers and without`(mode: String) throws
    {
        let run = try shell(
            """
            mkdir H && cp Trip/a.jpg "$(printf 'H/b\\377d.jpg')" && cp Trip/a.jpg H/hole.jpg
            truncate -s 5M H/hole.jpg && printf x >> H/hole.jpg && cp Trip/a.jpg 'H/new
            line.jpg'
            "$moody" extract --format record H > h.jsonl; records h.jsonl "$(pwd -P)/" > h
            for format in gnu pax; do
                tar -S --format=$format -cf h.tar H
                "$moody" extract --sandbox \(mode) --format record h.tar > t.jsonl
                for name in t h; do sed 's/"mtimeNs":[0-9]*/"mtimeNs":0/' $name.jsonl > $name; done
                python3 -c '
            import base64, json
            def records(name):
                found = []
                for line in open(name):
                    record = json.loads(line)
                    bytes = record.pop("pathBytes", None)
                    path = base64.b64decode(bytes) if bytes else record.get("path", "").encode()
                    record["path"] = str(path).split("H/")[-1]
                    found.append(json.dumps(record, sort_keys=True))
                return sorted(found)
            print(len(records("h")), records("h") == records("t"))'
            done
            """)
        #expect(run.lines == ["4 True", "4 True"], "\(run)")
    }
}
