import ArgumentParser
import DataStacks
import Foundation
import Glibc
import ManagedObjects
import MoodyIngest
import MoodyModel
import Palettes

struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import palettes that other machines found.",
        discussion: """
            Reads the output of moody extract --format record or moody export record: any number of files, \
            in any order. The resulting store equals the one that moody ingest makes of the same photos. If \
            a photo has several records, the one with the latest file time counts. Photos whose moods were \
            deleted stay deleted.

            Examples:
              moody import records.jsonl
              moody import --root s3://bucket/photos=/mnt/photos records.jsonl
            """)

    @Argument(help: ArgumentHelp("Files of records; - is standard input.", valueName: "file"))
    var files: [BytePath]

    @Option(
        help: ArgumentHelp(
            "Replace a path prefix: s3://bucket/photos=/mnt/photos (repeatable).",
            valueName: "prefix=folder"))
    var root: [String] = []

    @OptionGroup var store: StoreOptions
    @Flag(help: "Print the counts as one JSON object.")
    var json = false
    @OptionGroup var message: MessageOptions

    /// Path prefixes and the folders that take their place.
    private var roots: [(prefix: [UInt8], folder: [UInt8])] {
        get throws {
            try root.map { text in
                let bytes = RawArguments.bytes(text)
                guard let cut = bytes.lastIndex(of: UInt8(ascii: "=")), cut > 0, cut + 1 < bytes.count else {
                    throw UsageError("--root must be PREFIX=FOLDER, not \(RawArguments.shown(text)).")
                }
                let folder = try BytePath(bytes[(cut + 1)...]).absolute()
                let isEnded = folder.bytes.count > 1 && folder.bytes.last == UInt8(ascii: "/")
                return (Array(bytes[..<cut]), isEnded ? Array(folder.bytes.dropLast()) : folder.bytes)
            }
        }
    }

    func validate() throws { _ = try roots }

    func run() async throws {
        let messages = message.messages(), signals = Signals()
        var wrong = 0
        var records = RecordImport(
            besideStoreIn: store.path.followingLinks.folder, roots: try roots,
            isStopped: { signals.signal != nil },
            onWrongLine: { file, line, reason in
                wrong += 1
                // The first ones tell what is wrong with the rest.
                if wrong <= 10 { messages.problem(line > 0 ? "\(file):\(line)" : file, reason) }
            })
        var stack: DataStack?
        defer { try? stack?.close() }
        do {
            for file in files { try read(file, &records) }
            if signals.signal != nil { throw ExitCode(128 + (signals.signal ?? SIGTERM)) }
            let report = try records.write(
                to: { request in
                    let opened = try open(for: request, messages)
                    stack = opened
                    return opened
                }, onProgress: { messages.progress($0, of: 0, photos: $0) })
            if wrong > 10 { messages.note("moody: \(wrong - 10) more lines are no records") }
            if json { StandardOutput.shared.line(report.json.text) }
            messages.note("\(report); \(store.path)")
            try StandardOutput.shared.flush()
            if let signal = signals.signal { throw ExitCode(128 + signal) }
            if report.wrongLines > 0 { throw ExitCode(1) }
        } catch  where error is ExitCode || error is StoreProblem || error is UsageError {
            throw error
        } catch let error as RecordImport.Mismatch {
            throw StoreProblem("\(error)")
        } catch { throw StoreProblem(store.path, error) }
    }

    private func read(_ path: BytePath, _ records: inout RecordImport) throws {
        if path == .standard { return try records.read(STDIN_FILENO, named: "-") }
        let file = unsafe path.withCString { unsafe Glibc.open($0, O_RDONLY | O_CLOEXEC) }
        if file < 0 { throw StoreProblem("\(path): \(FileError(code: errno))") }
        defer { close(file) }
        if (try? FileStatus(at: path))?.kind == .folder { throw StoreProblem("\(path): Is a directory") }
        try records.read(file, named: path.description)
    }

    /// The store, which asks for the same palettes as the records; a new one from now on does.
    private func open(for request: PaletteRequest?, _ messages: Messages) throws -> DataStack {
        let isThere = (try? FileStatus(at: store.path)) != nil
        let stack = try store.open(makesStore: true, messages)
        guard let request else { return stack }
        if isThere {
            let kept = PaletteRequest(try StoreSettings.palette(of: stack))
            if kept == request { return stack }
            try? stack.close()
            throw StoreProblem(
                "\(store.path): its palettes are of other options (number of colors, mode, what is left out) "
                    + "than those of the records")
        }
        var options = PaletteOptions()
        options.mode = request.mode
        options.size = request.count == 0 ? .auto : .colors(Int(request.count))
        (options.ignore, options.background) = (request.leftOut.ignore, request.leftOut.background)
        try StoreSettings.keep(options, excludes: [], previewSide: 0, in: stack)
        return stack
    }
}

extension RecordImport.Report {
    /// `12 photos: 10 new, 2 unchanged`
    fileprivate var counts: [(name: String, count: Int)] {
        [
            ("new", new), ("changed", changed), ("unchanged", unchanged), ("failed", failed),
            ("left out", leftOut), ("older", older), ("of another algorithm", otherAlgorithm),
        ]
    }

    fileprivate var json: JSON {
        .object([
            ("v", 1), ("photos", .number(Int64(photos))), ("new", .number(Int64(new))),
            ("changed", .number(Int64(changed))), ("unchanged", .number(Int64(unchanged))),
            ("failed", .number(Int64(failed))), ("leftOut", .number(Int64(leftOut))),
            ("older", .number(Int64(older))), ("otherAlgorithm", .number(Int64(otherAlgorithm))),
            ("others", .number(Int64(others))), ("duplicates", .number(Int64(duplicates))),
            ("wrongLines", .number(Int64(wrongLines))),
        ])
    }
}

extension RecordImport.Report: CustomStringConvertible {
    public var description: String {
        let parts = counts.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
        var text = "\(photos) \(photos == 1 ? "photo" : "photos")"
        if !parts.isEmpty { text += ": " + parts.joined(separator: ", ") }
        if others > 0 { text += "; \(others) other \(others == 1 ? "file" : "files")" }
        if duplicates > 0 { text += "; \(duplicates) records of photos that have another one" }
        if wrongLines > 0 { text += "; \(wrongLines) lines are no records" }
        return text
    }
}
