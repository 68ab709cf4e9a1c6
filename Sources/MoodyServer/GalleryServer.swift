#if Server
package import DataStacks
import Dispatch
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Images
import Logging
import ManagedObjects
import MoodyGallery
package import MoodyIngest
import MoodyModel
import NIOCore
import ServiceLifecycle
import Synchronization

/// The live gallery: a page over a store that follows it, takes photos in and deletes moods.
///
/// Owns all that a running server has; ``run()`` returns when ``stop()`` was called, or throws why it ended.
package final class GalleryServer: Sendable {
    /// Callbacks, called on any thread.
    package struct Callbacks: Sendable {
        /// Called with the addresses of the page, when it can be opened.
        package var onListening: @Sendable ([String]) -> Void = { _ in }
        package var onNote: @Sendable (String) -> Void = { _ in }
        /// A path as the user would write it, and why it could not be read.
        package var onProblem: @Sendable (String, String) -> Void = { _, _ in }
        /// Called with internal failures, for the log.
        package var onError: @Sendable (String) -> Void = { _ in }
        /// Whether the store's file is still the one that was opened.
        package var isStoreThere: @Sendable () -> Bool = { true }

        package init() {}
    }

    private typealias EndHandler = @Sendable (any Error) -> Void

    /// A resource that is sent as it is.
    struct Resource: Sendable {
        let body: [UInt8]
        let tag: String
        var policy = ""

        init(_ body: [UInt8], policy: String = "") {
            (self.body, self.policy, tag) = (body, policy, ContentDigits.of(body + Array(policy.utf8)))
        }
    }

    let stack: DataStack
    private let second: DataStack?
    let options: ServerOptions
    let lists: Lists
    let pictures: PictureDesk
    /// Nil in a gallery that only shows.
    let marks: Marks?
    let intake: Intake?
    /// Why there is no intake.
    let whyNoUploads: String
    let page: Resource
    let openapi: Resource
    let questions: Questions
    /// Short reads of the store, one after the other, on a thread that may wait.
    let reads = DispatchQueue(label: "moody.reads")
    private let desk: FolderDesk?
    private let callbacks: Callbacks
    private let gateBox = Mutex<Gate?>(nil)
    private let state = Mutex<State>(State())

    private struct State {
        var nextViewer: UInt64 = 0
        var viewers = 0
        var snapshots = 0
        var listeners: [Listener] = []
        var port = 0
        var wasStopped = false
        var end: (any Error)?
        var followers: [StackFollower] = []
        var timer: Timer?
    }

    /// @unchecked Sendable: a dispatch source may be used from any thread, and this one is only kept and
    /// ended.
    private struct Timer: @unchecked Sendable { let source: any DispatchSourceTimer }

    /// Reads the list, and makes the uploads folder.
    ///
    /// - Parameters:
    ///   - second: another stack over the same store, for what may take long; nil where the own store has
    ///     connections enough, as one that is opened to write.
    ///   - ingest: how photos are read; asked before each run.
    /// - Throws: ``StoreError``, ``ServerError``.
    package init(
        _ stack: DataStack, second: DataStack? = nil, _ options: ServerOptions,
        callbacks: Callbacks = Callbacks(),
        ingest: @escaping @Sendable () throws -> IngestOptions
    ) throws {
        (self.stack, self.second, self.options, self.callbacks) = (stack, second, options, callbacks)
        // Photos come from strangers.
        let ingest: @Sendable () throws -> IngestOptions = {
            var options = try ingest()
            options.settings.limits.isConfined = true
            return options
        }
        for stack in [stack, second].compactMap(\.self) {
            stack.takeInOthers(updating: { try ChangeReport.moods(of: $0, in: $1) })
        }
        questions = Questions(second ?? stack, limits: options.limits)
        let pictures = PictureDesk(stack, limits: options.limits)
        self.pictures = pictures
        lists = try Lists(
            stack, asked: second ?? DataStack(besideReaderOf: stack), options.privacy,
            limits: options.listLimits, most: options.limits.lists,
            questions: questions,
            onChange: { pictures.forget($0) })
        var intake: Intake?, why = "this gallery only shows"
        if !options.isReadOnly {
            do {
                intake = try Intake(options.uploads, stack, limits: options.limits, options: ingest)
            } catch let error as FileError {
                why = "photos cannot be taken in: the uploads folder: \(error)"
                callbacks.onProblem(options.uploads.description, "\(error); no photos are taken in")
            }
        }
        (self.intake, whyNoUploads) = (intake, why)
        marks =
            options.isReadOnly
            ? nil : Marks(stack, lifetime: options.limits.undo, onPurge: { pictures.forget($0) })
        let live = GalleryPage.live(
            title: options.title, isReadOnly: intake == nil, maxUpload: options.maxUpload)
        page = Resource(live.html, policy: live.policy)
        openapi = Resource(EmbeddedFile.bytes("openapi.json"))
        let folders = options.folders + (intake.map { [$0.folder] } ?? [])
        let lists = lists
        let ended = Mutex<EndHandler?>(nil)
        desk =
            options.isReadOnly || folders.isEmpty
            ? nil
            : FolderDesk(
                folders, stack, options: ingest, showsPaths: options.privacy.showsPaths,
                pause: options.limits.pause,
                isBusy: { [intake] in intake?.isReading($0) == true }, problem: callbacks.onProblem
            ) { news in
                switch news {
                case .progress(let progress):
                    let event = EventText.event("progress", progress.fields)
                    for entry in lists.all { entry.broadcast.send(event, isOptional: true) }
                case .problem(let problem):
                    let event = EventText.event("problem", problem.fields)
                    for entry in lists.all { entry.broadcast.send(event, isOptional: true) }
                case .note(let text): callbacks.onNote(text)
                case .ended(let error): ended.withLock { $0 }?(error)
                }
            }
        ended.withLock { $0 = { [weak self] error in self?.stop(because: error) } }
    }

    /// The gate, once the port is known.
    var gate: Gate {
        gateBox.withLock { $0 }
            ?? Gate(host: options.host, port: options.port, allowed: [], token: options.token)
    }

    /// What could not be read of the folders.
    var problems: [FolderProblems.Problem] { desk?.problems.all.problems ?? [] }

    func log(_ text: String) { callbacks.onError(text) }

    /// - Throws: ``Refusal`` 403 in a gallery that only shows.
    func writable() throws(Refusal) -> Marks {
        guard let marks else { throw Refusal(403, "this gallery only shows", closes: true) }
        return marks
    }

    // MARK: Viewers and snapshots

    /// A place among a limited number of viewers or snapshots, given back on deinit: the body of a response
    /// may never run, as after HEAD or when the client has left.
    final class Seat: Sendable {
        private let giveBack: @Sendable () -> Void
        fileprivate init(_ giveBack: @escaping @Sendable () -> Void) { self.giveBack = giveBack }
        deinit { giveBack() }
    }

    /// - Returns: a viewer, counted for as long as its seat lives; nil when there are too many.
    func makeViewer(_ kind: Viewer.Kind, _ channel: any Channel) -> (viewer: Viewer, seat: Seat)? {
        let viewer = state.withLock { state -> Viewer? in
            if state.wasStopped || state.viewers >= options.limits.viewers { return nil }
            state.viewers += 1
            state.nextViewer += 1
            return Viewer(
                id: state.nextViewer, kind: kind, mostWaiting: options.limits.frames, channel: channel)
        }
        return viewer.map { ($0, Seat { [self] in state.withLock { $0.viewers -= 1 } }) }
    }

    /// The lists being sent.
    var snapshotCount: Int { state.withLock { $0.snapshots } }

    /// - Returns: a seat to hold while the list is sent.
    /// - Throws: ``Refusal`` 503 when too many lists are being sent.
    func takeSnapshot() throws(Refusal) -> Seat {
        let isFull = state.withLock { state in
            if state.snapshots >= options.limits.snapshots { return true }
            state.snapshots += 1
            return false
        }
        if isFull { throw Refusal(503, "too many pages are beginning", retryAfter: 1) }
        return Seat { [self] in state.withLock { $0.snapshots -= 1 } }
    }

    var status: JSON {
        let list = lists.page.list, limits = options.limits
        let (problems, revision) = desk?.problems.all ?? ([], 0)
        return .object([
            ("v", 1), ("version", .string("0.1.0")), ("sandbox", .string(Confinement.summary)),
            ("list", .string(list.name)),
            ("count", .number(Int64(list.count))),
            ("generation", .number(Int64(clamping: list.generation))),
            ("viewers", .number(Int64(lists.viewers))),
            ("progress", desk?.progress.map { .object($0.fields) } ?? .null),
            ("problems", .array(problems.map { .object($0.fields) })),
            ("revision", .number(Int64(clamping: revision))),
            (
                "limits",
                .object([
                    ("readOnly", .bool(options.isReadOnly)), ("uploads", .bool(intake != nil)),
                    ("maxUpload", .number(Int64(options.maxUpload))),
                    ("undoSeconds", .number(Int64(limits.undo))),
                    ("viewers", .number(Int64(limits.viewers))),
                    ("connections", .number(Int64(limits.connections))),
                ])
            ),
        ])
    }

    // MARK: Life

    /// Listens, follows, watches, until ``stop()``.
    ///
    /// - Throws: ``ServerError``; what ended the server.
    package func run() async throws {
        let logger = Self.logger
        let main = application(options.host, options.port, logger) { [self] channel in
            begin(port: channel.localAddress?.port ?? options.port)
            if options.host == "127.0.0.1" { alsoListen(on: "::1", logger) }
        }
        let failure: (any Error)?
        do {
            try await Listener.start(main, logger, in: self)?.task.value
            failure = nil
        } catch { failure = error }
        let (end, wasStopped) = state.withLock { ($0.end, $0.wasStopped) }
        await finish()
        if let end { throw end }
        if let failure, !wasStopped { throw listening(failure) }
    }

    /// A listening address.
    private struct Listener: Sendable {
        let group: ServiceGroup
        let task: Task<Void, any Error>

        /// Nil when the server has been stopped already.
        static func start(_ service: some Service, _ logger: Logger, in server: GalleryServer) -> Listener? {
            let group = ServiceGroup(configuration: .init(services: [service], logger: logger))
            return server.state.withLock { state in
                if state.wasStopped { return nil }
                let listener = Listener(group: group, task: Task { try await group.run() })
                state.listeners.append(listener)
                return listener
            }
        }
    }

    /// Quiet: failures of a single connection concern its caller only.
    private static let logger: Logger = {
        var logger = Logger(label: "moody.http")
        logger.logLevel = .critical
        return logger
    }()

    private func application(
        _ host: String, _ port: Int, _ logger: Logger,
        onRunning: @escaping @Sendable (any Channel) async -> Void
    ) -> some Service {
        var configuration = HTTP1Channel.Configuration(
            idleTimeout: .milliseconds(Int64(options.limits.idle * 1000)))
        configuration.httpDecoder = .init(
            maxHeaderFieldSize: options.limits.head, maxHeaderListSize: options.limits.head,
            maxHeaderFieldCount: options.limits.fields)
        return Application(
            responder: Routes(server: self), server: .http1(configuration: configuration),
            configuration: .init(
                address: .hostname(host, port: port),
                availableConnectionsDelegate: .maximum(options.limits.connections, logger: logger)),
            onServerRunning: onRunning, logger: logger)
    }

    /// `localhost` may be either; a machine without the other address does without.
    private func alsoListen(on host: String, _ logger: Logger) {
        let second = application(host, state.withLock { $0.port }, logger) { _ in }
        _ = Listener.start(second, logger, in: self)
    }

    private func listening(_ error: any Error) -> any Error {
        let reason: String
        if let error = error as? IOError {
            reason = FileError(code: error.errnoCode).description
        } else if error is SocketAddressError || error is SocketAddressError.UnknownHost {
            reason = "no such address"
        } else {
            return error
        }
        return ServerError.cannotListen(host: options.host, port: options.port, reason: reason)
    }

    private func begin(port: Int) {
        let gate = Gate(
            host: options.host, port: port, allowed: options.allowedHosts, token: options.token,
            secret: options.cookieSecret)
        gateBox.withLock { $0 = gate }
        state.withLock { $0.port = port }
        let followers = [stack, second].compactMap(\.self).map { stack in
            stack.followOthers(updating: { try ChangeReport.moods(of: $0, in: $1) })
        }
        state.withLock { $0.followers = followers }
        let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "moody.beat"))
        source.schedule(deadline: .now() + options.limits.beat, repeating: options.limits.beat)
        source.setEventHandler { [weak self] in self?.beat() }
        source.resume()
        let timer = Timer(source: source)
        state.withLock { $0.timer = timer }
        marks?.start()
        callbacks.onListening(options.pageAddresses(port: port))
        desk?.start()
    }

    private func beat() {
        for entry in lists.all {
            entry.broadcast.cutOffStuck(after: options.limits.write)
            let fields: [(String, JSON)] = [
                ("generation", .number(Int64(clamping: entry.list.generation))),
                ("problems", .number(Int64(clamping: desk?.problems.revision ?? 0))),
            ]
            entry.broadcast.send(EventText.event("beat", fields), isOptional: true)
        }
        lists.dropUnused()
        desk?.problems.lookAgain()
        if !callbacks.isStoreThere() {
            stop(because: ServerError.storeIsGone("the store was removed or replaced; the server ends"))
        }
    }

    /// Ends the server; what is under way is finished.
    package func stop() { stop(because: nil) }

    private func stop(because error: (any Error)?) {
        let (listeners, isFirst) = state.withLock { state -> ([Listener], Bool) in
            if state.wasStopped { return ([], false) }
            (state.wasStopped, state.end) = (true, error)
            return (state.listeners, true)
        }
        if !isFirst { return }
        let bye = EventText.event("bye", [])
        for entry in lists.all {
            entry.broadcast.send(bye)
            entry.broadcast.end()
        }
        let seconds = options.limits.ending
        Task { [lists, questions] in
            for listener in listeners { await listener.group.triggerGracefulShutdown() }
            try? await Task.sleep(for: .seconds(seconds))
            for entry in lists.all { entry.broadcast.cutOff() }
            questions.end()
            for listener in listeners { listener.task.cancel() }
        }
    }

    private func finish() async {
        let timer = state.withLock { state in
            defer { (state.timer, state.followers) = (nil, []) }
            state.wasStopped = true
            return state.timer
        }
        timer?.source.cancel()
        let done = DispatchQueue(label: "moody.end")
        try? await done.run { [self] in
            questions.stop()
            desk?.stop()
            intake?.stop()
            marks?.stop()
            lists.stop()
        }
    }
}
#endif
