#if Server
import Foundation
import NIOCore

extension ServerOptions {
    /// The addresses of the page, those that other machines can open first.
    func pageAddresses(port: Int) -> [String] {
        let unreserved = CharacterSet(charactersIn: "-._~").union(.alphanumerics)
        let query = token.map {
            "?token=" + ($0.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "")
        }
        return pageHosts.map { "http://\($0.contains(":") ? "[\($0)]" : $0):\(port)/\(query ?? "")" }
    }

    /// Where all addresses of this machine are listened on, those are named: no browser opens that of all.
    private var pageHosts: [String] {
        guard host == "0.0.0.0" || host == "::" else { return [host] }
        return Self.ownAddresses(withVersion6: host == "::") + ["127.0.0.1"]
    }

    /// The addresses of this machine in its networks: neither its loopback's, nor those of a link alone.
    static func ownAddresses(withVersion6: Bool) -> [String] {
        let all = ((try? System.enumerateDevices()) ?? []).compactMap(\.address)
        let known =
            all.filter { $0.protocol == .inet } + (withVersion6 ? all.filter { $0.protocol == .inet6 } : [])
        var seen: Set<String> = []
        return known.compactMap(\.ipAddress).filter { address in
            !isLoopback(address) && !address.hasPrefix("169.254.") && !address.lowercased().hasPrefix("fe80:")
                && seen.insert(address).inserted
        }
    }
}
#endif
