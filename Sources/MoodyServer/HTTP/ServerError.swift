import DataStacks
import Glibc
import ManagedObjects
import MoodyIngest

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

    /// The answer to a failure of the world: of a disk, of the store.
    init(of error: any Error) {
        if let refusal = error as? Refusal {
            self = refusal
        } else if let error = error as? FileError {
            self =
                [ENOSPC, EDQUOT, EFBIG].contains(error.code)
                ? Refusal(507, "the disk is full", closes: true)
                : Refusal(500, "the photo cannot be kept: \(error)", closes: true)
        } else if case .store(let error) = StackError(error), error.isFull {
            // The store may be on another disk than the uploads.
            self = Refusal(507, "the disk of the store is full", closes: true)
        } else if case .store(let error) = StackError(error), error.isBusy {
            self = Refusal(503, "another program holds the store", retryAfter: 5)
        } else {
            self = Refusal(500, "the store cannot be used; the server's log says why")
        }
    }
}

extension StoreError {
    /// SQLITE_FULL.
    fileprivate var isFull: Bool {
        if case .sqlite(let code, _, _) = self { code & 255 == 13 } else { false }
    }

    /// SQLITE_BUSY, SQLITE_LOCKED.
    fileprivate var isBusy: Bool {
        switch self {
        case .inUse: true
        case .sqlite(let code, _, _): [5, 6].contains(code & 255)
        default: false
        }
    }
}
