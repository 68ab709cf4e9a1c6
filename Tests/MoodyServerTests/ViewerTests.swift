#if Server
import NIOCore
import NIOEmbedded
import Testing

@testable import MoodyServer

/// What waits for a viewer that reads slowly.
@Suite struct ViewerTests {
    private func viewer(mostWaiting: Int) -> Viewer {
        Viewer(id: 1, kind: .rows, mostWaiting: mostWaiting, channel: EmbeddedChannel())
    }

    private func next(_ viewer: Viewer) async -> [String] { await viewer.next().map { String(buffer: $0) } }

    @Test(arguments: [(2, ["0", "1"]), (3, ["0", "1", "2"]), (4, []), (5, [])])
    func `a viewer is cut off by one buffer more than may wait`(count: Int, waiting: [String]) async {
        let viewer = viewer(mostWaiting: 3)
        for number in 0..<count { viewer.send([ByteBuffer(string: "\(number)")]) }
        #expect(await next(viewer) == waiting)
    }

    /// A stream may begin with more than may wait later.
    @Test func `the first buffers of a viewer may be any number, what follows may not`() async {
        let viewers = (viewer(mostWaiting: 3), viewer(mostWaiting: 3))
        let ring = (0..<9).map { ByteBuffer(string: "\($0)") }
        viewers.0.send(ring)
        viewers.1.send(ring)
        viewers.1.send([ByteBuffer(string: "more")])
        #expect(await next(viewers.0) == (0..<9).map { "\($0)" })
        #expect(await next(viewers.1) == [])
    }

    @Test func `a beat is left out where something waits`() async {
        let busy = viewer(mostWaiting: 3), idle = viewer(mostWaiting: 3)
        busy.send([ByteBuffer(string: "frame")])
        for viewer in [busy, idle] {
            for _ in 0..<9 { viewer.send([ByteBuffer(string: "beat")], isOptional: true) }
        }
        #expect(await next(busy) == ["frame"])
        #expect(await next(idle) == ["beat"])
    }
}
#endif
