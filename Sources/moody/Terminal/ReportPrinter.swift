import ManagedObjects
import MoodyGallery

/// Prints changes as they are committed.
final class ReportPrinter: Sendable {
    private let json: Bool, isInColor: Bool
    private let file: OutputFile?

    /// - Parameter file: a file for JSON Lines besides; nil or "-" for none.
    init(json: Bool, isInColor: Bool, file: String?) throws {
        (self.json, self.isInColor) = (json, isInColor)
        self.file = try file.flatMap { $0 == "-" ? nil : try OutputFile($0, overwrite: true) }
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
        // A failure is kept, and told when the run ends.
        try? StandardOutput.shared.flush()
    }

    func finish() throws { try file?.finish() }
}
