internal import CSandbox
internal import Glibc

/// A worker, seen from the program. One thread at a time uses it.
struct DecodingWorker: Sendable {
    let worker: csandbox_worker
    /// The number of its server.
    let server: Int
    let layers: Confinement.Layers
    /// Bytes that it had taken before its first photo.
    private let memory: Int
    /// Bytes that it may take for the photo it has.
    private(set) var memoryLimit = 0
    /// Whether the system keeps it to that.
    private(set) var isBounded = true

    /// What became of a photo.
    enum Outcome {
        case answered(Result<Picture, ImageError>)
        case ended(Ending)
    }

    /// Why a worker is of no more use.
    enum Ending: Equatable {
        case gone, tooSlow, impossible
        case forbidden(call: Int)

        /// Whether it has still to be ended.
        var kills: Bool { self == .tooSlow || self == .impossible }
    }

    /// Waits for the first message of a new worker; nil when none comes.
    init?(_ worker: csandbox_worker, server: Int) {
        (self.worker, self.server) = (worker, server)
        guard case .message(.ready(let layers, let memory)) = Self.receive(worker, milliseconds: 10_000)
        else { return nil }
        (self.layers, self.memory) = (layers, memory)
    }

    /// A thread of this process that works as a worker does.
    init(thread: csandbox_worker) {
        (worker, server, memory) = (thread, 0, 0)
        layers = Confinement.Layers(hasSeccomp: false, landlock: 0)
    }

    /// Bounds the memory that it takes from now on, and the file.
    mutating func limit(memory limit: Int, file: Int) {
        memoryLimit = limit
        let refusal = csandbox_limit(worker.pid, memory + limit, file)
        isBounded = refusal == 0 || refusal == -ESRCH
    }

    func close() {
        Glibc.close(worker.channel)
        Glibc.close(worker.file)
    }

    /// Gives back the memory of a large photo.
    func rest() { csandbox_shorten(worker.file, 4 << 20) }

    /// Lets the worker decode a photo.
    mutating func decode(_ photo: [UInt8], _ format: ImageFormat, _ options: DecodingOptions) -> Outcome {
        let head = MemoryLayout<DecodingOptions>.size, room = options.mostPixelBytes
        // It has nothing to say yet, if it still lives.
        switch Self.receive(worker, milliseconds: 0) {
        case .nothing: break
        case .end: return .ended(.gone)
        case .message, .nonsense: return .ended(.impossible)
        }
        limit(
            memory: options.mostDecoderMemory(photo: photo.count),
            file: options.longestFile(photo: photo.count))
        let file = SharedFile(worker.file)
        guard file.write(options), file.write(photo, at: head),
            csandbox_send(worker.channel, WorkerMessage.decode(photo: photo.count).encoded) == 0
        else { return .ended(.gone) }
        var clock = WorkerClock(worker.pid, seconds: options.secondLimit)
        var share: MemoryShare?
        defer { withExtendedLifetime(share) {} }
        while true {
            switch Self.receive(worker, milliseconds: WorkerClock.tick) {
            case .nothing: if clock.hasRunOut() { return .ended(.tooSlow) }
            case .end: return .ended(.gone)
            case .message(.forbidden(let call)): return .ended(.forbidden(call: call))
            case .message(.needsMemory(let bytes))
            where share == nil && (0...memoryLimit).contains(bytes):
                clock.pause { share = MemoryBudget.shared.share(bytes: bytes) }
                guard csandbox_send(worker.channel, WorkerMessage.memoryGranted.encoded) == 0 else {
                    return .ended(.gone)
                }
            case .message(.answer(let record, let pixels)):
                let answer = answer(format, record: record, pixels: pixels, room: room)
                return answer.map { .answered($0) } ?? .ended(.impossible)
            case .message, .nonsense: return .ended(.impossible)
            }
        }
    }

    private func answer(
        _ format: ImageFormat, record: Int, pixels: Int, room: Int
    ) -> Result<Picture, ImageError>? {
        guard (0...PictureRecord.limit).contains(record), (0...room).contains(pixels) else { return nil }
        let file = SharedFile(worker.file)
        guard let bytes = file.read(record, at: 0), let answer = PictureRecord.answer(bytes, room: room)
        else {
            return nil
        }
        switch answer {
        case .refused(let error): return .failure(error)
        case .picture(let unfinished):
            guard unfinished.counts.reduce(0, +) == pixels else { return nil }
            var parts: [[UInt8]] = []
            var at = record
            for count in unfinished.counts {
                guard let part = file.read(count, at: at) else { return nil }
                parts.append(part)
                at += count
            }
            return .success(unfinished.picture(format, parts))
        }
    }

    private enum Received {
        case nothing, end, nonsense
        case message(WorkerMessage)
    }

    private static func receive(_ worker: csandbox_worker, milliseconds: Int32) -> Received {
        var message = csandbox_message()
        // SAFETY: writes one message.
        switch unsafe csandbox_receive(worker.channel, milliseconds, &message) {
        case 0: return .nothing
        case 1: return WorkerMessage(message).map { .message($0) } ?? .nonsense
        default: return .end
        }
    }
}

extension DecodingWorker.Ending {
    /// A sentence about the end of a worker.
    func words(_ decoder: String, _ death: csandbox_death, seconds: Int, memory: Int) -> String {
        switch self {
        case .tooSlow: return "\(decoder) took longer than \(seconds) s"
        case .impossible: return "\(decoder) gave an impossible answer"
        case .forbidden(let call):
            // SAFETY: a string literal, or none.
            let name = unsafe csandbox_call_name(Int64(call)).map { unsafe String(cString: $0) }
            return "\(decoder) used a forbidden call (\(name ?? "number \(call)"))"
        case .gone:
            if death.error != 0 { return "\(decoder) ended with its process" }
            if death.signal == 0 { return "\(decoder) ended with status \(death.status)" }
            // SAFETY: as above.
            let name = unsafe csandbox_signal_name(death.signal).map { unsafe String(cString: $0) }
            let signal = name ?? "signal \(death.signal)"
            if death.signal == SIGSYS { return "\(decoder) used a forbidden call" }
            if death.signal == SIGKILL { return "\(decoder) was killed (\(signal))" }
            // What cannot get memory mostly crashes.
            if death.most_memory > memory / 4 * 3 {
                return "\(decoder) used more than \(memory >> 20) MB (\(signal))"
            }
            return "\(decoder) crashed (\(signal))"
        }
    }
}

/// The time of a photo: of processor, so that a busy machine fails no photo; by the clock only for a worker
/// that does nothing.
struct WorkerClock {
    /// Milliseconds between two looks.
    static let tick: Int32 = 250
    /// Looks at a worker that does nothing before it counts as stuck.
    private static let idleTicks = 12

    private let pid: pid_t
    private let limit: Double
    private let atStart: Double
    private var last: Double
    private var idle = 0
    private var begun = SuspendingClock.now

    init(_ pid: pid_t, seconds: Int) {
        self.pid = pid
        limit = Double(seconds)
        atStart = Self.processor(pid)
        last = atStart
    }

    mutating func hasRunOut() -> Bool {
        let used = Self.processor(pid)
        idle = used - last < 0.001 ? idle + 1 : 0
        last = used
        if used - atStart >= limit { return true }
        return idle >= Self.idleTicks && (SuspendingClock.now - begun) / .seconds(1) >= limit
    }

    /// Runs what the worker waits for.
    mutating func pause(_ body: () -> Void) {
        let start = SuspendingClock.now
        body()
        begun += SuspendingClock.now - start
        idle = 0
    }

    private static func processor(_ pid: pid_t) -> Double {
        max(0, Double(csandbox_processor(pid)) / 1e9)
    }
}

extension DecodingOptions {
    /// Pixels that a picture has at most, whatever the kind of file.
    private var mostPictureSize: Int {
        let (square, overflows) = side.multipliedReportingOverflow(by: side)
        // A picture is less than twice as long as is wanted.
        let wanted = overflows || square > pixelLimit / 4 ? pixelLimit : square * 4
        // A JPEG is never shrunk further than to 1/8.
        let whole = max(wholePixels, decodedJPEGPixels, wanted, pixelLimit / 64, exact ? imagePixelLimit : 0)
        return min(whole, pixelLimit)
    }

    /// Bytes of all pixels that a worker may answer with.
    var mostPixelBytes: Int {
        // The means of areas of four by four pixels at least; a sample, which may have more pixels than are
        // wanted; and a wide sample.
        let means = meansSide > 0 ? pixelLimit / 4 : 0
        return mostPictureSize * 4 + means + samplePixels * 64 + WideSample.limit * 32 + (1 << 20)
    }

    /// Bytes of the file that the program and a worker have for a photo.
    func longestFile(photo count: Int) -> Int {
        max(MemoryLayout<DecodingOptions>.size + count, PictureRecord.limit + mostPixelBytes)
    }

    /// Bytes that a worker may take for a photo: the limits of its library, the picture twice, once to turn
    /// it, and the file.
    func mostDecoderMemory(photo count: Int) -> Int {
        let library = max(wholeMemoryLimit, coefficientMemoryLimit, rowMemoryLimit)
        return library / 2 * 3 + chunkLimit * 2 + mostPixelBytes * 2 + count * 3 + (128 << 20)
    }
}
