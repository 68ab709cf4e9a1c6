/// A fetch request that a model has under a name.
///
/// Names with a dollar in the format, as in `date > $CUTOFF`, stand for values that are given when it is
/// used.
public struct FetchRequestTemplate: Sendable, Equatable {
    /// The name of the entity.
    public let entityName: String
    /// As ``Filter/init(format:_:)`` reads it; nil for all objects.
    public let format: String?
    /// 0 for all.
    public let limit: Int

    /// The name of the entity.
    public init(entityName: String, format: String? = nil, limit: Int = 0) {
        (self.entityName, self.format, self.limit) = (entityName, format, limit)
    }

    /// The format with `%@` for each variable, and what stands there.
    func substituting(_ values: [String: Any?]) throws(FetchError) -> (format: String, arguments: [Any?]) {
        do {
            return try substituting { name, path in
                guard path.isEmpty, let value = values[name] else {
                    throw FetchError.unsupported("no value for $\(path.isEmpty ? name : "\(name).\(path)")")
                }
                return value
            }
        } catch let error as FetchError { throw error } catch { throw .unsupported("\(error)") }
    }

    /// - Parameter value: of a variable, or what is at the end of a path from it.
    func substituting(_ value: (_ name: String, _ path: String) throws -> Any?) throws -> (
        format: String, arguments: [Any?]
    ) {
        var result = "", arguments: [Any?] = [], quote: Character?
        var rest = Substring(format ?? "")
        // A subquery's own variables stay.
        let own = Set((format ?? "").matches(of: /(?i)SUBQUERY\s*\([^,]*,\s*\$(\w+)\s*,/).map(\.1))
        while let next = rest.first {
            rest.removeFirst()
            if let open = quote {
                // What stands behind a backslash does not end the text.
                if next == "\\", let escaped = rest.popFirst() {
                    result += String([next, escaped])
                    continue
                }
                if next == open { quote = nil }
            } else if next == "'" || next == "\"" {
                quote = next
            } else if next == "$" {
                let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                rest = rest.dropFirst(name.count)
                if own.contains(name) {
                    result += "$" + name
                    continue
                }
                let path =
                    rest.first == "." ? rest.prefix { $0.isLetter || $0.isNumber || "._".contains($0) } : ""
                rest = rest.dropFirst(path.count)
                result += "%@"
                arguments.append(try value(String(name), String(path.dropFirst())))
                continue
            }
            result.append(next)
        }
        return (result, arguments)
    }
}

/// A request that every object of an entity has, with the object as `$FETCH_SOURCE`.
public struct FetchedPropertyDescription: Sendable, Equatable {
    /// The name of the fetched property.
    public let name: String
    /// The request that fetches its objects.
    public let request: FetchRequestTemplate
    /// Texts that a program attaches; no part of the version hash.
    public let userInfo: [String: String]
}
