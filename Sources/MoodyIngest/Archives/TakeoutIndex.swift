import Synchronization

/// The files of Takeout in the archives of a run, by their paths. Any thread may use it.
package final class TakeoutIndex: Sendable {
    private struct State {
        var found: [[UInt8]: Takeout] = [:]
        /// Bytes that they take, about.
        var size = 0
        /// Hashes of the paths where a photo that came looked and found none.
        var missed: Set<Int> = []
        var late = 0
    }

    private static let largest = 64 << 20
    private static let mostMissed = 1 << 20

    private let state = Mutex(State())

    package init() {}

    /// Files that came behind their photos, or when there was no more room.
    package var late: Int { state.withLock { $0.late } }

    func add(_ bytes: [UInt8], at path: BytePath) {
        guard let takeout = Takeout(bytes) else { return }
        state.withLock { state in
            if state.found[path.bytes] != nil { return }
            let size = path.bytes.count + takeout.title.utf8.count + 200
            if state.missed.contains(path.hashValue) || state.size + size > Self.largest { state.late += 1 }
            if state.size + size > Self.largest { return }
            state.size += size
            state.found[path.bytes] = takeout
        }
    }

    func sidecar(of photo: BytePath) -> Sidecar? {
        let places = Sidecar.takeouts(for: photo)
        return state.withLock { state in
            for (path, title) in places {
                guard let takeout = state.found[path.bytes], takeout.fits(title) else { continue }
                return Sidecar(takeout, named: path.name)
            }
            if state.missed.count < Self.mostMissed { state.missed.formUnion(places.map(\.path.hashValue)) }
            return nil
        }
    }
}
