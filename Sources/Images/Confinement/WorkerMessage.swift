internal import CSandbox

/// What the program and a worker say to each other. Bytes travel in the file that both have.
enum WorkerMessage {
    // From a worker.

    /// It is confined by these layers, and has taken so much memory so far.
    case ready(Confinement.Layers, memory: Int)
    /// It needs so much memory for a picture in one piece, and waits.
    case needsMemory(Int)
    /// An answer: bytes of its record, which begins the file, and of all pixels behind it.
    case answer(record: Int, pixels: Int)
    /// It made a call that it may not make.
    case forbidden(call: Int)

    // To a worker.

    /// Decode: options begin the file, the photo follows.
    case decode(photo: Int)
    /// The memory is there.
    case memoryGranted

    private static let version = MemoryLayout<DecodingOptions>.size

    init?(_ message: csandbox_message) {
        let first = Int(message.first), second = Int(message.second)
        switch message.kind {
        case csandbox_forbidden: self = .forbidden(call: first)
        case 1:
            // A program that was replaced meanwhile, and started by its path, may have other options.
            guard first >= 0, second >> 9 == Self.version else { return nil }
            self = .ready(.init(hasSeccomp: second & 1 == 1, landlock: second >> 1 & 0xFF), memory: first)
        case 2: self = .needsMemory(first)
        case 3: self = .answer(record: first, pixels: second)
        case 4: self = .decode(photo: first)
        case 5: self = .memoryGranted
        default: return nil
        }
    }

    var encoded: csandbox_message {
        switch self {
        case .forbidden(let call): csandbox_message(kind: csandbox_forbidden, first: Int64(call), second: 0)
        case .ready(let layers, let memory):
            csandbox_message(
                kind: 1, first: Int64(memory),
                second: (layers.hasSeccomp ? 1 : 0) | Int64(layers.landlock ?? 0) << 1
                    | Int64(Self.version) << 9)
        case .needsMemory(let bytes): csandbox_message(kind: 2, first: Int64(bytes), second: 0)
        case .answer(let record, let pixels):
            csandbox_message(kind: 3, first: Int64(record), second: Int64(pixels))
        case .decode(let photo): csandbox_message(kind: 4, first: Int64(photo), second: 0)
        case .memoryGranted: csandbox_message(kind: 5, first: 0, second: 0)
        }
    }
}
