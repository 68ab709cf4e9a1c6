import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import Synchronization

/// Prints changes as they are committed.
final class ReportPrinter: Sendable {
    private let json: Bool, isQuiet: Bool
    private let lines: Mutex<MoodLines>
    private let file: OutputFile?

    /// - Parameters:
    ///   - isQuiet: lines for people are left out.
    ///   - file: a file for JSON Lines besides, which is begun anew and grows with each commit; nil or `-`
    ///     for none.
    ///   - overwrite: a file that moody did not write, too.
    ///   - isStopped: asked while nobody reads from the file, which is a pipe.
    /// - Throws: ``OutputError``, ``Interrupted``.
    init(
        json: Bool, lines: MoodLines, isQuiet: Bool, file: BytePath?, overwrite: Bool = false,
        isStopped: () -> Bool = { false }
    ) throws {
        (self.json, self.isQuiet) = (json, isQuiet)
        self.lines = Mutex(lines)
        self.file = try file.flatMap {
            $0 == .standard ? nil : try OutputFile($0, overwrite: overwrite, .growing, isStopped: isStopped)
        }
    }

    func print(_ changes: [MoodChange]) {
        if json {
            for change in changes { StandardOutput.shared.line(change.json.text) }
        } else if !isQuiet {
            var texts = lines.withLock { $0.lines(changes.compactMap(\.record)) }[...]
            for change in changes {
                let text = change.record == nil ? Self.text(change) : texts.popFirst()
                if let text { StandardOutput.shared.line("\(change.sign) \(text)") }
            }
        }
        if let file { for change in changes { file.write(change.json.text + "\n") } }
        // A failure is kept, and told by `check` and `finish`.
        try? file?.flush()
        try? StandardOutput.shared.flush()
    }

    /// A section, or a mood of which nothing but its number is known any more.
    private static func text(_ change: MoodChange) -> String? {
        if let name = change.sectionName { return sectionText(name) }
        return change.objectID.map {
            String(repeating: " ", count: max(0, 5 - "\($0.key)".count)) + "\($0.key)"
        }
    }

    static func sectionText(_ name: String) -> String { name.isEmpty ? "(none)" : name }

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
