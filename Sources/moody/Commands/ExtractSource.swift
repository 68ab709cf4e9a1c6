import Glibc
import Images
import MoodyGallery
import MoodyIngest
import MoodyModel
import Palettes

/// A file that a palette is extracted from, and where its bytes come from.
struct ExtractSource: Sendable {
    private enum Input: Sendable {
        case standardInput
        case file(BytePath)
        case member(ArchiveMember)
        /// It cannot be looked at, or not be read on.
        case lost(any Error)
    }

    let path: PhotoPath
    /// Named by the user, not found in a folder.
    let isNamed: Bool
    private let input: Input

    struct Outcome: Sendable {
        let path: PhotoPath
        /// Nil for a file of a folder that is no picture.
        let result: Result<ExtractedPhoto, any Error>?
    }

    /// A pipe has many names, and is no file that a photo could be found in.
    private static let standardInputs = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].map {
        BytePath($0)
    }

    /// A photo, or what may be one in a folder, in the order of paths.
    static func all(at path: BytePath, passingOver messages: Messages) -> [ExtractSource] {
        if standardInputs.contains(path) {
            return [ExtractSource(path: PhotoPath(bytes: Array("-".utf8), shown: "-"), .standardInput)]
        }
        guard (try? FileStatus(at: path))?.kind == .folder else { return [ExtractSource(path, .file(path))] }
        let found = FileFinder.find([path], filter: FileFilter(), namingOthers: true)
        for other in found.otherPaths { messages.verbose("moody: \(other): no picture") }
        return found.problems.map { ExtractSource($0.path, .lost($0.error)) }
            + found.files.map { ExtractSource($0.shown, .file($0.path), isNamed: false) }
    }

    private init(_ path: BytePath, _ input: Input, isNamed: Bool = true) {
        self.init(path: PhotoPath(bytes: path.bytes, shown: path.description), input, isNamed: isNamed)
    }

    private init(path: PhotoPath, _ input: Input, isNamed: Bool = true) {
        (self.path, self.input, self.isNamed) = (path, input, isNamed)
    }

    /// The path of an archive that the user named, to be read in its place.
    var archive: BytePath? {
        guard case .file(let path) = input, isNamed, path.isArchive else { return nil }
        return path
    }

    /// A photo in this archive.
    func member(_ member: ArchiveMember) -> ExtractSource {
        let name = BytePath(path.bytes + [UInt8(ascii: "/")] + member.path)
        return ExtractSource(name, .member(member), isNamed: false)
    }

    /// This archive, which cannot be read on.
    func broken(_ error: any Error) -> ExtractSource { ExtractSource(path: path, .lost(error)) }

    /// Any thread may call.
    func outcome(_ settings: PaletteSettings) -> Outcome {
        do {
            let bytes: [UInt8]
            var mtimeNs: Int64?
            var sidecar: Sidecar?
            switch input {
            case .standardInput: bytes = try readPhoto(STDIN_FILENO)
            case .file(let path):
                bytes = try readPhoto(path)
                mtimeNs = try FileStatus(at: path).file.mtimeNs
                sidecar = Sidecar(of: path)
            case .member(let member):
                bytes = try member.bytes.get()
                mtimeNs = member.mtimeNs
                sidecar = member.sidecar
            case .lost(let error): throw error
            }
            let palette = try ExtractedPalette(bytes: bytes, settings: settings.turned(by: sidecar))
            let name = mtimeNs == nil ? [] : BytePath(path.bytes).name
            let photo = ExtractedPhoto(
                palette, beside: sidecar, dated: FileDate(named: name, mtimeNs: mtimeNs ?? 0))
            return Outcome(path: path, result: .success(photo))
        } catch let error as PaletteError where !isNamed {
            let name = BytePath(path.bytes).name
            return Outcome(
                path: path, result: error.isOfOtherFile(named: name, byUser: false) ? nil : .failure(error))
        } catch let error as MemberError {
            let isOther = MemberError.isOfOtherFile(named: BytePath(path.bytes).name)
            return Outcome(path: path, result: isOther ? nil : .failure(error))
        } catch { return Outcome(path: path, result: .failure(error)) }
    }
}

/// A photo's palette, and what is known of the photo.
struct ExtractedPhoto: Sendable {
    let extracted: ExtractedPalette
    let facts: CaptureInfo

    /// Notes about oddities, one line each.
    var notes: [String] { facts.notes + extracted.palette.notes }

    init(_ extracted: ExtractedPalette, beside sidecar: Sidecar?, dated date: FileDate) {
        let picture = extracted.picture
        self.extracted = extracted
        facts = CaptureInfo(
            picture.metadata, beside: sidecar, dated: date, width: picture.width, height: picture.height,
            notes: picture.notes)
    }
}
