#if Server
import Foundation
import MoodyIngest
import Testing

@testable import MoodyServer

/// What is printed when the server listens.
@Suite struct AddressTests {
    /// `hostname -I` prints the addresses of the machine's networks.
    @Test func `a server that listens on all addresses prints those that other machines can open`() throws {
        var options = ServerOptions(uploads: BytePath("/nowhere"))
        options.token = "0123456789abcdef+"
        options.host = "::1"
        #expect(options.pageAddresses(port: 80) == ["http://[::1]:80/?token=0123456789abcdef%2B"])
        options.host = "photos.local"
        #expect(options.pageAddresses(port: 8484) == ["http://photos.local:8484/?token=0123456789abcdef%2B"])
        options.token = nil
        let process = Process(), pipe = Pipe()
        process.executableURL = URL(filePath: "/bin/hostname")
        process.arguments = ["-I"]
        process.standardOutput = pipe
        guard (try? process.run()) != nil else { return }
        process.waitUntilExit()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let all = Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
        for (host, hasVersion6) in [("0.0.0.0", false), ("::", true)] {
            options.host = host
            let wanted = all.filter { hasVersion6 || !$0.contains(":") }
            let found = options.pageAddresses(port: 8484)
            let hosts = wanted.map { $0.contains(":") ? "[\($0)]" : $0 } + ["127.0.0.1"]
            #expect(Set(found) == Set(hosts.map { "http://\($0):8484/" }) && found.count == hosts.count)
            #expect(found.last == "http://127.0.0.1:8484/")
        }
    }
}
#endif
