import Glibc

/// Why the operating system would not give us a file.
///
/// Foundation's own error is four lines of nested `UserInfo`; a user wants the four words `strerror` has.
package struct FileError: Error, Equatable, CustomStringConvertible {
    /// The `errno` of the call that failed; 0 and less for those that are ours.
    package let code: Int32

    package init(code: Int32) { self.code = code }

    /// A pipe, a socket, a device: nothing a photo could be in, and reading it might not end.
    package static let notRegular = FileError(code: 0)

    /// The store that is open: reading it would let go of the locks on it.
    package static let ownStore = FileError(code: -1)

    /// A folder that moody wrote: its pictures are no photos.
    package static let ownPage = FileError(code: -2)

    /// The folder beside a store for what is too large for a row.
    package static let ownSupport = FileError(code: -3)

    /// More bytes than any photo has.
    package static let tooLarge = FileError(code: -4)

    /// A sentence without the path, which the caller puts in front.
    package var description: String {
        switch self {
        case .notRegular: "not a regular file"
        case .ownStore: "the store itself"
        case .ownPage: "a page that moody wrote; left out"
        case .tooLarge: "more than 2 GiB: larger than any photo that is read"
        case .ownSupport: "files of a store; left out"
        default: unsafe String(cString: strerror(code))
        }
    }
}
