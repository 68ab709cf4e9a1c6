#if Server
internal import Czlib
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

extension Response {
    /// The same answer with its body packed, if it is text of some length.
    ///
    /// Pictures are packed already, and an event must go out as it happens.
    func packed() -> Response {
        let type = headers[.contentType]?.prefix { $0 != ";" } ?? ""
        guard Self.packedTypes.contains(String(type)), headers[.contentEncoding] == nil,
            (body.contentLength ?? .max) >= Self.fewBytes
        else { return self }
        var response = self
        response.headers[.contentEncoding] = "gzip"
        response.headers[.vary] = "Accept-Encoding"
        response.headers[.contentLength] = nil
        // Other bytes that mean the same: RFC 9110, 8.8.1.
        if let tag = headers[.eTag] { response.headers[.eTag] = tag.hasPrefix("W/") ? tag : "W/" + tag }
        let body = body
        response.body = ResponseBody { writer in try await body.write(GzipWriter(writer)) }
        return response
    }

    private static let packedTypes: Set = [
        "application/json", "application/x-ndjson", "image/svg+xml", "text/css", "text/html", "text/plain",
    ]
    /// Fewer fit into one packet as they are.
    private static let fewBytes = 1_400
}

extension RequestHead {
    /// Whether the caller takes gzip, by RFC 9110, 12.5.3.
    var takesGzip: Bool {
        var weights: [String: Double] = [:]
        for coding in values("accept-encoding").flatMap({ $0.split(separator: ",") }) {
            let parts = coding.split(separator: ";").map {
                $0.trimmingCharacters(in: .whitespaces).lowercased()
            }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            if let name = parts.first { weights[name] = weight ?? 1 }
        }
        return (weights["gzip"] ?? weights["x-gzip"] ?? weights["*"] ?? 0) > 0
    }
}

/// Packs what is written.
private struct GzipWriter: ResponseBodyWriter {
    private var writer: any ResponseBodyWriter
    private let gzip = Gzip()

    init(_ writer: any ResponseBodyWriter) { self.writer = writer }

    mutating func write(_ buffer: ByteBuffer) async throws {
        let packed = gzip.pack(buffer, Z_NO_FLUSH)
        if packed.readableBytes > 0 { try await writer.write(packed) }
    }

    consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
        try await writer.write(gzip.pack(ByteBuffer(), Z_FINISH))
        try await writer.finish(trailingHeaders)
    }
}

/// A stream of gzip, for one task at a time.
@safe private final class Gzip {
    private var stream = unsafe z_stream()

    init() {
        // Little work per byte, and three quarters of what most work saves. 16 more: with gzip's head.
        let status = unsafe deflateInit2_(
            &stream, 4, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK, "no memory to compress")
    }

    deinit { unsafe deflateEnd(&stream) }

    /// What comes out by now.
    func pack(_ buffer: ByteBuffer, _ flush: Int32) -> ByteBuffer {
        var packed = ByteBuffer()
        // SAFETY: both buffers outlive the calls of zlib, which reads `avail_in` bytes of the one and writes
        // at most `avail_out` of the other.
        unsafe buffer.withUnsafeReadableBytes { input in
            unsafe stream.next_in = UnsafeMutablePointer(
                mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self))
            unsafe stream.avail_in = UInt32(input.count)
            var isFull = true
            while isFull {
                unsafe packed.writeWithUnsafeMutableBytes(minimumWritableBytes: 1 << 14) { output in
                    unsafe stream.next_out = output.baseAddress?.assumingMemoryBound(to: Bytef.self)
                    unsafe stream.avail_out = UInt32(output.count)
                    _ = unsafe deflate(&stream, flush)
                    isFull = unsafe stream.avail_out == 0
                    return unsafe output.count - Int(stream.avail_out)
                }
            }
        }
        return packed
    }
}
#endif
