#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import MoodyGallery
import MoodyModel
import NIOCore
import NIOHTTPTypes

extension Routes {
    func upload(_ request: Request, _ head: RequestHead, _ context: Context) async throws -> Response {
        guard let intake = server.intake else {
            throw Refusal(403, server.whyNoUploads, closes: true)
        }
        let name: UploadName
        do throws(Refusal) { name = try UploadName(try parameters(head, ["name"])["name"]) } catch {
            throw Refusal(error.status, error.reason, closes: true)
        }
        let type = head.values("content-type")
        let kind = type.first?.prefix { $0 != ";" }.lowercased() ?? ""
        guard type.count == 1, kind.hasPrefix("image/") || kind == "application/octet-stream" else {
            throw Refusal(415, "a photo is sent as image/... or application/octet-stream", closes: true)
        }
        let most = server.options.maxUpload
        let tooLarge = Refusal(413, "larger than \(most >> 20) MB", closes: true)
        if let length = head["content-length"].flatMap({ Int($0) }), length > most { throw tooLarge }
        let file = try intake.begin()
        defer { intake.end(file) }
        do {
            if head["expect"]?.lowercased() == "100-continue" {
                context.channel.writeAndFlush(
                    HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
            }
            try await receive(request.body, into: file, intake, most: most, tooLarge)
        } catch {
            file.discard()
            throw error
        }
        let taken = try await intake.keep(file, name)
        var response = Response.json(
            taken.record.json(server.options.privacy), taken.isNew ? 201 : 200)
        response.headers[.location] = "/api/v1/moods/\(taken.record.id)"
        return response
    }

    private func receive(
        _ body: RequestBody, into file: Intake.Incoming, _ intake: Intake, most: Int, _ tooLarge: Refusal
    ) async throws {
        var count = 0
        let begun = ContinuousClock.now, limits = server.options.limits
        do {
            for try await var buffer in body {
                count += buffer.readableBytes
                if count > most { throw tooLarge }
                // A few clients that send a byte now and then would use up all uploads.
                let seconds = (ContinuousClock.now - begun) / .seconds(1)
                if seconds > limits.grace, Double(count) < seconds * Double(limits.slowest) {
                    throw Refusal(
                        408, "the photo comes slower than \(limits.slowest) bytes a second", closes: true)
                }
                if file.mustGo {
                    throw Refusal(
                        408, "others wait, and the photo comes slowly", retryAfter: 10, closes: true)
                }
                try await intake.write(buffer.readBytes(length: buffer.readableBytes) ?? [], to: file)
            }
        } catch let refusal as Refusal { throw refusal } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw Refusal(400, "the photo did not come whole", closes: true)
        }
        if count == 0 { throw Refusal(400, "the photo has no bytes") }
    }
}
#endif
