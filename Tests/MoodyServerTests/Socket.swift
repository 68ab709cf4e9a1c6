import Dispatch
import Foundation
import Glibc
import Testing

@testable import MoodyServer

/// A connection that says what it is told to, and an answer read from it. Waits on threads of its own: the
/// server needs those of the pool.
final class Socket: Sendable {
    struct Answer: Sendable {
        var status = 0
        var fields: [String: String] = [:]
        var body: [UInt8] = []
        var text: String { String(decoding: body, as: UTF8.self) }
        var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
        }
    }

    private let file: Int32
    private let queue = DispatchQueue(label: "test.socket")
    private let rest = LockedBytes()

    private final class LockedBytes: @unchecked Sendable {
        // Used on the socket's queue alone.
        var bytes: [UInt8] = []
    }

    init(port: Int) throws {
        file = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = unsafe inet_addr("127.0.0.1")
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(file, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        try #require(result == 0)
        // A test that waits in vain fails; it does not hang.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        unsafe setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { Glibc.close(file) }

    /// - Returns: false when the other side has closed.
    @discardableResult
    func send(_ bytes: some Sequence<UInt8> & Sendable) async throws -> Bool {
        let bytes = Array(bytes), file = file
        return try await queue.run {
            var start = 0
            while start < bytes.count {
                let count = unsafe bytes[start...].withUnsafeBytes {
                    unsafe Glibc.send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if count <= 0 { return false }
                start += count
            }
            return true
        }
    }

    @discardableResult
    func send(_ text: String) async throws -> Bool { try await send(Array(text.utf8)) }

    /// No more will be sent.
    func finish() { shutdown(file, Int32(SHUT_WR)) }

    /// Reads until `end` says so or the other side closes.
    func read(until end: @escaping @Sendable ([UInt8]) -> Bool) async throws -> [UInt8] {
        let file = file, rest = rest
        return try await queue.run {
            while !end(rest.bytes) {
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                let count = unsafe buffer.withUnsafeMutableBytes {
                    unsafe recv(file, $0.baseAddress, $0.count, 0)
                }
                if count <= 0 { break }
                rest.bytes += buffer[..<count]
            }
            return rest.bytes
        }
    }

    private func drop(_ count: Int) async throws {
        let rest = rest
        try await queue.run { rest.bytes.removeFirst(min(count, rest.bytes.count)) }
    }

    /// Reads until a text has come.
    func text(until part: String) async throws -> String {
        let bytes = try await read { String(decoding: $0, as: UTF8.self).contains(part) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let blank = Array("\r\n\r\n".utf8)

    /// The next answer, with its body whole.
    ///
    /// - Parameter hasBody: false after HEAD.
    func answer(hasBody: Bool = true) async throws -> Answer {
        let head = try await read { $0.firstRange(of: Self.blank) != nil }
        guard let end = head.firstRange(of: Self.blank) else { return Answer() }
        var answer = Answer()
        let lines = String(decoding: head[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        answer.status = Int(lines[0].split(separator: " ").dropFirst().first ?? "") ?? 0
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            answer.fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        try await drop(end.upperBound)
        if !hasBody || answer.status == 304 || answer.status == 100 { return answer }
        if let length = answer.fields["content-length"].flatMap({ Int($0) }) {
            answer.body = Array(try await read { $0.count >= length }.prefix(length))
            try await drop(length)
        } else if answer.fields["transfer-encoding"] == "chunked" {
            while true {
                let bytes = try await read { $0.firstRange(of: [13, 10]) != nil }
                guard let line = bytes.firstRange(of: [13, 10]),
                    let size = Int(String(decoding: bytes[..<line.lowerBound], as: UTF8.self), radix: 16)
                else { break }
                let whole = line.upperBound + size + 2
                let chunk = try await read { $0.count >= whole }
                if chunk.count < whole { break }
                answer.body += chunk[line.upperBound..<line.upperBound + size]
                try await drop(whole)
                if size == 0 { break }
            }
        }
        return answer
    }

    /// Whether the other side closes without another byte.
    func isClosed() async throws -> Bool {
        let before = try await read { _ in true }.count
        return try await read { $0.count > before }.count == before
    }
}
