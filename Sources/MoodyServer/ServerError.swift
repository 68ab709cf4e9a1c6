/// Why the server cannot begin, or must end: one sentence.
package enum ServerError: Error, CustomStringConvertible {
    case cannotListen(host: String, port: Int, reason: String)
    case uploads(String)
    case storeIsGone(String)

    package var description: String {
        switch self {
        case .cannotListen(let host, let port, let reason):
            "cannot listen on \(host.contains(":") ? "[\(host)]" : host):\(port): \(reason)"
        case .uploads(let text): text
        case .storeIsGone(let text): text
        }
    }
}

/// An answer that is no success: a status, and why in one sentence without a path.
struct Refusal: Error, Equatable, CustomStringConvertible {
    let status: Int
    let reason: String
    /// Seconds until it is worth trying again.
    var retryAfter: Int?
    /// Methods of the route, for a 405.
    var allow: String?
    /// Whether the rest of the request is not worth reading.
    var closes = false

    init(
        _ status: Int, _ reason: String, retryAfter: Int? = nil, allow: String? = nil, closes: Bool = false
    ) {
        (self.status, self.reason, self.retryAfter) = (status, reason, retryAfter)
        (self.allow, self.closes) = (allow, closes)
    }

    var description: String { reason }
}
