#if Server
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import MoodyModel
import NIOCore

extension HTTPField.Name {
    // Names that are spelled right: the library returns nil for others.
    static let securityPolicy = HTTPField.Name("Content-Security-Policy")
    static let fixed: [(name: HTTPField.Name?, value: String)] = [
        (HTTPField.Name("X-Content-Type-Options"), "nosniff"),
        (HTTPField.Name("Referrer-Policy"), "no-referrer"),
        (HTTPField.Name("Cross-Origin-Resource-Policy"), "same-origin"),
        (HTTPField.Name("Cross-Origin-Opener-Policy"), "same-origin"),
    ]
}

extension Response {
    /// An answer in one piece.
    static func whole(
        _ status: Int = 200, type: String, body: [UInt8], cache: String = "no-store",
        more: [(HTTPField.Name, String)] = []
    ) -> Response {
        var fields = HTTPFields()
        fields[.contentType] = type
        fields[.cacheControl] = cache
        for (name, value) in more { fields[name] = value }
        return Response(
            status: .init(code: status), headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    static func json(_ json: JSON, _ status: Int = 200, cache: String = "no-store") -> Response {
        whole(status, type: "application/json", body: Array((json.text + "\n").utf8), cache: cache)
    }

    /// An answer that may be known already: 304 when the request has its tag.
    static func tagged(
        _ tag: String, of request: RequestHead, type: String, cache: String, body: [UInt8]
    ) -> Response {
        let quoted = "\"\(tag)\"", known = request.knows(quoted)
        var fields = HTTPFields()
        fields[.eTag] = quoted
        fields[.cacheControl] = cache
        if known { return Response(status: .notModified, headers: fields) }
        fields[.contentType] = type
        return Response(
            status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    /// An answer that says no.
    ///
    /// - Parameter channel: closed behind it, if the rest of the request is not worth reading.
    static func refusal(_ refusal: Refusal, on channel: any Channel) -> Response {
        let json = JSON.object([
            ("v", 1), ("status", .number(Int64(refusal.status))), ("error", .string(refusal.reason)),
        ])
        var response = Response.json(json, refusal.status)
        if let seconds = refusal.retryAfter { response.headers[.retryAfter] = "\(seconds)" }
        if let allow = refusal.allow { response.headers[.allow] = allow }
        if refusal.closes {
            response.headers[.connection] = "close"
            let body = ByteBuffer(string: json.text + "\n")
            response.body = ResponseBody(contentLength: body.readableBytes) { writer in
                try await writer.write(body)
                try await writer.finish(nil)
                channel.closeSoon()
            }
        }
        return response
    }
}

extension RequestHead {
    /// Whether the caller has what a tag stands for; a proxy that compresses makes tags weak.
    func knows(_ tag: String) -> Bool {
        values("if-none-match").flatMap { $0.split(separator: ",") }.contains { part in
            let part = part.trimmingCharacters(in: .whitespaces)
            return part == "*" || part == tag || part == "W/" + tag
        }
    }
}

extension Channel {
    /// Says that nothing more will come, and closes when the other side has had time to read the answer: a
    /// channel that is closed over unread bytes takes its answer back.
    fileprivate func closeSoon() {
        close(mode: .output, promise: nil)
        eventLoop.scheduleTask(in: .seconds(1)) { self.close(promise: nil) }
    }
}
#endif
