/// The head of a request, as far as the server looks at it; knows no HTTP library.
struct RequestHead: Sendable {
    var method: String
    /// Path and query as they were sent.
    var target: String
    /// The values of all `Host` fields.
    var hosts: [String]
    /// Names in lower case.
    var fields: [(name: String, value: String)]

    init(
        _ method: String, _ target: String, hosts: [String] = [],
        _ fields: [(name: String, value: String)] = []
    ) {
        (self.method, self.target, self.hosts) = (method, target, hosts)
        self.fields = fields.map { ($0.name.lowercased(), $0.value) }
    }

    /// The value of a field; nil when there is none.
    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }
    func values(_ name: String) -> [String] { fields.filter { $0.name == name }.map(\.value) }

    /// The target up to its query, undecoded.
    var path: Substring { target.prefix { $0 != "?" } }

    /// The parameters of the query, decoded, in their order; nil when an escape is broken.
    var query: [(name: String, value: String)]? {
        guard let mark = target.firstIndex(of: "?") else { return [] }
        var pairs: [(name: String, value: String)] = []
        for part in target[target.index(after: mark)...].split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(halves[0]),
                let value = Self.decoded(halves.count > 1 ? halves[1] : "")
            else { return nil }
            pairs.append((name, value))
        }
        return pairs
    }

    /// `%41+b` as `A b`; nil for a broken escape and for what is not UTF-8.
    static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = [], rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
                else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// The value of a cookie; nil when there is none.
    func cookie(_ name: String) -> String? {
        for field in values("cookie") {
            for part in field.split(separator: ";") {
                let pair = part.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                if pair.count == 2, pair[0] == name { return String(pair[1]) }
            }
        }
        return nil
    }

    /// Whether the request changes something.
    var writes: Bool { !["GET", "HEAD", "OPTIONS"].contains(method) }
}
