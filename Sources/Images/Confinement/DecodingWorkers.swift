internal import CSandbox
internal import Glibc
internal import Synchronization

/// The workers of this process: one per photo that is being decoded, kept for the next one.
final class DecodingWorkers: Sendable {
    private let executable: String
    private let mode: Confinement.Mode
    private let onNote: @Sendable (String) -> Void
    private let state = Mutex<State>(State())
    /// Tried once.
    private let tried = Mutex<Confinement.Layers?>(nil)

    private struct State {
        var server: csandbox_server?
        /// Servers so far.
        var servers = 0
        var idle: [DecodingWorker] = []
        var told: Set<String> = []
    }

    /// Why there is no worker.
    private struct Unavailable: Error {
        let reason: String
    }

    init(executable: String, mode: Confinement.Mode, onNote: @escaping @Sendable (String) -> Void) {
        (self.executable, self.mode, self.onNote) = (executable, mode, onNote)
    }

    /// The layers that workers get on this system.
    var layers: Confinement.Layers {
        tried.withLock { tried in
            let layers = tried ?? Confinement.layers
            tried = layers
            return layers
        }
    }

    deinit {
        state.withLock { state in
            for worker in state.idle { _ = csandbox_end(state.server?.control ?? -1, worker.worker, true) }
            if let server = state.server { csandbox_stop(server) }
        }
    }

    /// Decodes a photo in a worker.
    ///
    /// - Throws: ``ImageError``: the decoder's own, or ``ImageError/decoderFailed(_:)`` when the worker did
    ///   not live to answer.
    func picture(
        _ photo: [UInt8], _ format: ImageFormat, _ options: DecodingOptions
    ) throws(ImageError) -> Picture {
        var last = ""
        // A worker that another process killed, as the kernel does when memory runs out, says nothing of the
        // photo.
        for _ in 0..<3 {
            var worker: DecodingWorker
            do throws(Unavailable) {
                worker = try take(forFilesOf: options.longestFile(photo: photo.count))
            } catch {
                if mode == .require { throw .decoderFailed("no worker to decode in: \(error.reason)") }
                tell("decoders are not confined: \(error.reason)")
                return try Picture(decoding: photo, format, options)
            }
            let outcome = worker.decode(photo, format, options)
            if !worker.isBounded { tell("this system does not bound the memory of decoders") }
            switch outcome {
            case .answered(let result):
                // Whoever took over a worker has it no longer than for one photo of a stranger.
                if options.isConfined { _ = end(worker, kills: true) } else { giveBack(worker) }
                return try result.get()
            case .ended(let ending):
                let death = end(worker, kills: ending.kills)
                last = ending.words(
                    "the decoder of \(format.name)", death, seconds: options.secondLimit,
                    memory: worker.memoryLimit)
                let isOthers = ending == .gone && (death.error != 0 || death.signal == SIGKILL)
                if !isOthers { throw .decoderFailed(last) }
            }
        }
        throw .decoderFailed(last)
    }

    /// A worker that reads an archive, to be ended with ``end(_:kills:)``; nil where none can be started, and
    /// may be done without.
    func reader(forFilesOf length: Int) throws(ArchiveError) -> DecodingWorker? {
        do throws(Unavailable) { return try take(forFilesOf: length) } catch {
            if mode == .require { throw .reader("no process to read archives in: \(error.reason)") }
            tell("decoders are not confined: \(error.reason)")
            return nil
        }
    }

    // MARK: - Workers

    private func take(forFilesOf length: Int) throws(Unavailable) -> DecodingWorker {
        guard csandbox_may_write(length) else {
            throw Unavailable(reason: "this process may not write files of \(length >> 20) MB (ulimit -f)")
        }
        let worker: Result<DecodingWorker, Unavailable> = state.withLock { state in
            if let idle = state.idle.popLast() { return .success(idle) }
            // Once more when the server died: its workers did, too.
            for _ in 0..<2 {
                if state.server == nil {
                    WorkingMemory.keepSmallBlocks()
                    // SAFETY: strings that are only read.
                    let server = unsafe csandbox_start(executable, Confinement.verb)
                    if server.error != 0 {
                        return .failure(Unavailable(reason: "no process for them: \(words(server.error))"))
                    }
                    state.server = server
                    state.servers += 1
                }
                let forked = csandbox_fork(state.server?.control ?? -1)
                if forked.error == 0, let worker = DecodingWorker(forked, server: state.servers) {
                    return .success(worker)
                }
                if forked.error == 0 { _ = csandbox_end(state.server?.control ?? -1, forked, true) }
                forget(&state)
            }
            return .failure(Unavailable(reason: "their process cannot be started"))
        }
        let ready = try worker.get()
        let layers = ready.layers
        if !layers.hasSeccomp {
            if mode == .require {
                _ = end(ready, kills: true)
                throw Unavailable(reason: "this system offers no seccomp")
            }
            tell("decoders are processes of their own, but not confined: this system offers no seccomp")
        } else if layers.landlock == nil {
            tell("decoders are confined by seccomp alone: this system offers no Landlock")
        }
        return ready
    }

    private func giveBack(_ worker: DecodingWorker) {
        worker.rest()
        state.withLock { state in
            if worker.server == state.servers { state.idle.append(worker) } else { worker.close() }
        }
    }

    func end(_ worker: DecodingWorker, kills: Bool) -> csandbox_death {
        state.withLock { state in
            // The workers of a server that is gone are, too.
            guard worker.server == state.servers, let server = state.server else {
                worker.close()
                return csandbox_death(signal: 0, status: 0, most_memory: 0, error: -ESRCH)
            }
            let death = csandbox_end(server.control, worker.worker, kills)
            if death.error != 0 { forget(&state) }
            return death
        }
    }

    /// Ends a server that does not answer. Its workers end with it.
    private func forget(_ state: inout State) {
        for worker in state.idle { worker.close() }
        state.idle = []
        guard let server = state.server else { return }
        kill(server.pid, SIGKILL)
        csandbox_stop(server)
        state.server = nil
    }

    private func tell(_ note: String) {
        if state.withLock({ $0.told.insert(note).inserted }) { onNote(note) }
    }

    private func words(_ error: Int32) -> String {
        // SAFETY: a string that is copied at once.
        unsafe String(cString: strerror(-error))
    }
}
