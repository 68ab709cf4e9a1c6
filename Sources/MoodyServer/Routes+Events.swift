#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import MoodyGallery
import NIOCore

extension Routes {
    /// The stream of a list's changes, as server-sent events.
    func events(_ request: Request, _ head: RequestHead, _ context: Context) async throws -> Response {
        let values = try parameters(head, ["as", "after", "where", "sort", "section"])
        let kind: Viewer.Kind
        switch values["as"] ?? "records" {
        case "rows": kind = .rows
        case "records": kind = .records
        default: throw Refusal(400, "as is rows or records")
        }
        let asked = ["where", "sort", "section"].filter { values[$0] != nil }
        var key = Lists.Key.page, list = MoodList.page
        if !asked.isEmpty {
            list = try self.list(values)
            if list.key == .id { throw Refusal(400, "a list that is followed is sorted by date or path") }
            key = Lists.Key(
                condition: values["where"] ?? "", sort: values["sort"] ?? "date",
                section: values["section"] ?? "")
        }
        let entry = try await server.lists.entry(key, list)
        var fields = HTTPFields()
        fields[.contentType] = "text/event-stream"
        fields[.cacheControl] = "no-store"
        // A proxy that keeps events back until there are many makes nothing live.
        if let name = HTTPField.Name("X-Accel-Buffering") { fields[name] = "no" }
        if head.method == "HEAD" { return Response(status: .ok, headers: fields) }
        guard let (viewer, seat) = server.makeViewer(kind, context.channel) else {
            throw Refusal(503, "too many pages are looking on", retryAfter: 10, closes: true)
        }
        // A browser that reconnects sends the last ID in this field; its address is older.
        let after = head["last-event-id"] ?? values["after"]
        return Response(
            status: .ok, headers: fields,
            body: ResponseBody { writer in
                defer { entry.broadcast.remove(viewer) }
                InputEnd.hear(on: context.channel) { viewer.end() }
                try await writer.write(contentsOf: begin(viewer, entry, after: after))
                while true {
                    let buffers = await viewer.next()
                    if buffers.isEmpty { break }
                    try await writer.write(contentsOf: buffers)
                }
                try await writer.finish(nil)
                withExtendedLifetime(seat) {}
            })
    }

    /// Joins the list, and says what a stream begins with.
    private func begin(_ viewer: Viewer, _ entry: Lists.Entry, after: String?) -> [ByteBuffer] {
        let list = entry.list
        let position = after.map { EventText.position($0) ?? ("", 0) }
        let join = list.join(list: position?.0, after: position?.1 ?? 0) { generation in
            viewer.begin(at: generation)
            entry.broadcast.add(viewer)
        }
        let first = ByteBuffer(string: EventText.begin)
        switch join {
        case .resume(let frames):
            return [first] + frames.map { Broadcast.buffer($0, viewer.kind, of: list.name) }
        case .reload(let reason):
            return [first, Broadcast.reload(list: list.name, generation: list.generation, reason)]
        }
    }
}

/// A channel handler that calls a closure when the client has left. The library's own way, a second task that
/// reads on, takes several KB of memory per viewer.
private final class InputEnd: ChannelInboundHandler, Sendable {
    typealias InboundIn = NIOAny

    private let onEnd: @Sendable () -> Void
    private init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    static func hear(on channel: any Channel, _ onEnd: @escaping @Sendable () -> Void) {
        // A client that left before the handler is there is found by the next write, at the latest a beat.
        channel.pipeline.addHandler(InputEnd(onEnd), position: .first).whenFailure { _ in onEnd() }
        channel.closeFuture.whenComplete { _ in onEnd() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { onEnd() }
        context.fireUserInboundEventTriggered(event)
    }
}
#endif
