import Digests
import Foundation
import Glibc
import Synchronization
import Texts

/// Decides which requests come in, by their heads alone: against pages of other sites and ports, names that
/// were rebound to this machine, and callers without the token.
///
/// docs/SERVE.md lists the attacks and the rule that answers each.
final class Gate: Sendable {
    enum Verdict: Equatable {
        case pass
        case refuse(Refusal)
        /// The token was right: answer with a cookie, `name=value`, and the address without the token.
        case enter(cookie: String)
    }

    /// Our own names with our port, in lower case.
    private let hosts: Set<String>
    /// Names that a proxy or a tunnel shows, with a port where that must be the same.
    private let forwarded: Set<String>
    /// Whether any address of this machine will do, since the server listens on all: none can be rebound.
    private let takesAddresses: Bool
    private let port: Int
    /// SHA-256 of the token and of the cookie: lists of the same length are compared, whatever was sent.
    private let token: [UInt8]?
    private let cookie: String
    /// Contains the port: browsers send a cookie to every port of a host, and each may have its own server.
    private let cookieName: String
    /// Wrong tokens of the last minute, by the addresses that they came from.
    private let wrong = Mutex<[String: [ContinuousClock.Instant]]>([:])

    /// Wrong tokens of an address in a minute, above which no further one is looked at: 429. Who has the
    /// cookie is let in all the same.
    static let mostWrong = 10
    /// Addresses with wrong tokens in a minute, above which those of others are not looked at either.
    private static let mostAddresses = 1_000

    /// - Parameter secret: makes cookies that cannot be guessed where the token can; nil for cookies that are
    ///   good until the server ends.
    init(host: String, port: Int, allowed: [String], token: String?, secret: String? = nil) {
        self.port = port
        let shown = host.contains(":") ? "[\(host)]" : host
        let names = ["127.0.0.1", "localhost", "[::1]", shown.lowercased()]
        hosts = Set(names.flatMap { port == 80 ? [$0, "\($0):80"] : ["\($0):\(port)"] })
        forwarded = Set(allowed.map { $0.lowercased() })
        takesAddresses = host == "0.0.0.0" || host == "::"
        self.token = token.map { sha256($0.utf8) }
        cookieName = "moody-\(port)"
        // The same after a restart with the same token and secret.
        let salt = secret.map { Array($0.utf8) } ?? (0..<16).map { _ in UInt8.random(in: 0 ... .max) }
        cookie = token.map { Self.hex(sha256("moody cookie ".utf8 + sha256(salt) + sha256($0.utf8))) } ?? ""
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        Hexadecimal.text(bytes)
    }

    /// - Parameter address: the caller's.
    func verdict(
        of head: RequestHead, from address: String = "", at now: ContinuousClock.Instant = .now
    ) -> Verdict {
        if let refusal = refusal(ofHost: head) { return .refuse(refusal) }
        if let refusal = refusal(ofProxy: head) { return .refuse(refusal) }
        if let refusal = refusal(ofSite: head) { return .refuse(refusal) }
        return admission(of: head, from: sender(of: head, by: address), at: now)
    }

    // MARK: Names

    private func refusal(ofHost head: RequestHead) -> Refusal? {
        guard head.target.utf8.first == UInt8(ascii: "/") else {
            return Refusal(400, "the target of a request is a path", closes: true)
        }
        guard head.hosts.count == 1 else {
            return Refusal(400, "a request has exactly one Host", closes: true)
        }
        let host = head.hosts[0].lowercased()
        if hosts.contains(host) || isForwarded(host) || isAddress(host) { return nil }
        return Refusal(
            403, "this server does not go by the name in Host: moody serve --allow-host NAME lets one in",
            closes: true)
    }

    /// A name without a port is allowed with any: which one a browser sends depends on the proxy.
    private func isForwarded(_ host: String) -> Bool {
        forwarded.contains(host) || forwarded.contains(Self.withoutPort(host))
    }

    private static func withoutPort(_ host: String) -> String {
        guard let colon = host.lastIndex(of: ":") else { return host }
        let port = host[host.index(after: colon)...]
        return !port.isEmpty && port.allSatisfy { $0.isASCII && $0.isNumber } ? String(host[..<colon]) : host
    }

    private func isAddress(_ host: String) -> Bool {
        guard takesAddresses else { return false }
        let end = ":\(port)"
        guard host.hasSuffix(end) else { return false }
        let name = host.dropLast(end.count)
        if name.hasPrefix("["), name.hasSuffix("]") {
            return name.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    /// A proxy that hides by which name it was asked would let in all whom it serves.
    private func refusal(ofProxy head: RequestHead) -> Refusal? {
        guard token == nil, forwarded.isEmpty else { return nil }
        let isForwarded = ["forwarded", "x-forwarded-for", "x-forwarded-host"].contains { head[$0] != nil }
        if !isForwarded { return nil }
        return Refusal(403, "asked through a proxy: moody serve --allow-host NAME lets it in", closes: true)
    }

    // MARK: Sites

    private func refusal(ofSite head: RequestHead) -> Refusal? {
        let sites = head.values("sec-fetch-site"), origins = head.values("origin")
        if sites.count > 1 || origins.count > 1 {
            return Refusal(400, "Sec-Fetch-Site and Origin come once", closes: true)
        }
        let foreign = Refusal(403, "asked for by a page of another site", closes: true)
        if let site = sites.first, site != "same-origin", site != "none" || head.writes {
            // A link to the gallery may be followed from anywhere; nothing of it can be read there.
            let isLink =
                head.method == "GET" && head.path == "/" && head["sec-fetch-mode"] == "navigate"
                && head["sec-fetch-dest"] == "document"
            if !isLink { return foreign }
        }
        if let origin = origins.first, !isOwn(origin, head.hosts[0], isSame: sites == ["same-origin"]) {
            return foreign
        }
        return nil
    }

    /// - Parameter isSame: whether the browser says that the page is of the address that it asks.
    private func isOwn(_ origin: String, _ host: String, isSame: Bool) -> Bool {
        let origin = origin.lowercased(), host = host.lowercased()
        if origin == "http://" + host { return true }
        guard isForwarded(host) else { return false }
        // A proxy may speak TLS to the world, and may leave the port out of Host.
        if origin == "https://" + host { return true }
        let name = origin.hasPrefix("https://") ? origin.dropFirst(8) : origin.dropFirst(7)
        return isSame && origin.hasPrefix("http") && Self.withoutPort(String(name)) == host
    }

    // MARK: The token

    /// The address that counts for a request: behind a proxy of this machine the one that the proxy names
    /// last. Of an IPv6 address the half that is one caller's.
    private func sender(of head: RequestHead, by address: String) -> String {
        var sender = address
        if !forwarded.isEmpty, ServerOptions.isLoopback(address.replacing("::ffff:", with: "")),
            let named = head.values("x-forwarded-for").last?.split(separator: ",").last
        {
            sender = named.trimmingCharacters(in: .whitespaces)
        }
        var version6 = in6_addr()
        guard unsafe inet_pton(AF_INET6, sender, &version6) == 1 else { return sender }
        let bytes = unsafe withUnsafeBytes(of: version6) { unsafe Array($0) }
        // IPv4, as a socket for both tells it.
        if bytes[..<12] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255] {
            return bytes[12...].map { "\($0)" }.joined(separator: ".")
        }
        // Each of this machine by itself.
        return bytes.prefix(8).allSatisfy { $0 == 0 } ? sender : Self.hex(Array(bytes.prefix(8)))
    }

    private func admission(
        of head: RequestHead, from sender: String, at now: ContinuousClock.Instant
    ) -> Verdict {
        guard let token else { return .pass }
        let sent = head.cookie(cookieName)
        if let sent, isSame(Array(sent.utf8), Array(cookie.utf8)) { return .pass }
        let bearer = head["authorization"].flatMap { text in
            text.lowercased().hasPrefix("bearer ") ? String(text.dropFirst(7)) : nil
        }
        let asked = head.path == "/" ? head.query?.first { $0.name == "token" }?.value : nil
        guard let given = bearer ?? asked else {
            let isOld = sent?.isEmpty == false
            return .refuse(Refusal(401, isOld ? "the token is wrong" : "the token is missing", closes: true))
        }
        let isRight = isSame(sha256(given.utf8), token)
        let isMany = wrong.withLock { wrong in
            if wrong.count >= Self.mostAddresses {
                wrong = wrong.filter { $0.value.contains { now - $0 <= .seconds(60) } }
            }
            if wrong[sender] == nil, wrong.count >= Self.mostAddresses { return true }
            var times = wrong[sender, default: []]
            times.removeAll { now - $0 > .seconds(60) }
            let isMany = times.count >= Self.mostWrong
            if !isMany, !isRight { times.append(now) }
            wrong[sender] = times.isEmpty ? nil : times
            return isMany
        }
        if isMany {
            return .refuse(Refusal(429, "too many wrong tokens", retryAfter: 60, closes: true))
        }
        guard isRight else { return .refuse(Refusal(401, "the token is wrong", closes: true)) }
        return bearer == nil && head.method == "GET" ? .enter(cookie: "\(cookieName)=\(cookie)") : .pass
    }

    /// In the same time wherever they differ.
    private func isSame(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        guard a.count == b.count else { return false }
        return zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
