import ArgumentParser
import Foundation
import Glibc
import MoodyGallery
import MoodyIngest
import MoodyModel
import Synchronization

/// The records of photos, one line each: of files, and of the members of a tar stream.
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
    func write(tar file: Int32, named name: String) throws -> Int32 {
        let source = TarSource(file)
        var lines = Lines(records: self)
        try pipelined(next: { source.next() }, { $0.record(of: $1) }, &lines)
        if let error = source.error {
            messages.problem(name, "\(error)")
            try results.finish()
            return 2
        }
        return try lines.end()
    }

    /// - Parameter paths: absolute, with the words for people.
    func write(files paths: [BytePath]) throws -> Int32 {
        let left = Mutex(paths[...])
        var lines = Lines(records: self)
        try pipelined(next: { left.withLock { $0.popFirst() } }, { $0.record(ofFile: $1) }, &lines)
        return try lines.end()
    }

    private func pipelined<Input: Sendable>(
        next: @escaping @Sendable () -> Input?,
        _ record: @escaping @Sendable (RecordReader, Input) -> PhotoRecord, _ lines: inout Lines
    ) throws {
        let reader = RecordReader(settings: settings, makesThumbnails: withThumbnails)
        let withThumbnails = withThumbnails
        try pipeline(
            width: jobs, window: jobs * 4, next: next,
            work: { input in
                let made = record(reader, input)
                return Line(record: made, text: made.json(withThumbnail: withThumbnails).text)
            },
            sink: { line in
                if results.isClosed { throw ExitCode.success }
                try lines.write(line)
            })
    }

    private struct Line: Sendable {
        let record: PhotoRecord
        let text: String
    }

    private struct Lines {
        let records: ExtractedRecords
        var photos = 0, failed = 0

        mutating func write(_ line: Line) throws {
            if case .failed(let reason, let kind) = line.record.result {
                if kind == .notPicture && !records.everyMember { return }
                let shown = BytePath(line.record.path).description
                kind == .notPicture
                    ? records.messages.verbose("moody: \(shown): no picture")
                    : records.messages.problem(shown, reason)
                failed += 1
            } else {
                photos += 1
            }
            records.results.line(line.text)
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

/// The members of a tar stream, for threads that take turns.
private final class TarSource: Sendable {
    private struct State: ~Copyable {
        var reader: TarReader
        var error: TarError?
    }
    private let state: Mutex<State>

    init(_ file: Int32) { state = Mutex(State(reader: TarReader(file: file))) }

    func next() -> TarMember? {
        state.withLock { state in
            if state.error != nil { return nil }
            do throws(TarError) { return try state.reader.next() } catch {
                state.error = error
                return nil
            }
        }
    }

    var error: TarError? { state.withLock { $0.error } }
}
