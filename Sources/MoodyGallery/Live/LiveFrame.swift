import ManagedObjects
import MoodyModel
import Synchronization

/// The changes of a live list in one commit, encoded for viewers.
package final class LiveFrame: Sendable {
    package let generation: UInt64
    /// `{"v":1,"generation":43,"count":1235,"changes":[...]}` with `"row"` where a mood is told.
    package let rows: [UInt8]
    private let count: Int
    private let changes: [MoodChange]
    private let privacy: PagePrivacy
    private let encodedRecords = Mutex<[UInt8]?>(nil)
    private let made = Mutex<[String: any Sendable]>([:])

    /// - Parameter rows: the new row of each change, in their order; nil for deletes and sections.
    init(
        generation: UInt64, count: Int, changes: [MoodChange], rows: [[UInt8]?], _ privacy: PagePrivacy
    ) {
        (self.generation, self.count, self.changes) = (generation, count, changes)
        self.privacy = privacy
        self.rows = Self.encode(generation, count: count, changes: changes) { index, text in
            guard let row = rows[index] else { return }
            text += ",\"row\":"
            text += String(decoding: row, as: UTF8.self)
        }
    }

    /// What the server sends of the frame, by kind of viewer: made once, gone with the frame.
    package func made<Value: Sendable>(_ kind: String, _ make: () -> Value) -> Value {
        made.withLock { made in
            if let known = made[kind] as? Value { return known }
            let value = make()
            made[kind] = value
            return value
        }
    }

    /// The moods that were there before, by their numbers.
    package var touched: [Int64] {
        changes.compactMap { $0.from == nil ? nil : $0.objectID?.key }
    }

    /// Like ``rows``, with `"mood"` as `moody list --follow --json` has it. Encoded when first asked for.
    package var records: [UInt8] {
        encodedRecords.withLock { encoded in
            if let encoded { return encoded }
            let bytes = Self.encode(generation, count: count, changes: changes) { index, text in
                guard let record = changes[index].record else { return }
                text += ",\"mood\":"
                text += record.json(privacy).text
            }
            encoded = bytes
            return bytes
        }
    }

    private static func encode(
        _ generation: UInt64, count: Int, changes: [MoodChange],
        addMood: (Int, inout String) -> Void
    ) -> [UInt8] {
        var text = "{\"v\":1,\"generation\":\(generation),\"count\":\(count),\"changes\":["
        for (index, change) in changes.enumerated() {
            if index > 0 { text += "," }
            text += JSON.object(change.positionFields).text.dropLast()
            addMood(index, &text)
            text += "}"
        }
        text += "]}"
        return Array(text.utf8)
    }
}

/// The last frames of a list, for viewers that were away.
struct ListRing: Sendable {
    private var frames: [LiveFrame] = []
    private var bytes = 0
    private let mostFrames: Int, mostBytes: Int

    init(frames: Int, bytes: Int) { (mostFrames, mostBytes) = (frames, bytes) }

    mutating func add(_ frame: LiveFrame) {
        frames.append(frame)
        bytes += frame.rows.count
        var gone = 0
        while gone < frames.count, frames.count - gone > mostFrames || bytes > mostBytes {
            bytes -= frames[gone].rows.count
            gone += 1
        }
        frames.removeFirst(gone)
    }

    mutating func clear() { (frames, bytes) = ([], 0) }

    /// The frames behind a generation; nil when the first of them is not kept any more.
    func frames(after generation: UInt64) -> [LiveFrame]? {
        guard let first = frames.first, generation + 1 >= first.generation,
            generation <= first.generation + UInt64(frames.count)
        else { return nil }
        return Array(frames.dropFirst(Int(generation + 1 - first.generation)))
    }
}
