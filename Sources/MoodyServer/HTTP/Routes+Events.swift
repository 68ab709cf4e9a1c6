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
            key = Lists.Key(values)
        }
        let entry = try await server.lists.entry(key, list, for: context.channel)
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
                _ = InputEnd.hear(on: context.channel) { viewer.end() }
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
        case .resume(let frames, let generation):
            let begin = ByteBuffer(bytes: EventText.begin(list: list.name, generation: generation))
            return [first, begin] + frames.map { Broadcast.buffer($0, viewer.kind, of: list.name) }
        case .reload(let reason):
            return [first, Broadcast.reload(list: list.name, generation: list.generation, reason)]
        }
    }
}
#endif
