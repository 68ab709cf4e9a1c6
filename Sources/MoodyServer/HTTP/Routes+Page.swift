#if Server
import HTTPTypes
import Hummingbird
import MoodyGallery

extension Routes {
    func page(_ head: RequestHead) -> Response {
        var response = Response.tagged(
            server.page.tag, of: head, type: "text/html; charset=utf-8", cache: "no-cache",
            body: server.page.body)
        if let name = HTTPField.Name.securityPolicy { response.headers[name] = server.page.policy }
        if let name = HTTPField.Name("Permissions-Policy") {
            response.headers[name] = "camera=(self), microphone=(), geolocation=()"
        }
        return response
    }

    func picture(_ kind: Route.Picture, _ id: Int64, _ head: RequestHead) async throws -> Response {
        let version = try parameters(head, ["v"])["v"].flatMap { $0.isEmpty ? nil : $0 }
        guard let picture = try await server.pictures.picture(kind, id, version: version) else {
            throw Refusal(404, "there is no such picture")
        }
        guard picture.isExact else { return .whole(type: "image/jpeg", body: picture.jpeg) }
        let side = kind == .pictures ? 320 : kind == .sharp ? 640 : 1600
        let isRight = version != nil && version == LiveRow.version(of: picture.tag)
        return .tagged(
            "\(picture.tag)-\(side)", of: head, type: "image/jpeg",
            cache: isRight ? "private, max-age=31536000, immutable" : "no-cache",
            body: picture.jpeg)
    }
}
#endif
