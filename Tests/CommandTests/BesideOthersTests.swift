import Foundation
import Glibc
import Testing

/// Stores that other processes use at the same time, and stores and streams that strangers made.
@Suite struct BesideOthersTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    /// The stores that Apple's programs wrote.
    private static let stores = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../ManagedObjectsTests/Fixtures/Stores").standardized.path

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../..").standardized.path

    private func putPhotos(_ count: Int) throws {
        let colors = (0..<count).map { String(format: "%06x", 0x10_2030 + $0 * 4099) }
        try bench.putSquares(colors.enumerated().map { ("W/p\($0).png", $1) })
    }

    // MARK: Strangers

    @Test func `what strangers made is read or refused within seconds, and steers no terminal`() throws {
        try putPhotos(1)
        _ = try bench.moody("ingest", "-q", "--store", "base.moody", "W")
        #expect(try bench.shell("FIXTURES='\(Self.stores)' python3 $fixtures/strangers.py").status == 0)
        let run = try bench.shell(
            """
            for f in *.sqlite *.xml; do for v in info tables history 'dump --format text'; do
            ( ulimit -v 4000000; timeout 30 $moody store $v $f > out 2> err ); echo "$f $v: $?"
            done; LC_ALL=C grep -c -P '\\x1b|\\xc2[\\x80-\\x9f]|\\xe2\\x80\\xae' out err
            done
            for f in *.tar; do
            timeout 30 $moody extract --tar $f --format record > out 2> err; echo "$f: $?"; done
            timeout 30 $moody ingest -q --store indexes.moody W; echo "indexes: $?"
            for f in history-*.sqlite; do
            timeout 30 $moody store migrate $f '\(Self.stores)/SampleModel_V2.sqlite' 2> err
            echo "$f: $?"; done
            """)
        let wrong = run.lines.filter { line in
            guard let last = line.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) else {
                return false
            }
            return line.hasPrefix("out:") || line.hasPrefix("err:")
                ? last != "0" : !["0", "2"].contains(last)
        }
        #expect(wrong == [] && run.lines.count > 40, "\(run.err)")
    }

    // MARK: Faults

    /// Each call of a copy fails in turn; `scripts/check faults` does this to everything that writes.
    @Test func `a copy whose calls fail is whole or not there`() throws {
        // The compiler may be that of Swift's own folder.
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let script = "PATH='\(path)' '\(Self.root)/scripts/checks/faults'"
        let faults = "\(script) --moody $moody --seconds 6 --only convert"
        for kind in ["read:EINTR", "open:EMFILE", "change:KILL"] {
            let run = try bench.shell("\(faults):\(kind)")
            #expect(run.status == 0 && run.lines.last == "faults: nothing was lost", "\(run.out)\(run.err)")
        }
    }

    @Test func `a copy is as private as its store, in every format`() throws {
        try putPhotos(1)
        let run = try bench.shell(
            """
            $moody ingest -q --preview 1600 --store a.moody W; chmod 600 a.moody; umask 022
            for f in xml binary sqlite moody; do $moody store convert -q a.moody b.$f; done
            $moody store convert -q b.xml c.sqlite
            stat -c '%a' b.* c.sqlite .b_SUPPORT/_EXTERNAL_DATA/* 2> none
            """)
        #expect(Set(run.lines) == ["600"] && run.lines.count >= 5, "\(run.out)\(run.err)")
    }

    @Test func `what stands in the place of a store's log is neither followed nor waited for`() throws {
        try putPhotos(1)
        let run = try bench.shell(
            """
            $moody ingest -q --store a.moody W; echo hello > victim; chmod 644 victim
            for s in journal wal shm; do for k in link pipe; do
            rm -f a.moody-*; if [ $k = link ]; then ln -s victim a.moody-$s; else mkfifo a.moody-$s; fi
            for c in 'list --store a.moody' 'store info a.moody' 'ingest -q --store a.moody W' \
            'store convert a.moody c.moody'; do
            timeout -k 1 20 $moody $c > out 2> err; echo "$? $(grep -c 'not a regular file' err)"
            done; done; done
            stat -c %a victim; cat victim
            """)
        #expect(Set(run.lines) == ["2 1", "644", "hello"] && run.lines.count == 26, "\(run.out)\(run.err)")
    }

    @Test func `snapshots of killed commands are removed, and nothing else`() throws {
        try putPhotos(1)
        let name = UUID().uuidString
        let run = try bench.shell(
            """
            $moody ingest -q W; mkdir T; export TMPDIR=$PWD/T
            left=T/moody-snapshot-\(name); used=T/moody-snapshot-A\(name.dropFirst())
            mkdir $left $used T/moody-\(name) T/moody-snapshot-mine; touch $left/store
            touch -d '1 hour ago' T/*
            flock -s $used sh -c '$moody store convert -q Moody.moody b.xml'; ls T
            """)
        let kept = ["moody-\(name)", "moody-snapshot-A\(name.dropFirst())", "moody-snapshot-mine"]
        #expect(run.lines.sorted() == kept.sorted(), "\(run.err)")
    }

    /// A store for a group: 0660, in a folder whose files are the group's.
    @Test(.enabled(if: geteuid() == 0, "other users"))
    func `a group's store is written by each of the group, and by nobody else`() throws {
        try putPhotos(2)
        let run = try bench.shellForAll(
            """
            as() { user=$1; shift; setpriv --reuid $user --regid $user --groups 2000 "$@"; }
            chmod 755 . W; mkdir G; chown 1001:2000 G; chmod 2775 G; umask 002
            as 1001 $moody ingest -q --store G/g.moody W/p0.png; echo $?
            chmod 660 G/g.moody; rm -r G/.g_SUPPORT
            as 1001 $moody ingest -q --store G/g.moody W/p0.png; echo $?
            as 1002 $moody ingest -q --store G/g.moody W/p1.png; echo $?
            find G/.g_SUPPORT -printf '%m %y %f\\n' | sort -u
            """)
        #expect(run.lines.prefix(3) == ["0", "0", "0"], "\(run.out)\(run.err)")
        let made = ["2770 d .g_SUPPORT", "2770 d g.moody", "660 f lock"]
        #expect(Set(made).isSubset(of: Set(run.lines)), "\(run.out)")
    }

    @Test(.enabled(if: geteuid() == 0, "other users"))
    func `a store that may only be read is copied, and its copy may only be read`() throws {
        try putPhotos(1)
        let run = try bench.shellForAll(
            """
            chmod 755 .; mkdir E; $moody ingest -q --preview 1600 --store E/a.moody W
            chown -R 1001:1001 E; chmod 444 E/a.moody
            for f in moody xml; do
            setpriv --reuid 1001 --regid 1001 --clear-groups $moody store convert -q E/a.moody E/b.$f
            echo $?; stat -c '%a %U' E/b.$f; done
            $moody store check E/b.moody > checked; echo $?
            """)
        #expect(run.lines == ["0", "444 UNKNOWN", "0", "444 UNKNOWN", "0"], "\(run.out)\(run.err)")
    }

    // MARK: Deletions and imports

    @Test func `neither a recomputation nor an export ends by what another process deletes`() throws {
        try putPhotos(40)
        _ = try bench.moody("ingest", "-q", "W")
        let run = try bench.shell(
            """
            ( for n in $(seq 1 3 40); do $moody delete $n > deleted 2>&1 || echo "delete $?"; done ) &
            for n in 1 2 3; do $moody ingest -q --recompute W || echo "ingest $?"
            $moody export html -o page.html --overwrite 2> err || echo "export $?"; done
            wait; $moody store check > checked || echo "check $?"
            """)
        #expect(run.out.isEmpty && run.err.isEmpty)
        #expect(try bench.moody("list", "--json").lines.count == 40 - 14)
    }

    @Test func `two imports of the same records bring them once`() throws {
        try putPhotos(60)
        let records = try bench.moody("extract", "--format", "record", "W")
        try bench.write(records.out, to: "records")
        _ = try bench.moody("ingest", "-q", "W/p0.png")
        let run = try bench.shell(
            """
            for n in 1 2 3; do ( $moody import -q records || echo "import $?" ) & done; wait
            """)
        #expect(run.out.isEmpty && run.err.isEmpty)
        #expect(try bench.moody("list", "--json").lines.count == 60)
        #expect(try bench.moody("store", "check").status == 0)
    }

    // MARK: Copies

    @Test func `a copy of a store that a program writes all the time is whole`() throws {
        let writer = """
            import sqlite3, time
            c = sqlite3.connect("a.sqlite", isolation_level=None, timeout=10)
            c.execute("PRAGMA journal_mode = WAL")
            n, end = 0, time.time() + 6
            while time.time() < end:
                c.execute("UPDATE Z_METADATA SET Z_VERSION = Z_VERSION")
                c.execute("CREATE TABLE IF NOT EXISTS notes (n)")
                c.execute("INSERT INTO notes VALUES (?)", (n,)); n += 1
                time.sleep(0.02)
            """
        try bench.write(writer, to: "writer.py")
        let run = try bench.shell(
            """
            cp '\(Self.stores)/SampleModel_V1.sqlite' a.sqlite; python3 writer.py &
            until sqlite3 a.sqlite 'SELECT n FROM notes WHERE n = 3' 2> none | grep -q 3; do sleep 0.1; done
            for n in 1 2 3 4; do $moody store convert -q a.sqlite c$n.sqlite || echo "convert $?"
            sqlite3 c$n.sqlite 'PRAGMA integrity_check; SELECT COUNT(*) = MAX(n) + 1 FROM notes'; done
            wait
            """)
        let wanted = Array(repeating: ["ok", "1"], count: 4).flatMap(\.self)
        #expect(run.lines == wanted && run.err.isEmpty, "\(run.out)\(run.err)")
    }

    @Test func `a copy that is killed leaves nothing under its name, and the next one is whole`() throws {
        _ = try bench.shell("mkdir W")
        for seed in 1...3 { try bench.putNoise(side: 900, seed: seed, as: "W/\(seed).png") }
        _ = try bench.moody("ingest", "-q", "--preview", "1600", "W")
        let run = try bench.shell(
            """
            for t in 0.01 0.03 0.05 0.07 0.09 0.12 0.15 0.2; do
            timeout -s KILL $t $moody store convert -q Moody.moody c.moody > said 2>&1
            if [ -e c.moody ]; then $moody store check c.moody | grep -E 'lost|damaged'; fi
            rm -f c.moody; done
            $moody store convert -q Moody.moody c.moody && $moody store check c.moody > checked && echo whole
            ls -A | grep -c -- '-journal\\|-wal\\|part'
            """)
        #expect(run.lines == ["whole", "0"])
    }

    // MARK: Names

    @Test func `a store that takes another's name takes nothing else from it`() throws {
        _ = try bench.shell("mkdir W V")
        try bench.putNoise(side: 900, seed: 1, as: "W/a.png")
        try bench.putNoise(side: 900, seed: 2, as: "V/b.png")
        _ = try bench.moody("ingest", "-q", "--preview", "1600", "W")
        _ = try bench.moody("ingest", "-q", "--preview", "1600", "--store", "New.moody", "V")
        let check = "$moody store check Moody.moody | grep -c lost"
        let run = try bench.shell(
            """
            mv Moody.moody Old.moody; mv New.moody Moody.moody; $moody ingest -q V
            mv Moody.moody New.moody; mv Old.moody Moody.moody; \(check); $moody ingest -q W; \(check)
            cp Moody.moody early.bak; $moody ingest -q --recompute --preview 1200 W
            cp Moody.moody late.bak; cp early.bak Moody.moody; $moody ingest -q W
            cp late.bak Moody.moody; $moody ingest -q W; \(check)
            """)
        #expect(run.lines == ["0", "0", "0"] && run.err.isEmpty)
    }

    @Test func `a store with two names is not written, one that was emptied keeps its log`() throws {
        try putPhotos(1)
        _ = try bench.moody("ingest", "-q", "W")
        _ = try bench.shell("ln Moody.moody h.moody")
        let refused = try bench.moody("ingest", "-q", "--store", "h.moody", "W")
        #expect(refused.status == 2 && refused.err.contains("hard link"))
        let run = try bench.shell(
            """
            rm h.moody; $moody ingest -q W || echo "ingest $?"
            printf 'something that was committed' > Moody.moody-wal; : > Moody.moody
            $moody ingest -q W; cat 'Moody.moody-wal.~1~'
            """)
        #expect(run.out == "something that was committed")
    }
}
