#if Server
import NIOCore

/// A channel handler that calls a closure when the client has left. The library's own way, a second task that
/// reads on, takes several KB of memory per viewer.
final class InputEnd: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = NIOAny

    private let onEnd: @Sendable () -> Void
    private init(_ onEnd: @escaping @Sendable () -> Void) { self.onEnd = onEnd }

    static func hear(on channel: any Channel, _ onEnd: @escaping @Sendable () -> Void) -> InputEnd {
        let handler = InputEnd(onEnd)
        // A client that left before the handler is there is found by the next write, at the latest a beat.
        channel.pipeline.addHandler(handler, position: .first).whenFailure { _ in onEnd() }
        return handler
    }

    /// Hears no more of a channel that goes on to another request.
    func leave(_ channel: any Channel) { channel.pipeline.removeHandler(self, promise: nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { onEnd() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        onEnd()
        context.fireChannelInactive()
    }
}
#endif
