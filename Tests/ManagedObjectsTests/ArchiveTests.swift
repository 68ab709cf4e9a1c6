import Foundation
import GRDB
import TestSupport
import Testing

@testable import ManagedObjects

/// Keyed archives, property lists and compressed data, of our writing and of others'.
@Suite struct ArchiveTests {
    private let stores = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "Fixtures/Stores")

    @Test(arguments: [0, 1, 3, 100, 70_000])
    func `what was compressed is the same again, for us and for zlib`(count: Int) throws {
        var random = SystemRandomNumberGenerator()
        for kind in 0..<3 {
            let bytes = (0..<count).map { offset -> UInt8 in
                kind == 0 ? 7 : kind == 1 ? UInt8(offset % 251) : UInt8.random(in: 0...255, using: &random)
            }
            let compressed = Deflate.compress(bytes)
            #expect(try Deflate.decompress(compressed) == bytes)
            let folder = try ScratchFolder(), url = folder.url.appending(path: "c")
            try Data(compressed).write(to: url)
            let told = try shell(
                "python3 -c \"import zlib; b = zlib.decompress(open('\(url.path)','rb').read(), -15); "
                    + "print(len(b), sum(b))\"")
            #expect(told == "\(bytes.count) \(bytes.reduce(0) { $0 + Int($1) })\n")
        }
    }

    /// A full flush ends with a block of no stored bytes, which begins at a whole byte; level 0 stores all.
    @Test(arguments: [
        "6, zlib.Z_FULL_FLUSH", "6, zlib.Z_SYNC_FLUSH", "0, zlib.Z_NO_FLUSH", "9, zlib.Z_BLOCK",
    ])
    func `what zlib compressed in parts, some of them stored, is read`(kind: String) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "c")
        let told = try shell(
            "python3 -c \"import sys, zlib; level, flush = \(kind); c = zlib.compressobj(level, 8, -15); "
                + "parts = [b'fog ' * n + bytes(range(n)) for n in (1, 7, 100, 3)]; "
                + "whole = b''.join(c.compress(p) + c.flush(flush) for p in parts) + c.flush(); "
                + "open('\(url.path)', 'wb').write(whole); "
                + "print(b''.join(parts).hex())\"")
        let bytes = try Deflate.decompress([UInt8](Data(contentsOf: url)))
        #expect(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\n" == told)
    }

    /// Written by hand; Python's plistlib is asked what it reads.
    @Test(
        arguments: [
            ([0x22, 0x3F, 0xC0, 0, 0], "1.5"), ([0x22, 0xC2, 0x28, 0, 0], "-42.0"),
            ([0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], "1.5"),
            ([0x10, 0xFF], "255"), ([0x11, 0xFF, 0xFE], "65534"),
            ([0x12, 0xFF, 0xFF, 0xFF, 0xFD], "4294967293"),
            ([0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE], "-2"), ([0x08], "False"),
            ([0x09], "True"),
            ([0x62, 0x00, 0xE4, 0x00, 0x21], "ä!"), ([0x52, 0x61, 0x21], "a!"),
        ] as [([UInt8], String)])
    func `a value of a property list is what another reader says`(value: [UInt8], text: String) throws {
        var bytes = Array("bplist00".utf8) + value
        let table = UInt8(bytes.count)
        bytes += [8] + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8)
        bytes += [0, 0, 0, 0, 0, 0, 0, table]
        let folder = try ScratchFolder(), url = folder.url.appending(path: "p")
        try Data(bytes).write(to: url)
        let told = try shell(
            "python3 -c \"import plistlib; print(plistlib.load(open('\(url.path)', 'rb')))\"")
        #expect(told == text + "\n")
        let read =
            switch try BinaryPropertyList(bytes).nodes[0] {
            case .bool(let value): value ? "True" : "False"
            case .int(let value): "\(value)"
            case .real(let value): "\(value)"
            case .text(let value): value
            default: "another"
            }
        #expect(read == text)
    }

    /// As older systems wrote an ordered set: an object under a key of its own each, in no order.
    @Test func `an ordered set whose objects have numbers is in their order`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "p")
        let script = """
            import plistlib, sys
            root = {'$class': plistlib.UID(2), 'NS.object.count': 12}
            for n in range(11, -1, -1): root['NS.object.%d' % n] = plistlib.UID(3 + n)
            names = {'$classname': 'NSOrderedSet', '$classes': ['NSOrderedSet', 'NSObject']}
            objects = ['$null', root, names] + ['n%d' % n for n in range(12)]
            archive = {'$version': 100000, '$archiver': 'NSKeyedArchiver', '$top': {'root': plistlib.UID(1)}}
            archive['$objects'] = objects
            plistlib.dump(archive, open(sys.argv[1], 'wb'), fmt=plistlib.FMT_BINARY)
            """
        let code = folder.url.appending(path: "write.py")
        try Data(script.utf8).write(to: code)
        _ = try shell("python3 '\(code.path)' '\(url.path)'")
        let root = try #require(try KeyedArchive([UInt8](Data(contentsOf: url))).root)
        #expect(root.elements?.compactMap(\.text) == (0..<12).map { "n\($0)" })
    }

    @Test func `bytes that are no archive are refused, however they are broken`() throws {
        let url = stores.appending(path: "SampleModel_V1.sqlite")
        let folder = try ScratchFolder(), copy = folder.url.appending(path: "S.sqlite")
        try FileManager.default.copyItem(at: url, to: copy)
        let archive = try #require(
            try DatabaseQueue(path: copy.path).read { try StoredModel.cache(in: $0) })
        #expect(try ArchivedModel(archive).entities.count == 4)
        var refused = 0
        for offset in stride(from: 0, to: archive.count, by: 7) {
            for value: UInt8 in [0, 0x5F, 0xAF, 0xFF] {
                var broken = archive
                broken[offset] = value
                do { _ = try ManagedObjectModel(archived: broken) } catch { refused += 1 }
            }
            if (try? ArchivedModel(Array(archive[..<offset]))) != nil {
                Issue.record("\(offset) bytes are enough")
            }
        }
        #expect(refused > 0)
    }

    @Test(arguments: ["SampleModel_V1.sqlite", "SampleModel2_V2.sqlite", "photosgraph.graphdb"])
    func `a model that is archived is the same model`(name: String) throws {
        let model = try ManagedObjectModel(ofStoreAt: stores.appending(path: name))
        let again = try ManagedObjectModel(archived: ModelArchive.bytes(model))
        #expect(again.entityVersionHashes == model.entityVersionHashes)
        #expect(again.configurations == model.configurations)
        for (a, b) in zip(again.entities, model.entities) {
            #expect(a.name == b.name && a.properties.map(\.name) == b.properties.map(\.name))
            #expect(a.declaration.fetchIndexes == b.declaration.fetchIndexes)
            #expect(a.uniquenessConstraints == b.uniquenessConstraints)
        }
    }

    @Test func `a store of ours holds its model, which another reader of archives reads`() throws {
        let folder = try ScratchFolder(), model = try testModel()
        try folder.open("S.sqlite", model).close()
        let url = folder.url.appending(path: "S.sqlite")
        let read = try ManagedObjectModel(ofStoreAt: url)
        #expect(!read.isInferred && read.entityVersionHashes == model.entityVersionHashes)
        let told = try shell(
            """
            python3 - '\(url.path)' <<'PY'
            import sqlite3, zlib, plistlib, sys
            blob = sqlite3.connect(sys.argv[1]).execute('SELECT Z_CONTENT FROM Z_MODELCACHE').fetchone()[0]
            p = plistlib.loads(zlib.decompress(blob, -15))
            o = p['$objects']
            root = o[p['$top']['root'].data]
            print(o[root['$class'].data]['$classname'])
            print(' '.join(sorted(o[k.data] for k in o[root['NSEntities'].data]['NS.keys'])))
            PY
            """)
        let names = model.entities.map(\.name).sorted().joined(separator: " ")
        #expect(told == "NSManagedObjectModel\n\(names)\n")
    }

    /// The tables and indexes of a store, but for those of its history and its triggers.
    private func definitions(_ url: URL) throws -> [String] {
        try DatabaseQueue(path: url.path).read { database in
            try String.fetchAll(
                database,
                sql: """
                    SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('table', 'index') \
                    AND tbl_name NOT LIKE 'A%' ORDER BY sql
                    """)
        }
    }

    /// Without those that a migration by Apple rewrote, whose columns stand in another order.
    @Test(arguments: [
        "SampleModel_V1.sqlite", "SampleModel2_V2.sqlite", "SampleModel3_V1.sqlite", "photosgraph.graphdb",
    ])
    func `a store made of a model that Apple wrote has the tables and indexes that Apple made`(name: String)
        throws
    {
        let folder = try ScratchFolder(), apple = folder.url.appending(path: "apple")
        try FileManager.default.copyItem(at: stores.appending(path: name), to: apple)
        let model = try ManagedObjectModel(ofStoreAt: apple)
        try folder.open("ours", model).close()
        #expect(try definitions(folder.url.appending(path: "ours")) == definitions(apple))
    }
}
