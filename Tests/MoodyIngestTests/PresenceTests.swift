import Foundation
import Glibc
import TestSupport
import Testing

@testable import MoodyIngest

@Suite struct PresenceTests {
    /// One row of the table: what lies on the disk, what was asked, what must come of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let what: String
        /// Files, and folders with a slash at the end.
        let disk: [String]
        var named = ["root"], remembered: [String] = [], exclude: [String] = []
        var path = "root/sub/a.png"
        var hasTwin = false
        let state: Presence.State

        var testDescription: String { what }
    }

    static let cases: [Case] = [
        Case(what: "a file", disk: ["root/sub/a.png"], state: .there),
        Case(what: "a folder of the photo's name", disk: ["root/sub/a.png/"], state: .missing),
        Case(what: "its folder holds others", disk: ["root/sub/b.png"], state: .missing),
        Case(what: "its folder is empty, its root is not", disk: ["root/sub/"], state: .missing),
        Case(what: "its folder is gone, its root is not", disk: ["root/b.png"], state: .missing),
        Case(what: "a file where its folder was", disk: ["root/sub"], state: .missing),
        Case(what: "a hidden file is something", disk: ["root/.DS_Store"], state: .missing),
        Case(what: "an empty root", disk: ["root/"], state: .unknown(.empty)),
        Case(what: "a root that is away", disk: ["other/"], state: .unknown(.away)),
        Case(
            what: "the innermost root is empty", disk: ["root/b.png", "root/sub/"],
            named: ["root", "root/sub"], state: .unknown(.empty)),
        Case(
            what: "the innermost root is away", disk: ["root/b.png"], named: ["root", "root/sub"],
            state: .unknown(.away)),
        Case(
            what: "the innermost root is there, hidden from the outer one", disk: ["root/.sub/b.png"],
            named: ["root", "root/.sub"], path: "root/.sub/a.png", state: .missing),
        Case(
            what: "excluded, its folder holds others", disk: ["root/sub/b.png"], exclude: ["*.png"],
            state: .missing),
        Case(
            what: "excluded, its folder is empty", disk: ["root/sub/", "root/b"], exclude: ["sub/"],
            state: .unknown(.excluded)),
        Case(
            what: "excluded, its folder is gone", disk: ["root/b"], exclude: ["sub/"],
            state: .unknown(.excluded)),
        Case(
            what: "excluded, and elsewhere now", disk: ["root/b"], exclude: ["sub/"], hasTwin: true,
            state: .missing),
        Case(what: "no root, its folder holds others", disk: ["root/sub/b"], named: [], state: .missing),
        Case(what: "no root, its folder is empty", disk: ["root/sub/"], named: [], state: .unknown(.empty)),
        Case(what: "no root, its folder is away", disk: ["root/b"], named: [], state: .unknown(.away)),
        Case(
            what: "a remembered root is there", disk: ["root/b"], named: [], remembered: ["root"],
            state: .missing),
        Case(
            what: "a remembered root is empty", disk: ["root/"], named: [], remembered: ["root"],
            state: .unknown(.empty)),
        Case(
            what: "a remembered root is away", disk: ["other/"], named: [], remembered: ["root"],
            state: .unknown(.away)),
        Case(
            what: "a root of this run counts before one inside that is remembered", disk: ["root/b"],
            remembered: ["root/sub"], state: .missing),
        Case(
            what: "a named file that is gone is no root", disk: ["root/b"],
            named: ["root", "root/sub/a.png"],
            state: .missing),
    ]

    @Test(arguments: cases) func `what cannot be seen is missing or unknown`(_ row: Case) throws {
        let folder = try ScratchFolder()
        for name in row.disk {
            if name.hasSuffix("/") {
                try FileManager.default.createDirectory(
                    at: folder.url.appending(path: name), withIntermediateDirectories: true)
            } else {
                try folder.write(Data(), to: name)
            }
        }
        func path(_ name: String) -> BytePath { BytePath(folder.url.path + "/" + name) }
        var filter = FileFilter()
        filter.exclude = row.exclude.map { Glob($0) }
        let presence = Presence(
            named: row.named.map(path), remembered: Set(row.remembered.map(path)), filter: filter)
        #expect(presence.state(of: path(row.path), hasTwin: row.hasTwin) == row.state)
    }

    @Test func `what the system will not tell is unknown`() throws {
        let folder = try ScratchFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.path + "/loop", withDestinationPath: "loop")
        let presence = Presence(named: [BytePath(folder.url.path)])
        #expect(
            presence.state(of: BytePath(folder.url.path + "/loop/a.png"))
                == .unknown(.unreadable(FileError(code: ELOOP))))
        let long = BytePath(folder.url.path + "/" + String(repeating: "x", count: 300))
        #expect(presence.state(of: long) == .unknown(.unreadable(FileError(code: ENAMETOOLONG))))
    }

    @Test func `a folder is looked at once, and anew by a fresh instance`() throws {
        let folder = try ScratchFolder(), root = BytePath(folder.url.path)
        let presence = Presence(named: [root])
        #expect(presence.folder(root) == .empty)
        try folder.write(Data(), to: "b")
        #expect(presence.folder(root) == .empty)
        #expect(presence.fresh().folder(root) == .filled)
    }

    @Test func `a path is resolved as far as it is there, without dots in the rest`() throws {
        let folder = try ScratchFolder()
        try folder.write(Data(), to: "real/x")
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.path + "/link", withDestinationPath: "real")
        func resolved(_ name: String) throws -> String {
            let path = try BytePath(folder.url.path + "/" + name).resolvedAsFarAsItGoes().description
            return String(path.dropFirst(folder.url.path.count + 1))
        }
        for name in ["link/gone/a.png", "link//gone/./a.png", "./real/x/../gone/b/../a.png/"] {
            #expect(try resolved(name).hasSuffix("real/gone/a.png"), "\(name)")
        }
        #expect(try resolved("link/x") == "real/x")
    }
}
