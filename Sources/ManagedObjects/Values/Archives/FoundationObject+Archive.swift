import Foundation

extension KeyedArchiveWriter {
    /// - Returns: the object's number.
    mutating func add(_ object: FoundationObject) -> Int {
        switch object {
        case .null: return addObject([], ["NSNull", "NSObject"])
        case .bool(let value): return add(plain: .bool(value))
        case .int(let value): return add(plain: .int(value))
        case .double(let value): return add(plain: .real(value))
        case .decimal(let value): return addObject(Self.fields(of: value), Self.decimalNames)
        case .text(let value): return add(text: value)
        case .date(let value):
            let seconds = Value.real(value.timeIntervalSinceReferenceDate)
            return addObject([("NS.time", seconds)], ["NSDate", "NSObject"])
        case .data(let value): return addObject([("NS.data", .data(value))], ["NSData", "NSObject"])
        case .url(let value):
            let base = value.baseURL.map { add(.url($0)) }
            let relative = add(text: value.relativeString)
            return addObject(
                [("NS.base", .reference(base ?? 0)), ("NS.relative", .reference(relative))],
                ["NSURL", "NSObject"])
        case .uuid(let value):
            let bytes = Data(storedValue: value.storedValue)
            return addObject([("NS.uuidbytes", .data(bytes))], ["NSUUID", "NSObject"])
        case .array(let elements):
            return addObject([("NS.objects", list(elements))], ["NSArray", "NSObject"])
        case .set(let elements):
            return addObject([("NS.objects", list(Self.sorted(elements) { $0 }))], ["NSSet", "NSObject"])
        case .dictionary(let entries):
            let sorted = Self.sorted(entries, key: \.key)
            let keys = list(sorted.map(\.key))
            return addObject(
                [("NS.keys", keys), ("NS.objects", list(sorted.map(\.value)))],
                ["NSDictionary", "NSObject"])
        }
    }

    private mutating func list(_ objects: [FoundationObject]) -> Value {
        .list(objects.map { .reference(add($0)) })
    }

    /// Equal sets and dictionaries of texts and numbers have equal archives.
    private static func sorted<Elements: Collection>(
        _ elements: Elements, key: (Elements.Element) -> FoundationObject
    ) -> [Elements.Element] {
        let keyed = elements.map { element in (name: key(element).sortName, element: element) }
        return keyed.sorted { $0.name < $1.name }.map(\.element)
    }

    private static let decimalNames = ["NSDecimalNumber", "NSNumber", "NSValue", "NSObject"]

    private static func fields(of decimal: Decimal) -> [(String, Value)] {
        let mantissa = UInt128("\(decimal.significand)") ?? 0
        let bytes = (0..<16).map { UInt8(truncatingIfNeeded: mantissa >> ($0 * 8)) }
        let length = (UInt128.bitWidth - mantissa.leadingZeroBitCount + 15) / 16
        return [
            ("NS.exponent", .int(Int64(decimal.isNaN ? 0 : decimal.exponent))),
            ("NS.length", .int(Int64(length))), ("NS.negative", .bool(decimal.sign == .minus)),
            ("NS.compact", .bool(true)), ("NS.mantissa.bo", .int(1)), ("NS.mantissa", .data(Data(bytes))),
        ]
    }
}

extension FoundationObject {
    fileprivate var sortName: String {
        switch self {
        case .text(let text): text
        case .array, .set, .dictionary: ""
        default: "\(self)"
        }
    }
}

extension ArchivedValue {
    /// - Parameter greatestSize: The greatest number of objects, where one that stands in several places
    ///   counts at each.
    /// - Throws: ``ArchiveError`` for a class that is not allowed, and for what is none of its class.
    func foundationObject(greatestSize: Int) throws(ArchiveError) -> FoundationObject {
        var reader = FoundationObjectReader(greatestSize: greatestSize)
        return try reader.object(self, depth: 0).object
    }
}

/// Reads each object of an archive once. Objects that contain themselves are an error.
private struct FoundationObjectReader {
    private static let greatestDepth = 100

    private let greatestSize: Int
    private var known: [Int: (object: FoundationObject, size: Int)] = [:]

    init(greatestSize: Int) { self.greatestSize = greatestSize }

    mutating func object(_ value: ArchivedValue, depth: Int) throws(ArchiveError)
        -> (object: FoundationObject, size: Int)
    {
        if let found = known[value.identity] { return found }
        if depth > Self.greatestDepth {
            throw ArchiveError("objects in each other, more than \(Self.greatestDepth) deep")
        }
        let found = try read(value, depth: depth + 1)
        if found.size > greatestSize { throw ArchiveError("more objects than an archive of its size has") }
        known[value.identity] = found
        return found
    }

    private mutating func read(_ value: ArchivedValue, depth: Int) throws(ArchiveError)
        -> (object: FoundationObject, size: Int)
    {
        switch value.className {
        case "NSArray", "NSMutableArray":
            let (elements, size) = try objects(value, "NS.objects", depth)
            return (.array(elements), size)
        case "NSSet", "NSMutableSet":
            let (elements, size) = try objects(value, "NS.objects", depth)
            let set = Set(elements)
            if set.count < elements.count { throw ArchiveError("a set with equal elements") }
            return (.set(set), size)
        case "NSDictionary", "NSMutableDictionary":
            let (keys, keySize) = try objects(value, "NS.keys", depth)
            let (values, size) = try objects(value, "NS.objects", depth)
            let entries = Dictionary(zip(keys, values)) { first, _ in first }
            if keys.count != values.count || entries.count < keys.count {
                throw ArchiveError("a dictionary with equal keys, or a key without its value")
            }
            return (.dictionary(entries), keySize + size)
        case let name: return (try plain(value, name), 1 + (value.bytes?.count ?? 0) / 16)
        }
    }

    private mutating func objects(_ value: ArchivedValue, _ key: String, _ depth: Int) throws(ArchiveError)
        -> ([FoundationObject], size: Int)
    {
        guard let elements = value.objects(key) else { throw ArchiveError("a list without its objects") }
        var found: [FoundationObject] = []
        found.reserveCapacity(elements.count)
        var size = 1
        for element in elements {
            let read = try object(element, depth: depth)
            found.append(read.object)
            size += read.size
            // Before they are hashed.
            if size > greatestSize { throw ArchiveError("more objects than an archive of its size has") }
        }
        return (found, size)
    }

    private func plain(_ value: ArchivedValue, _ className: String?) throws(ArchiveError) -> FoundationObject
    {
        let found: FoundationObject? =
            switch className {
            case nil: number(value) ?? value.text.map { .text($0) } ?? value.bytes.map { .data(Data($0)) }
            case "NSNull": .null
            case "NSString", "NSMutableString": value.text.map { .text($0) }
            case "NSData", "NSMutableData": value.bytes.map { .data(Data($0)) }
            case "NSDecimalNumber": value.decimal.map { .decimal($0) }
            case "NSDate": value.date.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
            case "NSURL": try url(value, depth: 0).map { .url($0) }
            case "NSUUID": value["NS.uuidbytes"]?.bytes.flatMap { UUID(bytes: $0) }.map { .uuid($0) }
            case let name?: throw ArchiveError("an object of the class \(name), which is not allowed here")
            }
        guard let found else {
            throw ArchiveError("an object of \(className ?? "no class") without its value")
        }
        return found
    }

    private func number(_ value: ArchivedValue) -> FoundationObject? {
        if value.isBool { return .bool(value.int == 1) }
        return value.isReal ? value.double.map { .double($0) } : value.int.map { .int($0) }
    }

    private func url(_ value: ArchivedValue, depth: Int) throws(ArchiveError) -> URL? {
        guard let text = value["NS.relative"]?.text else { return nil }
        guard let base = value["NS.base"] else { return URL(string: text) }
        if depth > Self.greatestDepth { throw ArchiveError("a URL whose base is itself") }
        return try url(base, depth: depth + 1).flatMap { URL(string: text, relativeTo: $0) }
    }
}

extension UUID {
    /// Nil for another number of bytes than 16.
    fileprivate init?(bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.init(storedValue: .blob(Data(bytes)))
    }
}
