import Foundation
import Glibc
import Testing

/// Decoders in workers: the same pictures, and no harm.
@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"), "no python3 here"))
struct ConfinementTests {
    private let bench: Workbench

    /// Decoders under an attacker's control are in debug builds only.
    static let hasPlants = ProcessInfo.processInfo.environment["MOODY_BINARY"] == nil
    private static let planted = ["MOODY_PLANTED_DECODERS": "1"]

    init() throws { bench = try Workbench() }

    /// PNGs in a folder, each of which names what its decoder does.
    private func plant(_ names: [String], in folder: String = "Photos") throws {
        try bench.putSquares(names.map { ("\(folder)/\($0).png", "ff0000") })
        for name in names {
            let file = try FileHandle(forWritingTo: bench.folder.appending(path: "\(folder)/\(name).png"))
            try file.seekToEnd()
            try file.write(contentsOf: Data("moody-planted:\(name)\n".utf8))
            try file.close()
        }
    }

    /// A JPEG that is large enough for the scanner: gray, 2,048 x 1,536, of blocks without a difference.
    private func putPlainJPEG(_ name: String) throws {
        let run = try bench.shell(
            """
            python3 -c 'import struct
            def segment(mark, data): return bytes([255, mark]) + struct.pack(">H", len(data) + 2) + data
            jpeg = bytes([255, 0xD8]) + segment(0xDB, bytes([0] + [1] * 64))
            jpeg += segment(0xC0, struct.pack(">BHHB", 8, 1536, 2048, 1) + bytes([1, 0x11, 0]))
            # One code of one bit: no difference, and no more coefficients.
            for table in (0x00, 0x10): jpeg += segment(0xC4, bytes([table, 1] + [0] * 15 + [0]))
            jpeg += segment(0xDA, bytes([1, 1, 0, 0, 63, 0])) + bytes(256 * 192 // 4) + bytes([255, 0xD9])
            open("\(name)", "wb").write(jpeg)'
            """)
        try #require(run.status == 0, "\(run.err)")
    }

    /// The reason on the line of each photo.
    private func reasons(_ run: Workbench.Run) -> [String: String] {
        var reasons: [String: String] = [:]
        for line in run.err.split(separator: "\n") {
            guard let match = line.wholeMatch(of: /moody: .*\/(.+)\.png: (.+)/) else { continue }
            reasons[String(match.1)] = String(match.2)
        }
        return reasons
    }

    // MARK: - The same pictures

    /// Every kind of file, with profiles, damage, and metadata; some are refused by both.
    @Test func `a photo is the same, in a worker and in the process`() throws {
        let folder = URL(fileURLWithPath: #filePath)
            .appending(path: "../../ImagesTests/Fixtures").standardizedFileURL.path
        for part in ["formats", "avif", "jxl", "icc", "exif", "jpeg", "pngsuite", "orientation"] {
            let runs = try ["off", "auto"].map { mode in
                try bench.moody(
                    "extract", "--sandbox", mode, "--format", "record", "--thumbnails", "\(folder)/\(part)")
            }
            #expect(runs[0].lines.count > 5, "\(part): \(runs[0].err)")
            #expect(runs[0].out == runs[1].out, "\(part)")
            #expect(runs[0].status == runs[1].status)
        }
    }

    // MARK: - No harm

    static let attempts = [
        "open", "create", "unlink", "truncate", "reopen", "list", "stat", "chdir", "chmod", "read", "write",
        "ftruncate", "connect", "udp", "unix", "recvmsg", "fork", "thread", "exec", "kill", "tgkill",
        "ptrace",
        "peek", "mmap-exec", "mprotect-exec", "mmap-shared", "mmap-file", "memfd", "setrlimit", "io_uring",
    ]

    @Test(.enabled(if: hasPlants, "a release build")) func `a decoder can do nothing but decode`() throws {
        let victim = "/tmp/moody-victim", made = "/tmp/moody-planted"
        try Data("whole".utf8).write(to: URL(fileURLWithPath: victim))
        try? FileManager.default.removeItem(atPath: made)
        defer { try? FileManager.default.removeItem(atPath: victim) }
        try plant(Self.attempts)
        try bench.putSquares([("Photos/good.png", "00ff00")])
        let run = try bench.moody("ingest", "--sandbox", "require", "Photos", environment: Self.planted)
        #expect(run.status == 1)
        #expect(run.lines.count == 1 && run.out.contains("good.png"))
        let reasons = reasons(run)
        #expect(Set(reasons.keys) == Set(Self.attempts))
        for (name, reason) in reasons {
            // Whatever the kernel answers with an error goes on as a decoder that refuses.
            let isRefused = reason == "corrupt: \(name) was refused"
            #expect(reason.contains("forbidden call") || isRefused, "\(name): \(reason)")
        }
        #expect(reasons["open"] == "the decoder of PNG used a forbidden call (openat)")
        #expect(reasons["connect"] == "the decoder of PNG used a forbidden call (socket)")
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "whole")
        #expect(try bench.shell("stat -c %a \(victim)").lines != ["777"])
        #expect(!FileManager.default.fileExists(atPath: made))
    }

    @Test(.enabled(if: hasPlants, "a release build"))
    func `a decoder that crashes, hangs, or takes all memory costs one photo`() throws {
        let expected: [(name: String, reason: Regex<Substring>)] = [
            ("crash", /the decoder of PNG crashed \(SIGSEGV\)/),
            ("abort", /the decoder of PNG crashed \(SIGABRT\)/),
            ("loop", /the decoder of PNG took longer than 4 s/),
            ("sleep", /the decoder of PNG took longer than 4 s/),
            ("allocate", /the decoder of PNG used more than [0-9]+ MB \(SIGSEGV\)/),
            ("fill", /corrupt: fill was refused/),
        ]
        try plant(expected.map(\.name))
        try bench.putSquares([("Photos/good.png", "00ff00")])
        let run = try bench.moody("ingest", "--max", "seconds=4", "Photos", environment: Self.planted)
        #expect(run.status == 1)
        #expect(run.lines.count == 1 && run.out.contains("good.png"))
        let reasons = reasons(run)
        #expect(reasons.count == expected.count)
        for (name, reason) in expected {
            #expect(try reason.wholeMatch(in: reasons[name] ?? "") != nil, "\(name): \(reasons[name] ?? "")")
        }
        // The store remembers why.
        #expect(try bench.moody("ingest", "Photos").err.contains("6 failed before"))
    }

    @Test(.enabled(if: hasPlants, "a release build"))
    func `an answer that cannot be costs one photo`() throws {
        let names = [
            "answer-lengths", "answer-negative", "answer-memory", "answer-ready", "answer-nan",
            "answer-counts",
            "answer-text", "answer-noise",
        ]
        try plant(names)
        try bench.putSquares([("Photos/good.png", "00ff00")])
        let run = try bench.moody("ingest", "Photos", environment: Self.planted)
        #expect(run.status == 1)
        #expect(run.lines.count == 1 && run.out.contains("good.png"))
        let told = "the decoder of PNG gave an impossible answer"
        #expect(reasons(run) == Dictionary(uniqueKeysWithValues: names.map { ($0, told) }))
    }

    @Test(.enabled(if: hasPlants, "a release build"))
    func `an upload goes to a worker, whatever its kind`() throws {
        try bench.putPhotos()
        try putPlainJPEG("bad.jpg")
        _ = try bench.shell("printf moody-planted:crash >> bad.jpg")
        // Elsewhere the scanner reads it, in the process.
        #expect(try bench.moody("extract", "bad.jpg", environment: Self.planted).status == 0)
        let run = try bench.shell(
            """
            MOODY_PLANTED_DECODERS=1 "$moody" serve --port 0 > out 2> err & server=$!
            for wait in $(seq 100); do grep -q http out && break; sleep 0.1; done
            address=$(sed -n 's/^moody: \\(http[^ ]*\\)$/\\1/p' out | head -1)
            python3 - "$address" <<'END'
            import json, sys, urllib.error, urllib.request
            address = sys.argv[1].rstrip("/")
            for name in ["bad.jpg", "Photos/forest.jpg"]:
                request = urllib.request.Request(
                    address + "/api/v1/photos?name=a.jpg", open(name, "rb").read(),
                    {"Content-Type": "image/jpeg"}, method="POST")
                try:
                    print(urllib.request.urlopen(request).status)
                except urllib.error.HTTPError as error:
                    print(error.code, json.load(error)["error"])
            print(json.load(urllib.request.urlopen(address + "/api/v1/status"))["sandbox"])
            END
            kill -INT $server; wait $server; cat err
            """)
        #expect(run.lines.prefix(2) == ["422 the decoder of JPEG crashed (SIGSEGV)", "201"], "\(run)")
        let layers = try #require(bench.moody("--version").lines.last?.wholeMatch(of: /sandbox: (.+)/)).1
        #expect(run.lines.dropFirst(2).first == String(layers))
        #expect(run.lines.contains("moody: sandbox: \(layers)"))
    }

    @Test(.enabled(if: !hasPlants, "a debug build")) func `a release build has no planted decoders`() throws {
        try plant(["crash"])
        #expect(try bench.moody("extract", "Photos", environment: Self.planted).status == 0)
    }

    // MARK: - Processes

    /// A script of Python that runs `sys.argv` and says what became of all processes below it.
    private func processes(_ arguments: String) throws -> Workbench.Run {
        try bench.write(
            """
            import ctypes, os, subprocess, sys, time
            ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
            run = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            most_files = most_zombies = servers = 0
            while run.poll() is None:
                try:
                    most_files = max(most_files, len(os.listdir(f"/proc/{run.pid}/fd")))
                except OSError:
                    pass
                zombies = 0
                for number in filter(str.isdigit, os.listdir("/proc")):
                    try:
                        stat = open(f"/proc/{number}/stat").read().rsplit(")", 1)[1].split()
                        words = open(f"/proc/{number}/cmdline").read().split("\\0")
                    except OSError:
                        continue
                    zombies += stat[0] == "Z" and int(stat[3]) == os.getsid(0)
                    servers += words[1:2] == ["decoding-server"] and int(stat[3]) == os.getsid(0)
                most_zombies = max(most_zombies, zombies)
                time.sleep(0.01)
            left = 0
            for wait in range(100):
                try:
                    while os.waitpid(-1, os.WNOHANG)[0]: pass
                    time.sleep(0.05)
                except ChildProcessError:
                    break
            else:
                left = 1
            print(run.returncode, "left" if left else "gone", most_files, most_zombies, servers)
            """, to: "run.py")
        return try bench.shell("setsid python3 run.py \(arguments)")
    }

    @Test func `a folder of plain JPEGs starts no process, and none outlives the program`() throws {
        _ = try bench.shell("mkdir Photos")
        try putPlainJPEG("Photos/plain.jpg")
        let jpeg = try processes("\"$moody\" ingest Photos").lines.last?.split(separator: " ") ?? []
        #expect(jpeg.first == "0" && jpeg.last == "0", "\(jpeg)")
        try bench.putNoise(side: 1_500, as: "Photos/noise.png")
        let png = try processes("\"$moody\" ingest Photos").lines.last?.split(separator: " ") ?? []
        #expect(png.first == "0" && png.dropFirst().first == "gone" && png.last != "0", "\(png)")
    }

    @Test(.enabled(if: hasPlants, "a release build"))
    func `three hundred workers that die leave nothing behind`() throws {
        try plant(["crash"])
        _ = try bench.shell(
            """
            for n in $(seq 300); do { cat Photos/crash.png; echo $n; } > Photos/$n.png; done
            rm Photos/crash.png
            """)
        let run = try processes("env MOODY_PLANTED_DECODERS=1 \"$moody\" ingest Photos")
        let words = run.lines.last?.split(separator: " ").compactMap { Int($0) } ?? []
        try #require(words.count == 4, "\(run)")
        #expect(words[0] == 1)
        #expect(words[1] < 60, "descriptors: \(words)")
        #expect(words[2] < 5, "zombies: \(words)")
        let list = try bench.moody("ingest", "Photos")
        #expect(list.err.contains("300 failed before"), "\(list)")
    }

    @Test(.enabled(if: hasPlants, "a release build"))
    func `the death of the server of workers costs no photo`() throws {
        try bench.putNoise(side: 1_500, as: "noise.png")
        let run = try bench.shell(
            """
            mkdir many; for n in $(seq 30); do { cat noise.png; echo $n; } > many/$n.png; done
            "$moody" ingest --jobs 2 many > out 2> err & run=$!
            for wait in 1 2 3; do
                for look in $(seq 200); do
                    server=$(cat /proc/$run/task/*/children 2> /dev/null | tr ' ' '\\n' | head -1)
                    [ -n "$server" ] && [ "$server" != "$old" ] && break; sleep 0.02
                done
                [ -n "$server" ] && sleep 0.2 && kill -KILL $server; old=$server
            done
            wait $run; echo $?; cat err
            """)
        #expect(run.lines.first == "0" && run.lines.last?.hasPrefix("30 photos: 30 new") == true, "\(run)")
    }

    // MARK: - Systems

    /// A shell command line that runs a program on a system that refuses a layer.
    private func without(_ layers: String) throws -> String {
        try bench.write(
            """
            import ctypes, os, platform, struct, sys
            libc = ctypes.CDLL(None)
            seccomp, prctl = {"x86_64": (317, 157), "aarch64": (277, 167)}[platform.machine()]
            def op(code, jt, jf, k): return struct.pack("HBBI", code, jt, jf, k)
            refused = op(6, 0, 0, 0x00050001)  # errno EPERM
            filter = [op(0x20, 0, 0, 0)]
            if "landlock" in sys.argv[1]:
                filter += [op(0x15, 0, 1, 444), refused, op(0x15, 0, 1, 446), refused]
            if "seccomp" in sys.argv[1]:
                filter += [op(0x15, 0, 1, seccomp), refused]
                filter += [op(0x15, 0, 3, prctl), op(0x20, 0, 0, 16), op(0x15, 0, 1, 22), refused]
            filter += [op(6, 0, 0, 0x7FFF0000)]
            code = ctypes.create_string_buffer(b"".join(filter))
            class Program(ctypes.Structure):
                _fields_ = [("count", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
            program = Program(len(filter), ctypes.addressof(code))
            assert libc.prctl(38, 1, 0, 0, 0) == 0
            assert libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0
            os.execv(sys.argv[2], sys.argv[2:])
            """, to: "without.py")
        return "python3 without.py \(layers) \"$moody\""
    }

    @Test func `where a layer is missing that is told once, and require refuses`() throws {
        try bench.putSquares((0..<4).map { ("Photos/\($0).png", "0000f\($0)") })
        let none = try without("seccomp,landlock")
        #expect(try bench.shell("\(none) --version").lines.last == "sandbox: none")
        let auto = try bench.shell("\(none) ingest Photos")
        #expect(auto.status == 0 && auto.lines.count == 4, "\(auto)")
        #expect(auto.err.matches(of: /not confined: this system offers no seccomp/).count == 1, "\(auto.err)")
        let require = try bench.shell("\(none) ingest --sandbox require Photos")
        #expect(require.status == 2)
        let reason = "this system offers no seccomp (--sandbox auto does without)"
        #expect(require.err == "moody: decoders cannot be confined: \(reason)\n")
        let half = try bench.shell("\(try without("landlock")) ingest --recompute --sandbox require Photos")
        #expect(half.status == 0 && half.err.contains("by seccomp alone"), "\(half)")
        let off = try bench.shell("\(none) ingest --recompute --sandbox off Photos")
        #expect(off.status == 0 && !off.err.contains("confined"), "\(off)")
    }

    @Test(.enabled(if: hasPlants, "a release build"))
    func `without seccomp Landlock still keeps files, and a crash costs one photo`() throws {
        try plant(["open", "create", "crash"])
        try bench.putSquares([("Photos/good.png", "00ff00")])
        let run = try bench.shell("MOODY_PLANTED_DECODERS=1 \(try without("seccomp")) ingest Photos")
        #expect(run.status == 1 && run.lines.count == 1, "\(run)")
        #expect(reasons(run)["open"] == "corrupt: open was refused")
        #expect(reasons(run)["create"] == "corrupt: create was refused")
        #expect(reasons(run)["crash"] == "the decoder of PNG crashed (SIGSEGV)")
    }

    /// As in a container: another user, no capabilities, no user namespaces.
    @Test(.enabled(if: geteuid() == 0, "other users"))
    func `a plain user without rights has all layers`() throws {
        try bench.putSquares([("Photos/good.png", "00ff00")])
        let layers = try bench.moody("--version").lines.last
        let run = try bench.nobody(
            """
            setpriv --no-new-privs --inh-caps=-all "$moody" --version | tail -1
            setpriv --no-new-privs --inh-caps=-all "$moody" extract --sandbox require --format hex Photos
            """)
        #expect(run.lines.first == layers, "\(run)")
        #expect(run.lines.dropFirst().first == "#00ff00", "\(run)")
    }
}
