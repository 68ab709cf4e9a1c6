import DataStacks
import Dispatch
import Foundation
import Glibc
import Images
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import Synchronization
import Texts

/// Takes in photos that are sent: each is a file in the uploads folder first and a mood second, so that a
/// store can be made again from its files.
final class Intake: Sendable {
    /// The outcome of an upload.
    struct Taken: Sendable {
        let record: MoodRecord
        /// False when the same bytes were here already, and nothing was kept of the new ones.
        let isNew: Bool
    }

    /// A file that a body is written to. Never looked at by an ingest: its folder says that moody wrote it.
    final class Incoming: Sendable {
        let path: BytePath
        private let file: Mutex<Int32>
        private let begun = ContinuousClock.now
        private let count = Atomic(0)
        private let mayStay = Atomic(true)

        fileprivate init(_ path: BytePath) throws(FileError) {
            self.path = path
            // As any file of this user; until it is whole its folder keeps it from others.
            let number = try makeFile(path, mode: 0o666)
            // Another server that begins knows by that that the file is not left behind.
            _ = flock(number, LOCK_EX | LOCK_NB)
            file = Mutex(number)
        }

        /// - Throws: ``FileError``.
        func write(_ bytes: [UInt8]) throws {
            try writeAll(bytes, to: file.withLock { $0 })
            count.add(bytes.count, ordering: .relaxed)
        }

        var seconds: Double { (ContinuousClock.now - begun) / .seconds(1) }
        /// Bytes per second.
        var rate: Double { Double(count.load(ordering: .relaxed)) / max(seconds, 0.001) }
        /// Whether it makes room for another photo, which waits.
        var mustGo: Bool { !mayStay.load(ordering: .relaxed) }
        fileprivate func makeRoom() { mayStay.store(false, ordering: .relaxed) }

        /// The bytes are on the disk.
        ///
        /// - Throws: ``FileError``.
        fileprivate func finish() throws {
            if fsync(file.withLock { $0 }) != 0 { throw FileError(code: errno) }
        }

        /// Closes and removes the file.
        func discard() {
            file.withLock { number in
                if number < 0 { return }
                _ = unsafe path.withCString { unsafe unlink($0) }
                close(number)
                number = -1
            }
        }

        deinit { discard() }
    }

    private let stack: DataStack
    private let options: @Sendable () throws -> IngestOptions
    /// Without links, from the root.
    let folder: BytePath
    private let incoming: BytePath
    private let limits: ServerLimits
    private let coming = Mutex<[ObjectIdentifier: Incoming]>([:])
    private let reading = Mutex<Set<BytePath>>([])
    /// Writes, and reads one photo at a time: that bounds the memory.
    private let queue = DispatchQueue(label: "moody.intake")
    private let writes = DispatchQueue(label: "moody.intake.writes")

    /// Makes the folders, if need be, and sweeps what a killed server left.
    ///
    /// - Throws: ``FileError``, when the folder cannot be written to.
    init(
        _ folder: BytePath, _ stack: DataStack, limits: ServerLimits,
        options: @escaping @Sendable () throws -> IngestOptions
    ) throws {
        (self.stack, self.options, self.limits) = (stack, options, limits)
        try Self.make(folder, mode: 0o755)
        self.folder = try folder.resolved()
        incoming = self.folder.appending(Array(".moody-incoming".utf8))
        try Self.make(incoming, mode: 0o700)
        let marker = incoming.appending(Array(".moody-export".utf8))
        if (try? FileStatus(at: marker, followingLinks: false)) == nil {
            try writeFile(Array("Written by moody: photos on their way in.\n".utf8), to: marker)
        }
        for name in try incoming.entries() where name.suffix(5) == Array(".part".utf8)[...] {
            let path = incoming.appending(name)
            if Self.isLeftBehind(path) { _ = unsafe path.withCString { unsafe unlink($0) } }
        }
        if unsafe self.folder.withCString({ unsafe access($0, W_OK) }) != 0 { throw FileError(code: errno) }
    }

    private static func make(_ folder: BytePath, mode: mode_t) throws(FileError) {
        if unsafe folder.withCString({ unsafe mkdir($0, mode) }) == 0 { return }
        let code = errno
        guard code == EEXIST else { throw FileError(code: code) }
        // A link may lead to the uploads, but not out of them.
        let status = try FileStatus(at: folder, followingLinks: mode != 0o700)
        if status.kind != .folder { throw FileError(code: ENOTDIR) }
    }

    /// Whether a photo on its way in is of a server that is no more: one that runs holds a lock, in whichever
    /// container.
    private static func isLeftBehind(_ path: BytePath) -> Bool {
        let file = unsafe path.withCString { unsafe open($0, O_RDONLY | O_NOFOLLOW | O_CLOEXEC) }
        if file < 0 { return false }
        defer { close(file) }
        return flock(file, LOCK_EX | LOCK_NB) == 0
    }

    func isReading(_ path: BytePath) -> Bool { reading.withLock { $0.contains(path) } }

    /// Begins a photo; ``end(_:)`` follows whatever becomes of it.
    ///
    /// - Throws: ``Refusal``: 429, 507.
    func begin() throws -> Incoming {
        try checkSpace()
        let digits = Hexadecimal.text(UInt64.random(in: 0 ... .max))
        let file = try Incoming(incoming.appending(Array("\(getpid())-\(digits).part".utf8)))
        let isTaken = coming.withLock { coming in
            if coming.count >= limits.uploads {
                let old = coming.values.filter { $0.seconds > limits.grace }
                let slow = old.filter { $0.rate < Double(limits.busy) }
                slow.min { $0.rate < $1.rate }?.makeRoom()
                return false
            }
            coming[ObjectIdentifier(file)] = file
            return true
        }
        if isTaken { return file }
        file.discard()
        throw Refusal(429, "\(limits.uploads) photos are coming in already", retryAfter: 1, closes: true)
    }

    var isFull: Bool { coming.withLock { $0.count >= limits.uploads } }

    func end(_ file: Incoming) { coming.withLock { $0[ObjectIdentifier(file)] = nil } }

    private func checkSpace() throws {
        var status = statvfs()
        guard unsafe folder.withCString({ unsafe statvfs($0, &status) }) == 0 else {
            throw FileError(code: errno)
        }
        if UInt64(status.f_bavail) * UInt64(status.f_frsize) < UInt64(limits.free) {
            throw FileError(code: ENOSPC)
        }
    }

    func write(_ bytes: [UInt8], to file: Incoming) async throws {
        try await writes.run { try file.write(bytes) }
    }

    /// Keeps a photo that has come whole.
    ///
    /// - Returns: when the mood is in the live list.
    /// - Throws: ``Refusal``.
    func keep(_ file: Incoming, _ name: UploadName) async throws -> Taken {
        try await queue.run { [self] in
            defer { file.discard() }
            return try adopt(file, name)
        }
    }

    private func adopt(_ file: Incoming, _ name: UploadName) throws -> Taken {
        try file.finish()
        let bytes = try readPhoto(file.path)
        if bytes.isEmpty { throw Refusal(400, "the photo has no bytes") }
        guard let format = ImageFormat(bytes: bytes) else {
            throw Refusal(422, "\(ImageError.unknownFormat)")
        }
        let hash = contentHash(bytes)
        if let known = try stack.moods(of: hash).first(where: { Self.isThere($0.record, hash) }) {
            // Somebody wants it after all.
            if known.isMarked { _ = try stack.unmarkMoods([known.record.objectID]) }
            return Taken(record: known.record, isNew: false)
        }
        let (path, isOurs) = try place(file.path, size: bytes.count, hash: hash, name: name, format: format)
        defer { reading.withLock { _ = $0.remove(path) } }
        // A mood without its photo would be left by a cut of the power.
        try syncFolder(folder)
        var options = try options()
        (options.restore, options.retry, options.jobs) = (true, true, 1)
        options.keepsMarks = true
        let reason = Mutex<String?>(nil)
        var callbacks = IngestCallbacks()
        callbacks.onProblem = { _, what in reason.withLock { $0 = $0 ?? what } }
        do {
            let report = try Ingest(stack: stack, options: options, callbacks: callbacks).run([path])
            let location = FileLocation(folder: Data(folder.bytes), name: Data(path.name))
            if report.failed == 0, let mood = try stack.mood(at: location) {
                return Taken(record: mood.record, isNew: true)
            }
        } catch {
            // Without a mood the file must go, too, so that the photo can be sent again.
            if isOurs { _ = unsafe path.withCString { unsafe unlink($0) } }
            throw error
        }
        if isOurs { _ = unsafe path.withCString { unsafe unlink($0) } }
        throw Refusal(422, reason.withLock { $0 } ?? "\(ImageError.unknownFormat)")
    }

    /// Whether the file of a mood still has these contents: if not, the upload is their only copy.
    private static func isThere(_ record: MoodRecord, _ hash: [UInt8]) -> Bool {
        guard let bytes = try? readPhoto(BytePath(record.photoPath.bytes)) else { return false }
        return contentHash(bytes) == hash
    }

    /// Gives a file its name, or the next one that is free.
    ///
    /// - Returns: the path, and false if a file with these contents has the name already: a server that was
    ///   killed between file and mood leaves one, and its photo is sent again before the folder is read.
    private func place(
        _ file: BytePath, size: Int, hash: [UInt8], name: UploadName, format: ImageFormat
    ) throws -> (path: BytePath, isOurs: Bool) {
        for copy in 1...10_000 {
            let path = folder.appending(Array(name.name(of: format, copy: copy).utf8))
            // Before anybody can see it.
            reading.withLock { _ = $0.insert(path) }
            let code = unsafe file.withCString { old in
                unsafe path.withCString { new in unsafe link(old, new) == 0 ? 0 : errno }
            }
            if code != 0 { reading.withLock { _ = $0.remove(path) } }
            switch code {
            case 0: return (path, true)
            case EEXIST:
                // Hundreds may have the name: a telephone's browser calls each photo it takes the same.
                guard let status = try? FileStatus(at: path), status.file.size == Int64(size),
                    let bytes = try? readPhoto(path), contentHash(bytes) == hash
                else { continue }
                reading.withLock { _ = $0.insert(path) }
                return (path, false)
            // A file system without second names: the place is taken first, then filled.
            case EPERM, EOPNOTSUPP, EMLINK:
                reading.withLock { _ = $0.insert(path) }
                do throws(FileError) { close(try makeFile(path, mode: 0o666)) } catch {
                    reading.withLock { _ = $0.remove(path) }
                    if error.code == EEXIST { continue }
                    throw error
                }
                let isMoved = unsafe file.withCString { old in
                    unsafe path.withCString { new in unsafe rename(old, new) == 0 }
                }
                if !isMoved {
                    let code = errno
                    _ = unsafe path.withCString { unsafe unlink($0) }
                    reading.withLock { _ = $0.remove(path) }
                    throw FileError(code: code)
                }
                return (path, true)
            default: throw FileError(code: code)
            }
        }
        throw Refusal(400, "too many photos have this name")
    }

    /// Waits for the photo that is being taken in.
    func stop() {
        queue.sync {}
        writes.sync {}
    }
}
