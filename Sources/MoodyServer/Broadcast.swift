#if Server
import MoodyGallery
import MoodyModel
import NIOCore
import Synchronization

/// The viewers of one list. Hands all of them the same buffers.
final class Broadcast: Sendable {
    private let viewers = Mutex<[UInt64: Viewer]>([:])

    var count: Int { viewers.withLock { $0.count } }
    private var all: [Viewer] { viewers.withLock { Array($0.values) } }

    func add(_ viewer: Viewer) { viewers.withLock { $0[viewer.id] = viewer } }
    func remove(_ viewer: Viewer) { viewers.withLock { _ = $0.removeValue(forKey: viewer.id) } }

    /// Sends a list's news to its viewers.
    func send(_ news: LiveList.News, of list: String) {
        switch news {
        case .frame(let frame):
            let viewers = all
            var encoded: [Viewer.Kind: ByteBuffer] = [:]
            for viewer in viewers {
                let buffer = encoded[viewer.kind] ?? Self.buffer(frame, viewer.kind, of: list)
                encoded[viewer.kind] = buffer
                viewer.send(buffer, generation: frame.generation)
            }
        case .reload(let generation, let reason):
            let buffer = Self.reload(list: list, generation: generation, reason)
            for viewer in all { viewer.send(buffer, generation: generation) }
        case .broken(let reason):
            let buffer = Self.reload(list: "", generation: 0, reason)
            for viewer in all { viewer.send([buffer]) }
        }
    }

    /// Something that is no change of the list.
    func send(_ event: [UInt8], isOptional: Bool = false) {
        let buffer = ByteBuffer(bytes: event)
        for viewer in all { viewer.send([buffer], isOptional: isOptional) }
    }

    static func buffer(_ frame: LiveFrame, _ kind: Viewer.Kind, of list: String) -> ByteBuffer {
        let data = kind == .rows ? frame.rows : frame.records
        return ByteBuffer(bytes: EventText.event("batch", id: "\(list)-\(frame.generation)", data: data))
    }

    static func reload(list: String, generation: UInt64, _ reason: String) -> ByteBuffer {
        ByteBuffer(
            bytes: EventText.event(
                "reload",
                [
                    ("list", .string(list)), ("generation", .number(Int64(clamping: generation))),
                    ("reason", .string(reason)),
                ]))
    }

    /// Cuts off those to whom a write takes too long.
    func cutOffStuck(after seconds: Double) {
        for viewer in all where viewer.isStuck(for: seconds) { viewer.cutOff() }
    }

    func end() { for viewer in all { viewer.end() } }
    func cutOff() { for viewer in all { viewer.cutOff() } }
}
#endif
