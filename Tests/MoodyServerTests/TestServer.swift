#if Server
import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import Synchronization
import Testing

@testable import MoodyServer

/// A value that several threads change.
final class Kept<Value: Sendable>: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
}

/// A server over a store in a folder of its own.
final class TestServer: Sendable {
    let folder: URL
    let stack: DataStack
    let server: GalleryServer
    let port: Int
    private let task: Task<Void, any Error>
    /// What failed inside.
    let errors: Kept<[String]>

    /// A photo of two colors, as a PNG that needs no encoder: stored deflate blocks.
    static func png(_ red: UInt8, _ green: UInt8 = 90, side: Int = 24) -> [UInt8] {
        func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
            let body = Array(name.utf8) + data
            return big(data.count) + body + big(Int(crc(body)))
        }
        func big(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 255) } }
        var raw: [UInt8] = []
        for y in 0..<side {
            raw.append(0)
            for _ in 0..<side { raw += y < side / 2 ? [red, green, 60] : [20, green, red] }
        }
        var a: UInt32 = 1, b: UInt32 = 0
        for byte in raw {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        let length = raw.count
        var zlib: [UInt8] = [0x78, 1, 1]
        for number in [length, ~length] { zlib += [UInt8(number & 255), UInt8(number >> 8 & 255)] }
        zlib += raw
        zlib += big(Int(b << 16 | a))
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 13, 10, 26, 10]
        let size = big(side), kind: [UInt8] = [8, 2, 0, 0, 0]
        bytes += chunk("IHDR", size + size + kind)
        bytes += chunk("IDAT", zlib)
        bytes += chunk("IEND", [])
        return bytes
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    /// - Parameter photos: files in the watched folder as the server begins.
    init(
        photos: [String: [UInt8]] = [:], _ change: (inout ServerOptions, URL) -> Void = { _, _ in }
    ) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "moody-serve-\(UUID().uuidString)")
        let watched = folder.appending(path: "Photos")
        try FileManager.default.createDirectory(at: watched, withIntermediateDirectories: true)
        for (name, bytes) in photos { try Data(bytes).write(to: watched.appending(path: name)) }
        stack = DataStack(model: try .moody())
        _ = try stack.addStorage(sqlite: folder.appending(path: "Moody.moody"))
        var options = ServerOptions(uploads: BytePath(folder.path + "/Uploads"))
        options.port = 0
        options.folders = [BytePath(watched.path)]
        options.limits.free = 0
        change(&options, folder)
        let said = Kept<[String]>([]), address = Kept<String?>(nil)
        var callbacks = GalleryServer.Callbacks()
        callbacks.onError = { text in said.value.withLock { $0.append(text) } }
        callbacks.onListening = { all in address.value.withLock { $0 = all[0] } }
        errors = said
        let server = try GalleryServer(stack, options, callbacks: callbacks) { IngestOptions() }
        self.server = server
        let isOver = Kept(false)
        task = Task {
            defer { isOver.value.withLock { $0 = true } }
            try await server.run()
        }
        var listening: String?
        while listening == nil {
            // It may have ended before it listened.
            if isOver.value.withLock({ $0 }) { try await task.value }
            try await Task.sleep(for: .milliseconds(5))
            listening = address.value.withLock { $0 }
        }
        port = try #require(URL(string: listening ?? "")?.port)
        if !photos.isEmpty, !options.isReadOnly {
            try await until { server.lists.page.list.count >= photos.count }
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func end() async throws {
        server.stop()
        try await task.value
        try? stack.coordinator.close()
    }

    /// Waits for something that will be so: no test says how soon.
    func until(_ isSo: @escaping @Sendable () -> Bool) async throws {
        for _ in 0..<3_000 {
            if isSo() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        Issue.record("waited in vain")
    }

    func socket() throws -> Socket { try Socket(port: port) }

    /// One request on a connection of its own.
    func ask(
        _ method: String, _ target: String, _ fields: [String: String] = [:], body: [UInt8]? = nil
    ) async throws -> Socket.Answer {
        let socket = try socket()
        var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        if let body { head += "Content-Length: \(body.count)\r\n" }
        try await socket.send(Array((head + "\r\n").utf8) + (body ?? []))
        return try await socket.answer(hasBody: method != "HEAD")
    }

    func upload(_ name: String, _ bytes: [UInt8]) async throws -> Socket.Answer {
        try await ask(
            "POST", "/api/v1/photos?name=\(name)", ["Content-Type": "image/png"], body: bytes)
    }

    /// A stream that has begun.
    func stream(_ query: String = "as=rows", _ fields: [String: String] = [:]) async throws -> Socket {
        let socket = try socket()
        var head = "GET /api/v1/events?\(query) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
        for (name, value) in fields { head += "\(name): \(value)\r\n" }
        try await socket.send(head + "\r\n")
        _ = try await socket.text(until: "retry: 2000")
        return socket
    }
}
#endif
