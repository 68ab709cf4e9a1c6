/// The route of a request: path and method. No route takes a path of the file system.
enum Route: Equatable {
    enum Picture: String { case pictures, sharp, large }

    case page
    /// Browsers ask for one by themselves.
    case icon
    case picture(Picture, Int64)
    case list, events, moods, find, status, openapi
    case mood(Int64)
    /// A mood as a text of a shipped template.
    case text(Int64, format: String)
    /// The moods that are like one.
    case similar(Int64)
    case photos
    case delete(Int64)
    case restore(Int64)

    /// - Throws: ``Refusal``: 404 for an unknown path, 405 for another method.
    init(_ head: RequestHead) throws(Refusal) {
        let path = head.path, parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let found = Self.routes(Array(parts))
        if found.isEmpty { throw Refusal(404, "there is nothing at this address") }
        let method = head.method == "HEAD" ? "GET" : head.method
        guard let route = found.first(where: { $0.method == method })?.route else {
            let methods = found.map(\.method).flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] }
            throw Refusal(
                405, "this address takes \(methods.joined(separator: ", "))",
                allow: methods.joined(separator: ", "), closes: head.writes)
        }
        self = route
    }

    private static func routes(_ parts: [Substring]) -> [(method: String, route: Route)] {
        switch parts.count {
        case 1 where parts[0].isEmpty: return [("GET", .page)]
        case 1 where parts[0] == "favicon.ico": return [("GET", .icon)]
        case 2:
            guard let kind = Picture(rawValue: String(parts[0])), parts[1].hasSuffix(".jpg"),
                let id = number(parts[1].dropLast(4))
            else { return [] }
            return [("GET", .picture(kind, id))]
        case 3 where parts[0] == "api" && parts[1] == "v1":
            switch parts[2] {
            case "list": return [("GET", .list)]
            case "events": return [("GET", .events)]
            case "moods": return [("GET", .moods)]
            case "find": return [("GET", .find)]
            case "status": return [("GET", .status)]
            case "openapi.json": return [("GET", .openapi)]
            case "photos": return [("POST", .photos)]
            default: return []
            }
        case 4 where parts[0] == "api" && parts[1] == "v1" && parts[2] == "moods":
            guard let id = number(parts[3]) else { return [] }
            return [("GET", .mood(id)), ("DELETE", .delete(id))]
        case 5 where parts[0] == "api" && parts[1] == "v1" && parts[2] == "moods" && parts[4] == "restore":
            guard let id = number(parts[3]) else { return [] }
            return [("POST", .restore(id))]
        case 5 where parts[0] == "api" && parts[1] == "v1" && parts[2] == "moods" && parts[4] == "similar":
            guard let id = number(parts[3]) else { return [] }
            return [("GET", .similar(id))]
        case 6 where parts[0] == "api" && parts[1] == "v1" && parts[2] == "moods" && parts[4] == "formats":
            guard let id = number(parts[3]), !parts[5].isEmpty else { return [] }
            return [("GET", .text(id, format: String(parts[5])))]
        default: return []
        }
    }

    /// As `moody list` prints it: digits that do not begin with 0.
    private static func number(_ text: Substring) -> Int64? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            text.first != "0"
        else { return nil }
        return Int64(text)
    }
}
