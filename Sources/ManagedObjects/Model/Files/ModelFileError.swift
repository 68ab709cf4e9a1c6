/// Why a model cannot be read from a file.
public struct ModelFileError: Error, Equatable, CustomStringConvertible {
    /// The path, as it was given.
    public let file: String
    /// From 1; nil where the file as a whole is the matter.
    public let line: Int?
    /// A sentence that says why.
    public let reason: String

    init(_ file: String, line: Int? = nil, _ reason: String) {
        (self.file, self.line, self.reason) = (file, line, reason)
    }

    /// A sentence for people.
    public var description: String { "\(file)\(line.map { ":\($0)" } ?? ""): \(reason)" }
}
