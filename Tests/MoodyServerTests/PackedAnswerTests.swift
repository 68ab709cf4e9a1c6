#if Server
import Foundation
import MoodyServer
import Testing

/// Answers in gzip, unpacked by gzip(1).
@Suite struct PackedAnswerTests {
    private static func unpacked(_ bytes: [UInt8]) throws -> [UInt8] {
        let gzip = Process(), input = Pipe(), output = Pipe()
        gzip.executableURL = URL(filePath: "/usr/bin/env")
        (gzip.arguments, gzip.standardInput, gzip.standardOutput) = (["gzip", "-dc"], input, output)
        try gzip.run()
        DispatchQueue.global().async {
            input.fileHandleForWriting.write(Data(bytes))
            try? input.fileHandleForWriting.close()
        }
        let result = output.fileHandleForReading.readDataToEndOfFile()
        gzip.waitUntilExit()
        try #require(gzip.terminationStatus == 0)
        return [UInt8](result)
    }

    @Test func `text for other machines is packed, and means the same`() async throws {
        let token = ["Authorization": "Bearer 0123456789abcdef"]
        let server = try await TestServer { options, _ in options.token = "0123456789abcdef" }
        for number in UInt8(1)...12 {
            let fields = token.merging(["Content-Type": "image/png"]) { $1 }
            _ = try await server.ask(
                "POST", "/api/v1/photos?name=\(number).png", fields, body: TestServer.png(number))
        }
        // As a proxy on this machine hands it on.
        func fields(_ coding: String, by proxy: String? = "192.0.2.7") -> [String: String] {
            var fields = token
            fields["X-Forwarded-For"] = proxy
            fields["Accept-Encoding"] = coding
            return fields
        }
        let elsewhere = fields("br, gzip")
        for target in ["/", "/api/v1/list?as=rows", "/api/v1/moods", "/api/v1/openapi.json"] {
            let plain = try await server.ask("GET", target, token)
            #expect(plain.status == 200 && plain.fields["content-encoding"] == nil, "\(target)")
            let packed = try await server.ask("GET", target, elsewhere)
            #expect(packed.status == 200 && packed.fields["content-encoding"] == "gzip", "\(target)")
            #expect(packed.fields["vary"] == "Accept-Encoding")
            #expect(packed.body.count < plain.body.count / 2)
            let whole = try Self.unpacked(packed.body)
            // Of a list the head's number may differ.
            #expect(whole.count == plain.body.count && whole.suffix(1_000) == plain.body.suffix(1_000))
            for refusal in ["br", "gzip;q=0, *", "identity"] {
                let other = try await server.ask("GET", target, fields(refusal))
                #expect(other.fields["content-encoding"] == nil, "\(refusal)")
            }
            // Nothing is gained on the way to the same machine.
            let near = try await server.ask("GET", target, fields("gzip", by: nil))
            #expect(near.fields["content-encoding"] == nil)
            let head = try await server.ask("HEAD", target, elsewhere)
            #expect(head.status == 200 && head.fields["content-length"] == nil)
            guard let tag = packed.fields["etag"] else { continue }
            #expect(tag.hasPrefix("W/\""))
            let known = elsewhere.merging(["If-None-Match": tag]) { $1 }
            #expect(try await server.ask("GET", target, known).status == 304)
        }
        let picture = try await server.ask("GET", "/pictures/1.jpg", elsewhere)
        #expect(picture.status == 200 && picture.fields["content-encoding"] == nil)
        let stream = try await server.stream("as=rows", elsewhere)
        stream.finish()
        try await server.end()
    }
}
#endif
