import ManagedObjects
import MoodyGallery
import MoodyIngest

/// Prints changes as they are committed.
final class ReportPrinter: Sendable {
    private let json: Bool, isInColor: Bool
    private let file: OutputFile?

    /// - Parameters:
    ///   - file: a file for JSON Lines besides, which is begun anew and grows with each commit; nil or `-` for none.
    ///   - overwrite: a file that moody did not write, too.
    ///   - isStopped: asked while nobody reads from the file, which is a pipe.
    /// - Throws: ``OutputError``, ``Interrupted``.
    init(
        json: Bool, isInColor: Bool, file: BytePath?, overwrite: Bool = false,
        isStopped: () -> Bool = { false }
    ) throws {
        (self.json, self.isInColor) = (json, isInColor)
        self.file = try file.flatMap {
            $0 == .standard ? nil : try OutputFile($0, overwrite: overwrite, .growing, isStopped: isStopped)
        }
    }

    func print(_ changes: [MoodChange]) {
        for change in changes {
            if json {
                StandardOutput.shared.line(change.json.text)
            } else {
                let line = change.record?.line(inColor: isInColor) ?? "\(change.objectID.key)"
                StandardOutput.shared.line("\(change.sign) \(line)")
            }
            file?.write(change.json.text + "\n")
        }
        // A failure is kept, and told by `check` and `finish`.
        try? file?.flush()
        try? StandardOutput.shared.flush()
    }

    /// - Throws: ``OutputError`` when something could not be written so far.
    func check() throws {
        try StandardOutput.shared.flush()
        try file?.flush()
    }

    func finish() throws {
        try StandardOutput.shared.flush()
        try file?.finish()
    }
}
