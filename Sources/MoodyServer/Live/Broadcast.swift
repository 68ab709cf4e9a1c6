#if Server
import MoodyGallery
import MoodyModel
import NIOCore
import Synchronization

/// The viewers of one list. Hands all of them the same buffers.
final class Broadcast: Sendable {
    private struct State {
        var viewers: [UInt64: Viewer] = [:]
        var isEnded = false
    }

    private let state = Mutex<State>(State())

    var count: Int { state.withLock { $0.viewers.count } }
    private var all: [Viewer] { state.withLock { Array($0.viewers.values) } }

    /// A viewer that comes when its list has just been replaced is ended like the others, and comes again.
    func add(_ viewer: Viewer) {
        let isEnded = state.withLock { state in
            state.viewers[viewer.id] = viewer
            return state.isEnded
        }
        if isEnded { viewer.end() }
    }

    func remove(_ viewer: Viewer) { state.withLock { _ = $0.viewers.removeValue(forKey: viewer.id) } }

    /// Sends a list's news to its viewers.
    func send(_ news: LiveList.News, of list: String) {
        switch news {
        case .frame(let frame):
            for viewer in all {
                viewer.send(Self.buffer(frame, viewer.kind, of: list), generation: frame.generation)
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

    /// A frame as an event, the same bytes for all viewers of a kind. A frame belongs to one list.
    static func buffer(_ frame: LiveFrame, _ kind: Viewer.Kind, of list: String) -> ByteBuffer {
        frame.made(kind.rawValue) {
            let data = kind == .rows ? frame.rows : frame.records
            return ByteBuffer(
                bytes: EventText.event("batch", id: "\(list)-\(frame.generation)", data: data))
        }
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

    func end() {
        state.withLock { $0.isEnded = true }
        for viewer in all { viewer.end() }
    }

    func cutOff() { for viewer in all { viewer.cutOff() } }
}
#endif
