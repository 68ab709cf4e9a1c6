package import MoodyGallery
package import MoodyIngest

/// Options of a gallery server.
package struct ServerOptions: Sendable {
    /// The address to listen on. With `127.0.0.1`, `::1` too.
    package var host = "127.0.0.1"
    /// 0 for any free port.
    package var port = 8484
    /// Names in `Host` that are allowed besides our own: those that a proxy forwards.
    package var allowedHosts: [String] = []
    /// The secret that every caller must send; nil for none.
    package var token: String?
    /// Makes cookies that stay good when the server is started again; nil for others.
    package var cookieSecret: String?
    package var isReadOnly = false
    /// Bytes of one uploaded photo.
    package var maxUpload = 64 << 20
    /// Where uploaded photos go.
    package var uploads: BytePath
    /// Folders that are kept up to date besides the uploads.
    package var folders: [BytePath] = []
    package var privacy = PagePrivacy(showsPaths: true, showsPlaces: true)
    package var title = "Palettes"
    package var limits = ServerLimits()
    package var listLimits = LiveList.Limits()

    package init(uploads: BytePath) { self.uploads = uploads }

    /// Whether only this machine can reach the server.
    package var isLoopback: Bool { Self.isLoopback(host) }

    package static func isLoopback(_ host: String) -> Bool {
        host == "::1" || host == "localhost"
            || (host.hasPrefix("127.") && host.split(separator: ".").count == 4
                && host.allSatisfy { $0.isNumber || $0 == "." })
    }
}

/// How much of each thing there may be at once.
package struct ServerLimits: Sendable {
    package var connections = 512, viewers = 256, lists = 16, uploads = 8
    /// Bytes. A head has room for a condition of as many characters, of four bytes each, percent-encoded.
    package var head = 64 << 10, condition = 4 << 10, query = 512
    package var fields = 64
    /// Seconds for a head, and between bytes of a body.
    package var idle = 10.0
    /// The lowest average rate of a body in bytes per second, and seconds after which it is looked at.
    package var slowest = 1024, grace = 30.0
    /// Frames that wait for one viewer, and seconds that one write to it may take.
    package var frames = 32, write = 20.0
    /// Lists that are sent at once, and the lowest rate in bytes per second at which their readers take them,
    /// after ``write`` seconds.
    package var snapshots = 64, pace = 8 << 10
    /// The rate in bytes per second below which a photo on its way makes room for another one.
    package var busy = 64 << 10
    /// Seconds between beats.
    package var beat = 3.0
    /// Pictures that wait to be made, are made at once, and bytes of those that are kept.
    package var pictures = 64, makers = 2, pictureBytes = 32 << 20
    /// Seconds until folders are looked at again that could not be: on a full disk, under another's lock.
    package var pause = 10.0
    /// Bytes that must stay free on the disk of the uploads.
    package var free = 256 << 20
    /// Seconds in which a question, `where` or `q`, is answered, questions that wait for their answers, and
    /// words of a `q`.
    package var question = 5.0, questions = 16, words = 32
    /// Seconds in which a deletion can be taken back, and in which bodies may end when the server does.
    package var undo = 120.0, ending = 5.0
    package init() {}
}
