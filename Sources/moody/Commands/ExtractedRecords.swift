import ArgumentParser
import Images
import MoodyGallery
import MoodyIngest
import MoodyModel

/// The records of photos, one line each: of files, and of the members of archives.
struct ExtractedRecords {
    let settings: PaletteSettings
    let withThumbnails: Bool
    /// Whether a member that is no picture has a line, too.
    let everyMember: Bool
    let jobs: Int
    let results: Results
    let messages: Messages

    /// - Returns: the exit status.
    /// - Throws: ``OutputError``, ``ExitCode``.
    func write(tar file: Int32, named name: String, limit: Int) throws -> Int32 {
        var lines = Lines(records: self)
        let queue = PhotoQueue<FoundFile>(tar: file, limit: limit)
        try write(queue, &lines)
        if let note = queue.note { messages.note("moody: \(name): note: \(note)") }
        if let error = lines.broken.first {
            messages.problem(name, "\(error)")
            try results.finish()
            return 2
        }
        return try lines.end()
    }

    /// - Parameter limit: bytes that an archive among the files may unpack to.
    func write(_ files: [FoundFile], limit: Int) throws -> Int32 {
        var lines = Lines(records: self)
        let queue = PhotoQueue(files, limit: limit) { $0.isNamed && $0.path.isArchive ? $0.path : nil }
        try write(queue, &lines)
        if let note = queue.note { messages.note("moody: note: \(note)") }
        return try lines.end()
    }

    private func write(_ queue: PhotoQueue<FoundFile>, _ lines: inout Lines) throws {
        let reader = RecordReader(settings: settings, makesThumbnails: withThumbnails)
        let withThumbnails = withThumbnails
        try pipeline(
            width: jobs, window: jobs * 4, next: { queue.next() },
            work: { item in
                switch item {
                case .broken(let error, let archive): return .broken(error, archive?.shown)
                case .file(let file):
                    let record = reader.record(ofFile: file.path)
                    return .record(record, record.json(withThumbnail: withThumbnails).text)
                case .member(let member, let archive):
                    let record = reader.record(of: member, in: archive?.path)
                    return .record(record, record.json(withThumbnail: withThumbnails).text)
                }
            },
            sink: { (line: Line) in
                if results.isClosed { throw ExitCode.success }
                try lines.write(line)
            })
    }

    private enum Line: Sendable {
        case record(PhotoRecord, String)
        case broken(any Error, BytePath?)
    }

    private struct Lines {
        let records: ExtractedRecords
        var photos = 0, failed = 0
        /// Why the archive that has no name here could not be read to its end.
        var broken: [any Error] = []

        mutating func write(_ line: Line) throws {
            switch line {
            case .record(let record, let text): try write(record, text)
            case .broken(let error, nil): broken.append(error)
            case .broken(let error, let archive?):
                failed += 1
                records.messages.problem(archive.description, "\(error)")
            }
        }

        private mutating func write(_ record: PhotoRecord, _ text: String) throws {
            if case .failed(let reason, let kind) = record.result {
                if kind == .notPicture && !records.everyMember { return }
                let shown = BytePath(record.path).description
                kind == .notPicture
                    ? records.messages.verbose("moody: \(shown): no picture")
                    : records.messages.problem(shown, reason)
                failed += 1
            } else {
                photos += 1
            }
            records.results.line(text)
            // Whoever sends one photo and waits for its line must get it.
            if !records.results.isFile { try StandardOutput.shared.flush() }
        }

        /// The last line, without which a reader knows that the process was ended.
        func end() throws -> Int32 {
            let end = JSON.object([
                ("v", 1), ("end", true), ("photos", .number(Int64(photos))),
                ("failed", .number(Int64(failed))),
            ])
            records.results.line(end.text)
            try records.results.finish()
            return failed > 0 ? 1 : 0
        }
    }
}
