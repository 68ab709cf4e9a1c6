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
        for kind in 0..<4 {
            var bytes = (0..<count).map { offset -> UInt8 in
                kind == 0 ? 7 : kind == 1 ? UInt8(offset % 251) : UInt8.random(in: 0...255, using: &random)
            }
            // What comes again farther back than the 32,768 bytes that RFC 1951 can point to.
            if kind == 3 { bytes = Array(bytes.prefix(count / 2) + bytes.prefix(count / 2)) }
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
                + "parts += [bytes(range(251)) * 300]; "
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
            ([0x80, 0x07], "UID(7)"), ([0x81, 0x01, 0x02], "UID(258)"), ([0x83, 0, 1, 0, 2], "UID(65538)"),
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
            case .uid(let number): "UID(\(number))"
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

    /// At the bounds of what one, two, four, and eight bytes hold; a text is ASCII or has two bytes a unit.
    @Test func `numbers and texts of an archive are what another reader says`() throws {
        let numbers: [Int64] = [
            0, 1, 255, 256, 257, 65_535, 65_536, 4_294_967_295, 4_294_967_296, -1, .max, .min,
        ]
        let texts = ["~", "\u{7F}", "\u{80}", "\u{E9}", "\u{FF}", "\u{100}", "\u{1F3A8}"]
        var writer = KeyedArchiveWriter()
        let root = writer.add(list: numbers.map { .int($0) } + texts.map { writer.add($0) })
        guard case .reference(let number) = root else { return }
        let folder = try ScratchFolder(), url = folder.url.appending(path: "a")
        try Data(writer.encoded(root: number)).write(to: url)
        let told = try shell(
            """
            python3 - '\(url.path)' <<'PY'
            import plistlib, sys
            p = plistlib.load(open(sys.argv[1], 'rb'))
            o = p['$objects']
            for x in o[p['$top']['root'].data]['NS.objects']:
                print(ascii(o[x.data] if isinstance(x, plistlib.UID) else x))
            PY
            """)
        let wanted =
            numbers.map { "\($0)" } + [
                "'~'", "'\\x7f'", "'\\x80'", "'\\xe9'", "'\\xff'", "'\\u0100'", "'\\U0001f3a8'",
            ]
        #expect(told == wanted.joined(separator: "\n") + "\n")
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

    // MARK: Property lists and values in archives

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func `a property list of every kind is the same for Python, both ways`(
        format: PropertyListSerialization.PropertyListFormat
    ) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "list")
        let values: [String: PropertyListValue] = [
            "a": .text("caf\u{E9} <&>"), "b": .bool(true), "c": .bool(false), "d": .number(1),
            "e": .number(0),
            "f": .number(.max), "g": .number(-1), "h": .real(0.5), "i": .data(Data([0, 255])),
            "j": .date(Date(timeIntervalSinceReferenceDate: 86_400)), "k": .list([.number(1), .text("x")]),
            "l": .list([]), "m": .dictionary(["k": .bool(true)]), "n": .dictionary([:]), "o": .text(""),
        ]
        let encoder = PropertyListEncoder()
        encoder.outputFormat = format
        try encoder.encode(values).write(to: url)
        let told = try shell(
            """
            python3 - '\(url.path)' <<'PY'
            import plistlib, sys
            path = sys.argv[1]
            kind = plistlib.FMT_BINARY if open(path, 'rb').read(6) == b'bplist' else plistlib.FMT_XML
            values = plistlib.load(open(path, 'rb'))
            print(*(f"{k}={values[k]!r}" for k in sorted(values)), sep=";")
            plistlib.dump(values, open(path + '2', 'wb'), fmt=kind)
            PY
            """)
        #expect(
            told == """
                a='caf\u{E9} <&>';b=True;c=False;d=1;e=0;f=9223372036854775807;g=-1;h=0.5;i=b'\\x00\\xff';\
                j=datetime.datetime(2001, 1, 2, 0, 0);k=[1, 'x'];l=[];m={'k': True};n={};o=''

                """)
        let again = try PropertyListDecoder().decode(
            [String: PropertyListValue].self, from: Data(contentsOf: URL(filePath: "\(url.path)2")))
        #expect(again == values)
    }

    private typealias Value = KeyedArchiveWriter.Value

    /// An archive of one object of Foundation's, or of a number or text that stands for itself.
    private func archived(_ fields: [(String, Value)], _ name: String = "NSObject") throws -> ArchivedValue {
        var writer = KeyedArchiveWriter()
        let root = writer.reserve()
        writer.put(fields, [name, "NSObject"], at: root)
        return try #require(try KeyedArchive(writer.encoded(root: root)).root)
    }

    @Test(arguments: [15, 16, 17])
    func `a UUID in an archive has 16 bytes`(count: Int) throws {
        let bytes = Data((0..<count).map { UInt8($0) })
        let value = try archived([("NS.uuidbytes", .data(bytes))], "NSUUID")
        #expect(AttributeType.uuid.storedValue(archived: value) == (count == 16 ? .blob(bytes) : nil))
    }

    /// `NSDecimalNumber`: eight digits to the base of 65,536, the lowest first.
    @Test(
        arguments: [
            ([1], 0, false, 1, "1"), ([0, 1], 0, false, 1, "65536"), ([1, 1], 0, true, 1, "-65537"),
            ([5], -1, false, 1, "0.5"), ([12], 2, false, 1, "1200"), ([0x0102], 0, false, 2, "258"),
            ([0, 0, 0, 1], 0, false, 2, "281474976710656"),
            (
                [0, 0, 0, 0, 0, 0, 0, 1], 0, false, 1,
                "5192296858534827628530496329220096"
            ),
            ([3], -128, false, 1, "3E-128"), ([3], 127, false, 1, "3E127"), ([3], 128, false, 1, "nil"),
            ([3], -129, false, 1, "nil"),
        ] as [([UInt16], Int64, Bool, Int64, String)])
    func `a decimal in an archive has its digits, its exponent, and its sign`(
        digits: [UInt16], exponent: Int64, isNegative: Bool, order: Int64, wanted: String
    ) throws {
        var bytes = Data()
        for index in 0..<8 {
            let digit = index < digits.count ? digits[index] : 0,
                pair = [UInt8(digit & 255), UInt8(digit >> 8)]
            bytes += order == 2 ? pair.reversed() : pair
        }
        let value = try archived(
            [
                ("NS.mantissa", .data(bytes)), ("NS.exponent", .int(exponent)),
                ("NS.negative", .bool(isNegative)), ("NS.mantissa.bo", .int(order)),
            ], "NSDecimalNumber")
        let found = AttributeType.decimal.storedValue(archived: value)
        #expect(found == (wanted == "nil" ? nil : Decimal(string: wanted, locale: nil)?.storedValue))
    }

    @Test func `a value in an archive is one of its attribute's type`() throws {
        let values: [(type: AttributeType, value: Value, wanted: StoredValue?)] = [
            (.integer16, .int(-3), .int(-3)), (.integer16, .int(40_000), nil),
            (.integer32, .real(2.75), .int(2)),
            (.integer64, .real(1e300), .int(.max)), (.integer64, .real(-1e300), .int(.min)),
            (.integer64, .real(.nan), .int(0)), (.boolean, .int(7), .int(1)),
            (.boolean, .bool(false), .int(0)),
            (.double, .int(2), .double(2)), (.float, .real(0.5), .double(0.5)),
            (.string, .text("x"), .text("x")),
            (.string, .int(1), nil), (.binaryData, .data(Data([1])), .blob(Data([1]))),
            (.decimal, .int(7), Decimal(7).storedValue), (.transformable, .data(Data([1])), nil),
        ]
        for (type, value, wanted) in values {
            let object = try archived([("value", value)])
            let found = type.storedValue(archived: try #require(object["value"]))
            if let wanted {
                #expect(found?.isIdentical(to: wanted) == true, "\(type) \(value)")
            } else {
                #expect(found == nil, "\(type) \(value)")
            }
        }
    }

    @Test func `an archive is shown with all that is in it, as deep as 16`() throws {
        var writer = KeyedArchiveWriter()
        func add(_ fields: [(String, Value)], _ name: String) -> Value {
            writer.add(fields, [name, "NSObject"])
        }
        let mantissa = Data([5] + [UInt8](repeating: 0, count: 15))
        let list = [
            writer.add("a\"b"), .bool(true), .bool(false), .int(-1), .real(0.5),
            add([("NS.uuidbytes", .data(Data(0..<16)))], "NSUUID"),
            add([("NS.uuidbytes", .data(Data(0..<8)))], "NSUUID"),
            add([("NS.mantissa", .data(mantissa)), ("NS.exponent", .int(-1))], "NSDecimalNumber"),
            add([("NS.time", .real(1.5))], "NSDate"), add([("NS.data", .data(Data(count: 3)))], "NSData"),
            add([("NS.relative", writer.add("a:b"))], "NSURL"), writer.add(list: []),
            writer.add(dictionary: [("k", .int(1)), ("l", .int(2))]),
            add([("x", .int(1)), ("y", .int(2))], "Thing"),
        ]
        guard case .reference(let root) = writer.add(list: list) else { return }
        #expect(
            ArchivedObject.text(of: Data(writer.encoded(root: root))) == """
                ["a\\"b", true, false, -1, 0.5, 00010203-0405-0607-0809-0A0B0C0D0E0F, \
                NSUUID(NS.uuidbytes: <8 bytes>), 0.5, date(1.5), <3 bytes>, a:b, [], {"k": 1, "l": 2}, \
                Thing(x: 1, y: 2)]
                """)
        for depth in [15, 16, 17] {
            var writer = KeyedArchiveWriter(), value = Value.int(7)
            for _ in 0..<depth { value = writer.add(list: [value]) }
            guard case .reference(let root) = value else { return }
            let text = ArchivedObject.text(of: Data(writer.encoded(root: root)))
            let open = String(repeating: "[", count: min(depth, 17)), inside = depth > 16 ? "…" : "7"
            #expect(text == open + inside + String(repeating: "]", count: min(depth, 17)))
        }
    }

    @Test func `of a long list as much is shown as fits, and that there is more`() throws {
        for count in [100, 3_000] {
            var writer = KeyedArchiveWriter()
            let list = writer.add(list: (0..<count).map { .int(Int64($0 % 10)) })
            guard case .reference(let root) = list else { return }
            let text = try #require(ArchivedObject.text(of: Data(writer.encoded(root: root))))
            #expect(text.hasPrefix("[0, 1, 2, 3, "))
            #expect(text.hasSuffix(count == 100 ? ", 8, 9]" : ", …]"))
            #expect(text.utf8.count < 5_000)
        }
    }

    /// Indexes over parts of the rows and over expressions belong to other programs; where there are
    /// indexes of the newer kind the older marks do not count.
    @Test(arguments: [true, false])
    func `indexes of an archived model are those that a store here can have`(hasIndexes: Bool) throws {
        var writer = KeyedArchiveWriter()
        func add(_ fields: [(String, Value)], _ name: String) -> Value {
            writer.add(fields, [name, "NSObject"])
        }
        func attribute(_ name: String) -> Value {
            add(
                [
                    ("NSPropertyName", writer.add(name)), ("NSAttributeType", .int(700)),
                    ("NSIsIndexed", .bool(true)), ("NSRenamingIdentifier", writer.add(name)),
                    ("NSFlagsKey", .int(name == "a" ? 16 : 4)), ("NSIsOptional", .bool(name == "b")),
                ], "NSAttributeDescription")
        }
        func index(_ name: String, _ property: String?, isDescending: Bool = false, predicate: Value) -> Value
        {
            let element = add(
                [
                    ("NSFetchIndexElementType", .int(0)), ("NSAscending", .bool(!isDescending)),
                    ("NSPropertyName", writer.add(property)),
                ], "NSFetchIndexElementDescription")
            return add(
                [
                    ("NSIndexName", writer.add(name)), ("NSPartialIndexPredicate", predicate),
                    ("NSIndexElements", writer.add(list: [element])),
                ], "NSFetchIndexDescription")
        }
        var fields = [
            ("NSEntityName", writer.add("Thing")),
            ("NSProperties", writer.add(dictionary: [("a", attribute("a")), ("b", attribute("b"))])),
            ("NSCompoundIndexes", writer.add(list: [writer.add(list: [writer.add("a"), writer.add("b")])])),
            (
                "NSUserInfo",
                writer.add(dictionary: [("n", .int(3)), ("t", .bool(true)), ("s", writer.add("x"))])
            ),
        ]
        if hasIndexes {
            let predicate = add([], "NSPredicate")
            fields.append(
                (
                    "NSFetchIndexDescriptions",
                    writer.add(list: [
                        index("part", "a", predicate: predicate),
                        index("none", nil, predicate: .reference(0)),
                        index("up", "a", predicate: .reference(0)),
                        index("down", "b", isDescending: true, predicate: .reference(0)),
                    ])
                ))
        }
        let entity = add(fields, "NSEntityDescription")
        let root = writer.reserve()
        let names = writer.add(list: [writer.add("Thing")])
        writer.put(
            [
                ("NSEntities", writer.add(dictionary: [("Thing", entity)])),
                (
                    "NSConfigurations",
                    writer.add(dictionary: [("PF_DEFAULT_CONFIGURATION_NAME", names), ("mine", names)])
                ),
            ], ["NSManagedObjectModel", "NSObject"], at: root)
        let model = try ArchivedModel(writer.encoded(root: root))
        let found = try #require(model.entities.first)
        #expect(model.configurations == ["mine": ["Thing"]])
        #expect(found.userInfo == ["n": "3", "t": "true", "s": "x"] && found.renamingIdentifier == nil)
        let indexes = found.fetchIndexes.map { index in
            let elements = index.elements.map { $0.property + ($0.isDescending ? "-" : "") }
            return "\(index.name) \(elements.joined(separator: ","))"
        }
        #expect(indexes == (hasIndexes ? ["up a", "down b-"] : ["a_b a,b"]))
        for case .attribute(let attribute) in found.properties {
            #expect(attribute.options.contains(.indexed) == !hasIndexes)
            #expect(attribute.options.contains(.preservedAfterDeletion) == (attribute.name == "a"))
            #expect(attribute.options.contains(.externalStorage) == (attribute.name == "b"))
            #expect(attribute.isOptional == (attribute.name == "b") && attribute.renamingIdentifier == nil)
        }
        #expect(found.properties.count == 2)
    }
}
