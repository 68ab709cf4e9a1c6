#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import MoodyGallery
import MoodyModel
import NIOCore
import Texts

/// The responder: routes each request to its answer. Owns nothing.
struct Routes: HTTPResponder {
    /// The context of a request: the channel it came on.
    struct Context: InitializableFromSource, Sendable {
        let channel: any Channel
        init(source: ApplicationRequestContextSource) { channel = source.channel }

        /// Whether the caller is on this machine: to pack bytes for it would take longer than to hand them
        /// over.
        var isOfThisMachine: Bool {
            let address = channel.remoteAddress?.ipAddress ?? ""
            return ServerOptions.isLoopback(address.replacing("::ffff:", with: ""))
        }
    }

    let server: GalleryServer

    /// Four colors as an image.
    private static let icon: [UInt8] = {
        let bars = ["#e5573f", "#f2b134", "#2a9d8f", "#264653"].enumerated().map { at, hex in
            "<rect x=\"\(4 * at)\" width=\"4\" height=\"16\" fill=\"\(hex)\"/>"
        }
        return Array(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\">\(bars.joined())</svg>".utf8)
    }()

    /// With `-v` one line for each request, without its query, which may hold a token.
    private static let log = Logger(label: "moody.requests")

    func respond(to request: Request, context: Context) async throws -> Response {
        let head = RequestHead(request), start = ContinuousClock.now
        let response = await response(to: request, head, context)
        let microseconds = Int((ContinuousClock.now - start) / .microseconds(1))
        Self.log.debug(
            """
            \(head["x-forwarded-for"].map { ShownText.of($0) + " by " } ?? "")\
            \(context.channel.remoteAddress?.ipAddress ?? "-") \(ShownText.of(head.method)) \
            \(ShownText.of(String(head.path))) \(response.status.code) \
            \(response.headers[.contentLength] ?? "-") bytes \(microseconds) µs
            """)
        return response
    }

    private func response(to request: Request, _ head: RequestHead, _ context: Context) async -> Response {
        var response: Response
        do {
            response = try await answer(request, head, context)
        } catch let refusal as Refusal {
            response = .refusal(refusal, on: context.channel)
            // People open the page; programs ask the API.
            if head.path == "/", !head.writes, head["accept"]?.contains("text/html") == true {
                let page = GalleryPage.refusal(
                    title: server.options.title, reason: refusal.reason, asksForToken: refusal.status == 401)
                response.headers[.contentType] = "text/html; charset=utf-8"
                response.headers[.connection] = nil
                if let name = HTTPField.Name.securityPolicy { response.headers[name] = page.policy }
                response.body = .init(byteBuffer: ByteBuffer(bytes: page.html))
                response.headers[.contentLength] = "\(page.html.count)"
            }
        } catch is CancellationError {
            response = .refusal(Refusal(503, "the server is ending", closes: true), on: context.channel)
        } catch {
            let refusal = Refusal(of: error)
            if refusal.status == 500 { server.log("\(head.method) \(head.path): \(error)") }
            response = .refusal(refusal, on: context.channel)
        }
        for case (let name?, let value) in HTTPField.Name.fixed { response.headers[name] = value }
        if head.takesGzip, !context.isOfThisMachine || head["x-forwarded-for"] != nil {
            response = response.packed()
        }
        if head.method == "HEAD" {
            let length = response.headers[.contentLength]
            response.body = .init()
            response.headers[.contentLength] = length
        }
        return response
    }

    private func answer(_ request: Request, _ head: RequestHead, _ context: Context) async throws -> Response
    {
        switch server.gate.verdict(of: head, from: context.channel.remoteAddress?.ipAddress ?? "") {
        case .pass: break
        case .refuse(let refusal): throw refusal
        case .enter(let cookie):
            var fields = HTTPFields()
            // Behind a proxy the page may lie below another path.
            fields[.location] = "./"
            fields[.cacheControl] = "no-store"
            let secure = head["x-forwarded-proto"]?.lowercased() == "https" ? "; Secure" : ""
            fields[.setCookie] = "\(cookie); Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax\(secure)"
            return Response(status: .seeOther, headers: fields)
        }
        switch try Route(head) {
        case .page: return page(head)
        case .icon: return .whole(type: "image/svg+xml", body: Self.icon, cache: "max-age=86400")
        case .picture(let kind, let id): return try await picture(kind, id, head)
        case .list: return try await list(head, context)
        case .events: return try await events(request, head, context)
        case .moods: return try await moods(head, context)
        case .mood(let id): return try await mood(id, head)
        case .text(let id, let format): return try await text(id, format, head)
        case .similar(let id): return try await similar(id, head, context)
        case .find: return try await find(head, context)
        case .status:
            _ = try parameters(head, [])
            return .json(server.status)
        case .openapi:
            return .tagged(
                server.openapi.tag, of: head, type: "application/json", cache: "no-cache",
                body: server.openapi.body)
        case .photos: return try await upload(request, head, context)
        case .delete(let id): return try await delete(id)
        case .restore(let id): return try await restore(id)
        }
    }

    /// The parameters of a query by name.
    ///
    /// - Throws: ``Refusal`` 400 for an unknown one, one that comes twice, and a broken escape.
    func parameters(_ head: RequestHead, _ known: [String]) throws(Refusal) -> [String: String] {
        guard let pairs = head.query else { throw Refusal(400, "the query has a broken escape") }
        var values: [String: String] = [:]
        for (name, value) in pairs {
            guard known.contains(name) else {
                throw Refusal(
                    400, "unknown parameter; known are \(known.joined(separator: ", "))")
            }
            if values.updateValue(value, forKey: name) != nil { throw Refusal(400, "\(name) comes twice") }
        }
        return values
    }
}

extension RequestHead {
    init(_ request: Request) {
        let fields = request.headers.map { (name: $0.name.rawName, value: $0.value) }
        // The library takes the first Host out of the fields, and leaves further ones.
        let hosts = [request.head.authority].compactMap(\.self)
        let more = fields.filter { $0.name.lowercased() == "host" }.map(\.value)
        self.init(request.method.rawValue, request.head.path ?? "", hosts: hosts + more, fields)
    }
}
#endif
