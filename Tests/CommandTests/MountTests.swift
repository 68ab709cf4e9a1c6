import Foundation
import Testing

private let mayMount: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "unshare -rm mount -t tmpfs none /mnt 2> /dev/null"]
    try? process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
}()

/// Disks that come and go below a watched folder, in a mount namespace of the test's own.
@Suite(.enabled(if: mayMount, "mounting")) struct MountTests {
    private let bench: Workbench

    init() throws {
        bench = try Workbench()
        try bench.put("harbour.jpg", as: "Photos/harbour.jpg")
    }

    /// - Parameter script: between the begin of a watch of `Photos` and its end; `heard TEXT` waits until it
    ///   said so.
    private func watching(_ script: String) throws -> Workbench.Run {
        try bench.write(
            """
            $moody watch Photos > said 2>&1 & watch=$!
            heard() {
                for _ in $(seq 200); do if grep -q "$1" said; then return; fi; sleep 0.1; done
                echo "not heard: $1"; kill $watch; exit 1
            }
            heard 'watching Photos'
            heard harbour.jpg
            \(script)
            kill $watch; wait $watch; echo $?
            """, to: "watching.sh")
        return try bench.shell("unshare -rm sh watching.sh; cat said >&2")
    }

    @Test func `a disk below the folder is looked at, and its photos stay when it goes`() throws {
        try bench.put("desert.jpg", as: "other/desert.jpg")
        let run = try watching(
            """
            mkdir Photos/card; mount -t tmpfs none Photos/card
            heard 'card was mounted'
            cp $fixtures/forest.jpg Photos/card; heard forest.jpg
            umount Photos/card; heard 'card was unmounted'
            cp $fixtures/slate.png Photos; heard slate.png
            mount --bind other Photos/card; heard desert.jpg
            """)
        #expect(run.lines == ["0"], "\(run.err)")
        #expect(try bench.moody("list").lines.count == 4)
        // What lay on the first disk is not on the second.
        #expect(try bench.moody("list", "--missing").out.contains("forest.jpg"))
    }

    @Test func `a disk that is mounted on the folder itself is looked at`() throws {
        let run = try watching(
            """
            mount -t tmpfs none Photos; heard 'Photos was mounted'
            cp $fixtures/forest.jpg Photos; heard forest.jpg
            umount Photos; heard 'Photos was unmounted'
            sleep 2; touch Photos/NOT_MOUNTED; sleep 2
            mount -t tmpfs none Photos; cp $fixtures/forest.jpg $fixtures/slate.png Photos; heard slate.png
            """)
        #expect(run.lines == ["0"], "\(run.err)")
        // What lies under the mount point is not the disk.
        #expect(!run.err.contains("forest.jpg  (missing)"), "\(run.err)")
    }
}
