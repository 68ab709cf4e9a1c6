#if Server
import HummingbirdCore
import NIOCore

/// Writes the parts of a body to a reader that must take them at a pace: one that does not is cut off.
struct PacedBody {
    private var writer: any ResponseBodyWriter
    private let channel: any Channel
    private let limits: ServerLimits
    private let begun = ContinuousClock.now
    private var bytes = 0

    init(_ writer: any ResponseBodyWriter, to channel: any Channel, _ limits: ServerLimits) {
        (self.writer, self.channel, self.limits) = (writer, channel, limits)
    }

    mutating func write(_ buffer: ByteBuffer) async throws {
        let spent = (ContinuousClock.now - begun) / .seconds(1)
        let left = limits.write + Double(bytes) / Double(limits.pace) - spent
        let channel = channel
        let end = channel.eventLoop.scheduleTask(in: .milliseconds(Int64(max(0, left) * 1000))) {
            channel.close(promise: nil)
        }
        defer { end.cancel() }
        bytes += buffer.readableBytes
        try await writer.write(buffer)
    }

    consuming func finish() async throws { try await writer.finish(nil) }
}
#endif
