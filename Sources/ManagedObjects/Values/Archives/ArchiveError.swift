/// Why bytes are no property list, no archive or no compressed data.
struct ArchiveError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
