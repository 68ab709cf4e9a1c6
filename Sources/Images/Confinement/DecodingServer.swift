internal import CArchives
internal import CSandbox
internal import Glibc
internal import Synchronization

/// The process that forks workers, and the workers.
public enum DecodingServer {
    /// Serves the program that started this process, until it ends.
    ///
    /// To be called before this process has threads: a fork has the caller's alone.
    public static func run() -> Never {
        guard csandbox_threads() == 1 else { exit(1) }
        WorkingMemory.keepSmallBlocks()
        carchives_prepare()
        csandbox_serve(3) { DecodingJob($0).run() }
        exit(0)
    }
}

/// A worker's work: a photo from the file, an answer into it.
private struct DecodingJob {
    private let inside: csandbox_inside

    init(_ inside: csandbox_inside) { self.inside = inside }

    /// Decodes until the program wants no more.
    func run() {
        let layers = Confinement.Layers(inside.layers)
        guard send(.ready(layers, memory: inside.memory)) else { return }
        MemoryBudget.shared.lend { bytes in
            guard send(.needsMemory(bytes)), case .memoryGranted? = receive() else { exit(1) }
        }
        while let message = nextMessage() {
            if message.kind == carchives_kind.open.rawValue {
                return carchives_read(inside.channel, inside.file, message)
            }
            guard case .decode(let count)? = WorkerMessage(message) else { return }
            guard let options = options, let photo = read(count, at: MemoryLayout<DecodingOptions>.size)
            else { return }
            guard answer(photo, options) else { return }
        }
    }

    private func answer(_ photo: [UInt8], _ options: DecodingOptions) -> Bool {
        #if DEBUG
        if let message = PlantedDecoder(in: photo)?.message(inside) { return send(message) }
        #endif
        let result: Result<Picture, ImageError>
        do throws(ImageError) {
            guard let format = ImageFormat(bytes: photo) else { throw .unknownFormat }
            result = .success(try Picture(decoding: photo, format, options))
        } catch { result = .failure(error) }
        var (record, pixels) = PictureRecord.encoded(result)
        if record.count > PictureRecord.limit {
            (record, pixels) = PictureRecord.encoded(.failure(.pastLimit("it says too much of itself")))
        }
        var end = 0
        for part in [record] + pixels {
            guard write(part, at: end) else {
                let refusal = ImageError.pastLimit("its picture is larger than was asked for")
                (record, pixels) = PictureRecord.encoded(.failure(refusal))
                return write(record, at: 0) && send(.answer(record: record.count, pixels: 0))
            }
            end += part.count
        }
        return send(.answer(record: record.count, pixels: end - record.count))
    }

    private func send(_ message: WorkerMessage) -> Bool {
        csandbox_answer(inside.channel, message.encoded) == 0
    }

    private func receive() -> WorkerMessage? { nextMessage().flatMap { WorkerMessage($0) } }

    private func nextMessage() -> csandbox_message? {
        var message = csandbox_message()
        // SAFETY: writes one message.
        return unsafe csandbox_receive(inside.channel, -1, &message) == 1 ? message : nil
    }

    /// The options at the start of the file: the program's own memory, of the same executable.
    private var options: DecodingOptions? {
        read(MemoryLayout<DecodingOptions>.size, at: 0).map { bytes in
            // SAFETY: the bytes of such a value, which has no references.
            unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: DecodingOptions.self) }
        }
    }

    private func read(_ count: Int, at offset: Int) -> [UInt8]? {
        SharedFile(inside.file).read(count, at: offset)
    }

    private func write(_ bytes: [UInt8], at offset: Int) -> Bool {
        SharedFile(inside.file).write(bytes, at: offset)
    }
}
