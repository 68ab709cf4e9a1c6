import ArgumentParser
import DataStacks
import Digests
import Foundation
import Glibc
import Images
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import Texts

#if Server
import MoodyServer
#endif

struct ServeCommand: AsyncParsableCommand, DecodingCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve a live gallery of the store to a browser.",
        discussion: """
            Prints the address of a page that follows the store: every open page shows at once what any \
            process adds, changes, or deletes, and what is copied into a watched folder. Photos can be added \
            in the page (dropped, picked, or taken with the camera); they become files in the uploads \
            folder. A deletion can be undone for two minutes; photos are never deleted.

            Only this machine can reach the page, unless --host or --allow-host says otherwise; then the \
            printed address contains a token, without which every request is refused. There is no TLS: \
            docs/SERVE.md shows how to use ssh -L or a proxy. Ctrl-C stops the server, with status 0.

            Examples:
              moody serve --watch Photos
              moody serve --port 0 --read-only
            """)

    @Option(
        help: ArgumentHelp("Watch this folder for photos (repeatable).", valueName: "dir"))
    var watch: [BytePath] = []

    @Option(help: ArgumentHelp("Listen on this address.", valueName: "address"))
    var host = "127.0.0.1"

    @Option(help: ArgumentHelp("Listen on this port; 0 for any free port.", valueName: "number"))
    var port = 8484

    @Option(
        help: ArgumentHelp(
            "Keep added photos in this folder (default: \"Moody Photos\" beside the store).",
            valueName: "dir"))
    var uploads: BytePath?

    @Option(help: ArgumentHelp("Accept photos of at most this size: 1...4096.", valueName: "MB"))
    var maxUpload = 64

    @Option(help: ArgumentHelp("Show this title.", valueName: "text"))
    var title = "Palettes"

    @Flag(help: "Only show photos: add and delete nothing, watch no folder.")
    var readOnly = false

    @Option(
        help: ArgumentHelp(
            "Require this token of at least 16 characters (default with --host, --allow-host: random).",
            valueName: "text"))
    var token: String?

    @Option(
        help: ArgumentHelp(
            "Require the token in this file's first line: no list of processes shows it.",
            valueName: "file"))
    var tokenFile: BytePath?

    @Option(
        help: ArgumentHelp(
            "Accept this host name, too, as a proxy forwards it (repeatable).", valueName: "name"))
    var allowHost: [String] = []

    @Flag(help: "Show other machines the folders of photos.")
    var withPaths = false

    @Flag(help: "Show other machines where photos were taken.")
    var withPlaces = false

    @Flag(help: "Open the page in a browser.")
    var open = false

    @OptionGroup var photos: PhotoOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var message: MessageOptions

    var decoding: DecodingArguments { photos.palette.decoding }

    func validate() throws {
        if !(0...65535).contains(port) { throw UsageError("--port must be 0...65535, not \(port).") }
        if !(1...4096).contains(maxUpload) {
            throw UsageError("--max-upload must be 1...4096, not \(maxUpload).")
        }
        if let token, token.count < 16 {
            throw UsageError("--token must have at least 16 characters, not \(token.count).")
        }
        if token != nil, tokenFile != nil { throw UsageError("--token does not go with --token-file.") }
        if readOnly, !watch.isEmpty || uploads != nil {
            throw UsageError("--read-only goes neither with --watch nor with --uploads.")
        }
        if host.isEmpty { throw UsageError("--host must name an address.") }
    }

    func run() async throws {
        #if Server
        try await serve()
        #else
        throw StoreProblem("this build has no server: build it with the trait Server")
        #endif
    }
}

#if Server
extension ServeCommand {
    private func serve() async throws {
        let messages = message.messages()
        // A slip of the pen makes no store.
        try checkFolders(messages)
        let stack = try store.open(isReadOnly: readOnly, makesStore: !readOnly, messages)
        defer { try? stack.close() }
        // A store that is only read has one connection.
        let second = readOnly ? try store.open(isReadOnly: true, makesStore: false, messages) : nil
        defer { try? second?.close() }
        let number = (try? FileStatus(at: store.path))?.number
        let store = store, photos = photos, isReadOnly = readOnly
        var callbacks = GalleryServer.Callbacks()
        callbacks.onNote = { messages.note("moody: \($0)") }
        callbacks.onProblem = { messages.problem($0, $1) }
        callbacks.onError = { messages.problem($0) }
        messages.note("moody: sandbox: \(Confinement.summary)")
        callbacks.isStoreThere = { (try? FileStatus(at: store.path))?.number == number }
        let opens = open
        callbacks.onListening = { addresses in
            for address in addresses {
                StandardOutput.shared.line("moody: \(address)")
                try? StandardOutput.shared.flush()
            }
            if opens, let first = addresses.first { Self.openBrowser(at: first, messages) }
        }
        do {
            if !isReadOnly { try photos.keep(photos.options(stack, store).settings.palette, in: stack) }
            let server = try GalleryServer(stack, second: second, options(), callbacks: callbacks) {
                try photos.options(stack, store)
            }
            let signals = Signals { _ in server.stop() }
            try await server.run()
            withExtendedLifetime(signals) {}
        } catch let error as ServerError {
            throw StoreProblem("\(error)")
        } catch  where error is ExitCode || error is OutputError || error is StoreProblem {
            throw error
        } catch { throw StoreProblem(store.path, error) }
    }

    private func options() throws -> ServerOptions {
        var options = ServerOptions(uploads: try uploads ?? defaultUploads())
        (options.host, options.port, options.allowedHosts) = (host, port, allowHost)
        (options.isReadOnly, options.maxUpload) = (readOnly, maxUpload << 20)
        options.folders = watch
        options.title = title
        // Behind a proxy, too, others read.
        let isOpen = !options.isLoopback || !allowHost.isEmpty
        let given = try token ?? tokenFile.map(readToken)
        if isOpen || given != nil {
            let kept = keptToken()
            options.token = given ?? kept
            options.cookieSecret = kept
        }
        if isOpen {
            options.privacy = PagePrivacy(showsPaths: withPaths, showsPlaces: withPlaces)
        }
        return options
    }

    private func readToken(_ file: BytePath) throws -> String {
        let bytes: [UInt8]
        do { bytes = try readList(file) } catch { throw StoreProblem(file, error) }
        let line = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
        let token = line.trimmingCharacters(in: .whitespacesAndNewlines)
        if token.count < 16 {
            throw StoreProblem("\(file): a token must have at least 16 characters, not \(token.count)")
        }
        return token
    }

    /// The token of this user for this store: pages that are open stay so when the server is started again.
    private func keptToken() -> String {
        let environment = ProcessInfo.processInfo.environment
        let named = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        guard let state = named ?? environment["HOME"].map({ $0 + "/.local/state" }) else {
            return Self.freshToken()
        }
        let folder = URL(filePath: state).appending(path: "moody")
        let path = (try? store.path.resolved()) ?? store.path
        let digits = Hexadecimal.text(sha256(path.bytes).prefix(16))
        let file = folder.appending(path: "token-\(digits)")
        let kept = (try? String(contentsOf: file, encoding: .utf8))?.trimmingCharacters(in: .newlines)
        if let kept, kept.count >= 16 { return kept }
        let token = Self.freshToken()
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        _ = FileManager.default.createFile(
            atPath: file.path, contents: Data((token + "\n").utf8), attributes: [.posixPermissions: 0o600])
        return token
    }

    /// 128 bits.
    private static func freshToken() -> String {
        (0..<2).map { _ in Hexadecimal.text(UInt64.random(in: 0 ... .max)) }.joined()
    }

    /// `Moody.moody` -> `Moody Photos`, beside it.
    private func defaultUploads() throws -> BytePath {
        let path = store.path.followingLinks
        let cut = path.name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? $0 : nil }
        let stem = cut.map { Array(path.name[..<$0]) } ?? path.name
        return path.folder.appending(stem + Array(" Photos".utf8))
    }

    private func checkFolders(_ messages: Messages) throws {
        var isAnyThere = watch.isEmpty
        for folder in watch {
            do throws(FileError) {
                guard try FileStatus(at: folder).kind == .folder else { throw FileError(code: ENOTDIR) }
                isAnyThere = true
            } catch { messages.problem(folder.description, "\(error)") }
        }
        if !isAnyThere { throw ExitCode(1) }
        guard let uploads, let status = try? FileStatus(at: uploads) else { return }
        if status.kind != .folder { throw StoreProblem("\(uploads): \(FileError(code: ENOTDIR))") }
        if FileFinder.isOwn(try uploads.resolved()) {
            throw StoreProblem("\(uploads): moody wrote this folder and never reads photos in it")
        }
    }

    /// Detached: the browser outlives the server.
    private static func openBrowser(at address: String, _ messages: Messages) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["xdg-open", address]
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        do { try process.run() } catch { messages.note("moody: note: no browser could be opened") }
    }
}
#endif
