internal import CArchives
internal import CSandbox
internal import Glibc

/// A regular file in an archive.
package struct ArchiveEntry: Sendable {
    /// Empty where the archive has no name for it.
    package let name: [UInt8]
    /// Bytes, as the archive says; nil where it does not.
    package let size: Int64?
    /// Nanoseconds since 1970.
    package let mtimeNs: Int64
    package let isEncrypted: Bool
    /// Whether it is a second name of a file, without bytes.
    package let isHardLink: Bool
}

/// The regular files of a tar or zip archive in turn, read by libarchive in a confined process, or in a
/// thread where there is none. One thread at a time uses it.
package final class ArchiveStream {
    private let input: Int32
    /// The archive's length where it can be read at any place; else -1.
    private let length: Int64
    private let limit: Int64
    /// Nil: a thread of this process reads.
    private let workers: DecodingWorkers?
    private var worker: DecodingWorker
    private var isOver = false
    /// Bytes of the archive that were read, and the errno of those that could not be.
    private var count: Int64 = 0
    private var inputError: Int32 = 0

    /// Bytes that a worker may take for an archive.
    static let memoryLimit = 150 << 20
    private static let secondLimit = 60
    private static let fileLimit = Int(carchives_output + carchives_most)

    /// Whether a program was built with libarchive.
    package static var isBuiltIn: Bool { unsafe carchives_version() != nil }

    /// - Parameters:
    ///   - input: a file, or a pipe. Nothing else may read from it.
    ///   - limit: bytes that it may unpack to.
    package init(_ input: Int32, limit: Int) throws(ArchiveError) {
        guard Self.isBuiltIn else { throw .notBuiltIn }
        self.input = input
        self.limit = Int64(limit)
        var status = stat()
        // SAFETY: writes one status.
        let isFile = unsafe fstat(input, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        length = isFile && lseek(input, 0, SEEK_CUR) == 0 ? Int64(status.st_size) : -1
        guard csandbox_may_write(Self.fileLimit) else {
            throw .reader("this process may not write files of \(Self.fileLimit >> 20) MB (ulimit -f)")
        }
        let workers = Confinement.workers
        if let confined = try workers?.reader(forFilesOf: Self.fileLimit) {
            self.workers = workers
            worker = confined
            worker.limit(memory: Self.memoryLimit, file: Self.fileLimit)
        } else {
            self.workers = nil
            var thread = csandbox_worker()
            // SAFETY: writes one worker.
            let error = unsafe carchives_begin(&thread)
            guard error == 0 else { throw .unreadable(-error) }
            worker = DecodingWorker(thread: thread)
        }
        guard send(.open, length, self.limit) else { throw end(.gone) }
    }

    deinit { if !isOver { _ = close(kills: true) } }

    /// Returns the next file; nil at the end.
    package func next() throws(ArchiveError) -> ArchiveEntry? {
        let answer = try ask(.next)
        if answer.kind == carchives_kind.end.rawValue { return nil }
        let head = MemoryLayout<carchives_member>.size
        guard answer.kind == carchives_kind.found.rawValue, (0...65_536).contains(answer.first),
            let bytes = output(head + Int(answer.first))
        else { throw end(.impossible) }
        // SAFETY: the bytes of such a value, which has no references.
        let member = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: carchives_member.self) }
        let (time, isTooLarge) = member.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isStillTooLarge) = time.addingReportingOverflow(member.nanoseconds)
        return ArchiveEntry(
            name: Array(bytes[head...]), size: member.size < 0 ? nil : member.size,
            mtimeNs: isTooLarge || isStillTooLarge ? (member.seconds < 0 ? .min : .max) : sum,
            isEncrypted: member.is_encrypted != 0, isHardLink: member.is_link != 0)
    }

    /// What comes next of the file.
    package enum Part {
        /// None at the end.
        case bytes([UInt8])
        /// The rest of this file cannot be read, in words.
        case damaged(String)
    }

    /// - Parameter count: bytes at most; fewer may come.
    package func more(_ count: Int = .max) throws(ArchiveError) -> Part {
        let answer = try ask(.more, min(count, Int(carchives_most)))
        if answer.kind == carchives_kind.damaged.rawValue { return .damaged(try words(answer)) }
        guard answer.kind == carchives_kind.data.rawValue, (0...Int64(carchives_most)).contains(answer.first),
            let bytes = output(Int(answer.first))
        else { throw end(.impossible) }
        return .bytes(bytes)
    }

    // MARK: - Messages

    private func send(_ kind: carchives_kind, _ first: Int64 = 0, _ second: Int64 = 0) -> Bool {
        let message = csandbox_message(kind: kind.rawValue, first: first, second: second)
        return csandbox_send(worker.worker.channel, message) == 0
    }

    private func output(_ count: Int) -> [UInt8]? {
        SharedFile(worker.worker.file).read(count, at: Int(carchives_output))
    }

    private func words(_ answer: csandbox_message) throws(ArchiveError) -> String {
        guard (0...1000).contains(answer.first), let bytes = output(Int(answer.first)) else {
            throw end(.impossible)
        }
        return String(decoding: bytes.map { (32...126).contains($0) ? $0 : 63 }, as: UTF8.self)
    }

    /// Lets the reader go on, and gives it what it wants of the archive meanwhile.
    private func ask(_ kind: carchives_kind, _ first: Int = 0) throws(ArchiveError) -> csandbox_message {
        guard !isOver, send(kind, Int64(first)) else { throw end(.gone) }
        var clock = workers == nil ? nil : WorkerClock(worker.worker.pid, seconds: Self.secondLimit)
        while true {
            var message = csandbox_message()
            let wait = clock == nil ? -1 : WorkerClock.tick
            // SAFETY: writes one message.
            switch unsafe csandbox_receive(worker.worker.channel, wait, &message) {
            case 0: if clock?.hasRunOut() == true { throw end(.tooSlow) }
            case 1:
                switch carchives_kind(rawValue: message.kind) {
                case .wants:
                    var isSent = false
                    if clock == nil {
                        isSent = give(message)
                    } else {
                        clock?.pause { isSent = give(message) }
                    }
                    guard isSent else { throw end(.gone) }
                case .failed:
                    let text = try words(message)
                    _ = end(.gone)
                    if inputError != 0 { throw .unreadable(inputError) }
                    if text == "Unrecognized archive format" && count == 0 {
                        return csandbox_message(kind: carchives_kind.end.rawValue, first: 0, second: 0)
                    }
                    throw ArchiveError(words: text)
                case .too_large:
                    _ = end(.gone)
                    throw .tooLarge(limit: Int(limit))
                default:
                    if message.kind == csandbox_forbidden { throw end(.forbidden(call: Int(message.first))) }
                    return message
                }
            default: throw end(.gone)
            }
        }
    }

    /// Gives the reader bytes of the archive, or says why not. Returns whether it was there to hear it.
    private func give(_ wanted: csandbox_message) -> Bool {
        let offset = Int(wanted.first)
        let most = min(max(Int(wanted.second), 0), Int(carchives_output))
        var got = 0
        var error: Int32 = 0
        let input = input
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: most) { bytes, initialized in
            repeat {
                // SAFETY: writes at most `most` bytes, for which there is room.
                got =
                    unsafe offset < 0
                    ? Glibc.read(input, bytes.baseAddress, most)
                    : pread(input, bytes.baseAddress, most, offset)
            } while got < 0 && errno == EINTR
            error = got < 0 ? errno : 0
            initialized = max(got, 0)
        }
        count += Int64(bytes.count)
        inputError = error
        if error == 0, !SharedFile(worker.worker.file).write(bytes, at: 0) { error = EIO }
        return send(.bytes, error == 0 ? Int64(bytes.count) : -Int64(error))
    }

    // MARK: - The end

    private func close(kills: Bool) -> csandbox_death {
        isOver = true
        if let workers { return workers.end(worker, kills: kills) }
        worker.close()
        return csandbox_death()
    }

    private func end(_ ending: DecodingWorker.Ending) -> ArchiveError {
        if isOver { return .reader("the archive was read to its end") }
        let death = close(kills: ending.kills)
        return .reader(
            ending.words(
                "the reader of archives", death, seconds: Self.secondLimit, memory: Self.memoryLimit))
    }
}
