import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// The default transformer's archives, compared with Foundation's archiver.
@Suite struct ArchiveTransformerTests {
    private typealias Transformer = ArchiveTransformer<FoundationObject>

    /// Python's writer has equal bytes once, and refers to them: some 1.5 MB that unfold to 100 GB.
    @Test func `a list that refers to the same bytes again and again is refused, not unfolded`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "bomb")
        let write = "open(sys.argv[1], 'wb').write(p.dumps([b'x' * 500000] * 200000, fmt=p.FMT_BINARY))"
        _ = try shell("python3 -c \"import plistlib as p, sys; \(write)\" '\(url.path)'")
        let data = try Data(contentsOf: url)
        #expect(data.count < 2_000_000)
        #expect(throws: DecodingError.self) { try BinaryPropertyListDecoder.decode([Data].self, from: data) }
    }

    @Test func `a value goes to Foundation's archiver and back, both ways`() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var random = SplitMix64(seed: seed)
        for round in 0..<400 {
            let object = random.object(depth: 4)
            let ours = Transformer.encode(object)
            #expect(try Transformer.decode(ours) == object, "seed \(seed), round \(round)")
            let read = try #require(
                try NSKeyedUnarchiver.unarchivedObject(ofClasses: foundationClasses, from: ours) as? NSObject)
            #expect(
                FoundationObject(read) == object, "seed \(seed), round \(round): Foundation reads ours")
            if object.trapsFoundation { continue }
            let theirs = try NSKeyedArchiver.archivedData(
                withRootObject: object.boxed, requiringSecureCoding: true)
            #expect(try Transformer.decode(theirs) == object, "seed \(seed), round \(round): we read theirs")
        }
    }

    /// Foundation's archiver for Linux writes no decimals, and resolves URLs.
    @Test func `decimals of every size and URLs with a base come back`() throws {
        let base = try #require(URL(string: "http://a.example/b/"))
        let url = try #require(URL(string: "c?q#f", relativeTo: base))
        let read = try ArchiveTransformer<URL>.decode(ArchiveTransformer.encode(url))
        #expect(read.relativeString == "c?q#f" && read.baseURL == base)
        for text in ["0", "1", "-12.75", "79228162514264337593543950335", "1e-120", "-3e127", "0.1"] {
            let decimal = try #require(Decimal(string: text))
            #expect(try ArchiveTransformer<Decimal>.decode(ArchiveTransformer.encode(decimal)) == decimal)
        }
        #expect(try ArchiveTransformer<Decimal>.decode(ArchiveTransformer.encode(Decimal.nan)).isNaN)
    }

    @Test func `Swift's types are those of Foundation that they stand for, and no others`() throws {
        func again<Value: Archivable & Equatable>(_ value: Value) throws {
            #expect(try ArchiveTransformer<Value>.decode(ArchiveTransformer.encode(value)) == value)
        }
        try again(["a", "e\u{301}"])
        try again([1: [true, false]])
        try again(Set([1.5, 2]))
        try again([Date.distantPast: [UUID()]])
        try again([Data([1]), Data()])
        // Foundation for Linux takes this text for nil.
        try again(["$null"])
        let words = ArchiveTransformer.encode(["a"])
        #expect(throws: (any Error).self) { try ArchiveTransformer<[Int]>.decode(words) }
        #expect(throws: (any Error).self) { try ArchiveTransformer<Set<String>>.decode(words) }
        #expect(throws: (any Error).self) { try ArchiveTransformer<String>.decode(words) }
        // Equal values have equal archives, whatever order they are in.
        let numbers = Dictionary(uniqueKeysWithValues: (0..<100).map { ("\($0)", $0) })
        let others = Dictionary(uniqueKeysWithValues: (0..<100).reversed().map { ("\($0)", $0) })
        #expect(ArchiveTransformer.encode(numbers) == ArchiveTransformer.encode(others))
    }

    @Test func `an object of another class, or one that holds itself, is refused`() throws {
        var writer = KeyedArchiveWriter()
        let other = writer.addObject([("NS.objects", .list([]))], ["NSOrderedSet", "NSObject"])
        #expect(throws: ArchiveError("an object of the class NSOrderedSet, which is not allowed here")) {
            try Transformer.decode(Data(writer.encoded(root: other)))
        }
        let circle = writer.reserve()
        writer.put([("NS.objects", .list([.reference(circle)]))], ["NSArray", "NSObject"], at: circle)
        #expect(throws: ArchiveError.self) { try Transformer.decode(Data(writer.encoded(root: circle))) }
        // Lists of two of the list before: 2 to the 60th objects.
        var last = writer.addObject([("NS.objects", .list([]))], ["NSArray", "NSObject"])
        for _ in 0..<60 {
            let pair = KeyedArchiveWriter.Value.list([.reference(last), .reference(last)])
            last = writer.addObject([("NS.objects", pair)], ["NSArray", "NSObject"])
        }
        #expect(throws: ArchiveError.self) { try Transformer.decode(Data(writer.encoded(root: last))) }
    }

    @Test func `every change of one byte of a coded value is a value or an error`() throws {
        typealias Transformer = CodableTransformer<[String: [Double]]>
        var refused = 0, read = 0
        forEachChange(of: Transformer.encode(["a": [1.5, 2], "é": []])) { data in
            if (try? Transformer.decode(data)) == nil { refused += 1 } else { read += 1 }
        }
        #expect(refused > 1_000 && read > 100)
    }

    @Test func `a coded value is what Foundation's decoder makes of it`() throws {
        struct Inner: Codable, Equatable {
            var unsigned: UInt64, small: Int8, float: Float, url: URL?, uuid: UUID, decimal: Decimal
        }
        enum Kind: Codable, Equatable {
            case none, named(String, [Double?])
        }
        struct Outer: Codable, Equatable {
            var inner: [Inner], kinds: [Kind], byNumber: [Int: Date], data: Data?, nothing: String?,
                flag: Bool
            var nested: [String: [[Int64]]]
        }
        let inner = Inner(
            unsigned: .max, small: -128, float: 0.1, url: URL(string: "http://a/b?c"), uuid: UUID(),
            decimal: Decimal(string: "-12.75")!)
        let value = Outer(
            inner: [inner, inner], kinds: [.none, .named("é", [1, nil, .infinity])],
            byNumber: [3: .distantPast, -1: Date(timeIntervalSinceReferenceDate: 0.25)],
            data: Data([0, 255]), nothing: nil, flag: true, nested: ["a": [[.min, .max], []], "": []])
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let bytes = try encoder.encode(value)
        #expect(try PropertyListDecoder().decode(Outer.self, from: bytes) == value)
        #expect(try BinaryPropertyListDecoder.decode(Outer.self, from: bytes) == value)
        // Neither takes one kind of value for another, or a number that does not fit.
        func isRefused<Other: Codable>(_ value: some Codable, as _: Other.Type) throws -> Bool {
            let bytes = try encoder.encode([value])
            let theirs = try? PropertyListDecoder().decode([Other].self, from: bytes)
            let ours = try? BinaryPropertyListDecoder.decode([Other].self, from: bytes)
            #expect((theirs == nil) == (ours == nil), "\(value) as \(Other.self)")
            return ours == nil
        }
        #expect(try isRefused(300, as: UInt8.self) && isRefused(-1, as: UInt64.self))
        #expect(try isRefused(1.5, as: Int.self) && !isRefused(1, as: Double.self))
        #expect(try isRefused("1", as: Int.self) && isRefused(true, as: Int.self))
        #expect(try isRefused(1, as: Bool.self))
        #expect(try isRefused(Date.now, as: Double.self) && isRefused(Data(), as: String.self))
        #expect(try isRefused([1], as: [String: Int].self) && isRefused(["a": 1], as: [Int].self))
        #expect(try isRefused([String: Int](), as: Inner.self) && !isRefused("a", as: String?.self))
    }

    @Test func `every change of one byte of a binary store is a document or an error`() throws {
        let model = try testModel()
        var document = StoreDocument(identifier: "A", versionHashes: ["B": Data([1])])
        var object = StoreDocument.Object(.init(entity: "Mood", key: 1))
        object.attributes = ["title": .text("é"), "rating": .int(2)]
        object.relationships = ["country": [.init(entity: "Country", key: 1)]]
        document.objects = [object]
        var refused = 0, read = 0
        forEachChange(of: try BinaryStoreFormat().data(of: document, model: model)) { data in
            if (try? BinaryStoreFormat().document(from: data, model: model)) == nil {
                refused += 1
            } else {
                read += 1
            }
        }
        #expect(refused > 1_000 && read > 100)
    }

    @Test func `every change of one byte of a mark of a model's version names a version or none`() throws {
        let folder = try ScratchFolder(), marker = folder.url.appending(path: ".xccurrentversion")
        let text =
            "<plist><dict><key>_XCCurrentVersionName</key><string>A.xcdatamodel</string></dict></plist>"
        var named = 0, count = 0
        try Data(text.utf8).write(to: marker)
        #expect(ManagedObjectModel.markedVersion(inFileAt: folder.url) == "A.xcdatamodel")
        forEachChange(of: Data(text.utf8)) { data in
            let value = try? PropertyListValue(decoding: data).dictionary?["_XCCurrentVersionName"]
            if value != nil { named += 1 }
            count += 1
        }
        #expect(named > 100 && named < count)
    }

    @Test func `every change of one byte of an archive is a value or an error`() throws {
        let objects: FoundationObject = .array([
            .null, .bool(true), .int(-7), .double(1.5), .decimal(Decimal(string: "-12.75")!), .text("aé"),
            .date(Date(timeIntervalSinceReferenceDate: 1)), .data(Data([1, 2])),
            .url(URL(string: "b", relativeTo: URL(string: "http://a/"))!), .uuid(UUID()),
            .set([.int(1)]), .dictionary([.text("k"): .array([])]),
        ])
        var refused = 0, read = 0
        forEachChange(of: Transformer.encode(objects)) { data in
            do {
                _ = try Transformer.decode(data)
                read += 1
            } catch { refused += 1 }
        }
        #expect(refused > 1_000 && read > 1_000)
    }
}

/// Calls `body` with all bytes that differ from `data` in one byte.
private func forEachChange(of data: Data, _ body: (Data) -> Void) {
    var changed = data
    for index in data.indices {
        for value in UInt8.min...UInt8.max where value != data[index] {
            changed[index] = value
            body(changed)
        }
        changed[index] = data[index]
    }
}

private let foundationClasses: [AnyClass] = [
    NSNull.self, NSNumber.self, NSDecimalNumber.self, NSString.self, NSDate.self, NSData.self, NSURL.self,
    NSUUID.self, NSArray.self, NSSet.self, NSDictionary.self,
]

extension FoundationObject {
    fileprivate var boxed: NSObject {
        switch self {
        case .null: NSNull()
        case .bool(let value): NSNumber(value: value)
        case .int(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .decimal(let value): NSDecimalNumber(decimal: value)
        case .text(let value): NSString(string: value)
        case .date(let value):
            NSDate(timeIntervalSinceReferenceDate: value.timeIntervalSinceReferenceDate)
        case .data(let value): NSData(data: value)
        case .url(let value): NSURL(string: value.relativeString, relativeTo: value.baseURL)!
        case .uuid(let value): NSUUID(uuidString: value.uuidString)!
        case .array(let values): NSArray(array: values.map(\.boxed))
        case .set(let values): NSSet(array: values.map(\.boxed))
        case .dictionary(let values):
            NSDictionary(objects: values.map(\.value.boxed), forKeys: values.map(\.key.boxed))
        }
    }

    /// Nil for an object of another class.
    fileprivate init?(_ object: NSObject) {
        switch object {
        case is NSNull: self = .null
        case let number as NSDecimalNumber: self = .decimal(number.decimalValue)
        case let number as NSNumber:
            switch unsafe UInt8(number.objCType.pointee) {
            case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .double(number.doubleValue)
            case UInt8(ascii: "c"), UInt8(ascii: "B"): self = .bool(number.boolValue)
            default: self = .int(number.int64Value)
            }
        case let text as NSString: self = .text(text.substring(from: 0))
        case let date as NSDate:
            self = .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate))
        case let data as NSData: self = .data(Data(referencing: data))
        case let url as NSURL:
            self = .url(URL(string: url.relativeString, relativeTo: url.baseURL)!)
        case let uuid as NSUUID: self = .uuid(UUID(uuidString: uuid.uuidString)!)
        case let list as NSArray:
            self = .array((0..<list.count).compactMap { Self(boxed: list.object(at: $0)) })
        case let set as NSSet: self = .set(Set(set.allObjects.compactMap { Self(boxed: $0) }))
        case let entries as NSDictionary:
            var found: [FoundationObject: FoundationObject] = [:]
            for key in entries.allKeys {
                if let name = Self(boxed: key) { found[name] = Self(boxed: entries.object(forKey: key)!) }
            }
            self = .dictionary(found)
        default: return nil
        }
    }

    /// Foundation's collections hand out Swift's values for some objects.
    private init?(boxed value: Any) {
        switch value {
        case let text as String: self = .text(text)
        case let date as Date: self = .date(date)
        case let data as Data: self = .data(data)
        case let url as URL: self = .url(url)
        case let uuid as UUID: self = .uuid(uuid)
        case let object as NSObject: self.init(object)
        default: return nil
        }
    }
}

extension SplitMix64 {
    fileprivate mutating func object(depth: Int) -> FoundationObject {
        switch Int.random(in: 0..<(depth == 0 ? 10 : 16), using: &self) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &self))
        case 2: return .int(Int64.random(in: -300...300, using: &self))
        case 3: return .int([Int64.min, .max, 70_000, 5_000_000_000].randomElement(using: &self)!)
        case 4: return .double([0.5, -1e300, 4, .infinity, 1.0 / 3].randomElement(using: &self)!)
        case 5: return .text(text())
        case 6:
            return .date(Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &self)))
        case 7:
            let count = Int.random(in: 0..<300, using: &self)
            return .data(Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }))
        case 8: return .url(URL(string: "http://a.example/c/\(Int.random(in: 0..<9, using: &self))?q#f")!)
        case 9:
            let end = Int.random(in: 10..<99, using: &self)
            return .uuid(UUID(uuidString: "01234567-89AB-CDEF-0123-0000000000\(end)")!)
        case 10, 11: return .array(objects(depth))
        case 12, 13: return .set(Set(objects(depth).filter(\.isKey)))
        default:
            let keys = Set(objects(depth).filter(\.isKey))
            return .dictionary(
                Dictionary(uniqueKeysWithValues: keys.map { ($0, object(depth: depth - 1)) }))
        }
    }

    private mutating func objects(_ depth: Int) -> [FoundationObject] {
        (0..<Int.random(in: 0..<5, using: &self)).map { _ in object(depth: depth - 1) }
    }

    private mutating func text() -> String {
        let parts = ["", "a", "é", "e\u{301}", "\0", "\n", "🦊", "$", "\u{FFFD}", "key"]
        return (0..<Int.random(in: 0..<4, using: &self)).map { _ in parts.randomElement(using: &self)! }
            .joined()
    }
}

extension FoundationObject {
    /// Foundation's archiver for Linux ends the process, at times, where an archive has values that are equal
    /// and have other hashes: 1 and true, a letter composed in two ways, lists of those.
    fileprivate var trapsFoundation: Bool {
        let leaves = leaves
        let numbers = leaves.count {
            switch $0 {
            case .bool, .int, .double: true
            default: false
            }
        }
        let texts = leaves.compactMap { if case .text(let text) = $0 { text } else { nil } }
        let isComposed = texts.contains { $0.unicodeScalars.contains("\u{301}") || $0.contains("é") }
        return depth > 1 || numbers > 1 || isComposed || Set(leaves).count < leaves.count
    }

    private var depth: Int {
        switch self {
        case .array(let elements): 1 + (elements.map(\.depth).max() ?? 0)
        case .set(let elements): 1 + (elements.map(\.depth).max() ?? 0)
        case .dictionary(let entries): 1 + (entries.values.map(\.depth).max() ?? 0)
        default: 0
        }
    }

    private var leaves: [FoundationObject] {
        switch self {
        case .array(let elements): elements.flatMap(\.leaves)
        case .set(let elements): elements.flatMap(\.leaves)
        case .dictionary(let entries): entries.flatMap { $0.key.leaves + $0.value.leaves }
        default: [self]
        }
    }

    /// Foundation takes numbers of different kinds for equal, and so keeps one of them.
    fileprivate var isKey: Bool {
        switch self {
        case .text, .date, .data, .uuid: true
        default: false
        }
    }
}
