import Foundation
import Images
import ManagedObjects
import MoodyModel
import Palettes
import Synchronization

/// Turns the bytes of files into what the store keeps of them. Any thread may call.
final class PhotoReader: Sendable {
    private let settings: PaletteSettings
    private let coordinator: PersistentStoreCoordinator?
    private let read: @Sendable (BytePath) throws(FileError) -> [UInt8]
    private let makesThumbnails: Bool
    private let recent = Mutex<Recent>(Recent())
    /// Workspaces that no worker is using.
    private let workspaces = Mutex<[PaletteWorkspace]>([])

    /// What the pixels of a photo tell.
    private struct Result {
        let palette: Palette
        let picture: DecodedInfo
        let thumbnail: Data
        /// See ``Mood/pictureHash``.
        let pictureHash: Data
    }

    /// Palettes of this run by content hash: a copy of a photo need not be computed again.
    private struct Recent {
        var results: [Key: Result] = [:]
        var order: [Key] = []

        struct Key: Hashable {
            let hash: Data
            let orientation: Int?
        }
    }

    /// The facts that copies of a photo share.
    struct DecodedInfo: Sendable {
        let width: Int, height: Int
        let metadata: PhotoMetadata
        let notes: [String]
    }

    /// - Parameters:
    ///   - coordinator: of the store beside which previews are put; needed when there are any.
    ///   - read: path to bytes. A parameter so that a test can hand in bytes, or a disk that fails.
    init(
        settings: PaletteSettings, coordinator: PersistentStoreCoordinator?, makesThumbnails: Bool = true,
        read: @escaping @Sendable (BytePath) throws(FileError) -> [UInt8]
    ) {
        (self.settings, self.coordinator, self.read) = (settings, coordinator, read)
        self.makesThumbnails = makesThumbnails
    }

    /// The outcome of reading a file.
    enum Outcome: Sendable {
        /// There is something to store, and maybe something to say.
        case read(PhotoImport)
        /// The file has the bytes it had: only what the file system says of it changed.
        case sameContents(FileStamp)
        /// The store has these contents elsewhere: a photo that was moved, or whose palette is this one's
        /// too.
        case known(ContentHash, FileStamp)
        /// The file could not be read.
        case unreadable(String)
        /// The store could not be read, or the photo's preview not be put beside it.
        case unwritable(any Error)
    }

    /// - Parameter contents: what the store has by contents; nil to read the picture whatever it has.
    func outcome(of item: IngestPlan.Item, _ contents: ContentIndex?) -> Outcome {
        let found = item.found, bytes: [UInt8]
        do { bytes = try read(found.path) } catch  where error == .tooLarge {
            // It will be no smaller next time: remembered, as other failures are.
            let failure = PhotoImport(
                location: found.location, file: found.file, contentHash: Data(), seen: Date(),
                result: .failed(error.description))
            return .read(failure)
        } catch { return .unreadable(error.description) }
        let hash = Data(contentHash(bytes))
        lazy var sidecar = found.folder.hasSidecars ? Sidecar(of: found.path) : nil
        if let key = ContentHash(hash) {
            let isDeleted = key == item.deletedHash
            if key == item.paletteHash || (isDeleted && !item.restores) { return .sameContents(found.file) }
            if !isDeleted, key != item.ownHash, let contents, sidecar == nil {
                do {
                    let answer = try contents.look(for: key, recomputes: item.recomputes)
                    if answer != .none { return .known(key, found.file) }
                } catch { return .unwritable(error) }
            }
        }
        // The photo stays as the store has it, and is read again by the next run.
        if let sidecar, sidecar.isUnreadable {
            return .unreadable("\(sidecar.name): \(sidecar.problem ?? "")")
        }
        var source = PhotoImport(
            location: found.location, file: found.file, contentHash: hash, seen: Date(), result: .notPicture)
        do {
            source.result = .kept(try mood(bytes, hash, sidecar, dated: found.date))
        } catch let error as PaletteError {
            // A photo that something else was written over is named: its mood is still in the list.
            let isOther = !item.hasMood && error.isOfOtherFile(named: found.name, byUser: found.isNamed)
            let isSidecar = Sidecar.isNamedSo(found.name)
            source.result = !isOther ? .failed(error.description) : isSidecar ? .sidecar : .notPicture
            // Its photos may have heard other words of a file that is changed just now.
            if isOther, isSidecar {
                let isSame = (try? FileStatus(at: found.path))?.file == found.file
                source.contentHash = isSame ? Sidecar.hash(of: bytes)?.data : nil
            }
        } catch let error as ImageError {
            source.result = .failed(error.description)
        } catch { return .unwritable(error) }
        return .read(source)
    }

    /// - Parameter fileDate: the date of a photo that says none of its own.
    func mood(
        _ bytes: [UInt8], _ hash: Data, _ sidecar: Sidecar?, dated fileDate: FileDate
    ) throws -> MoodSource {
        let settings = settings.turned(by: sidecar)
        let result = try result(bytes, hash, settings)
        let picture = result.picture
        var preview: ExternalData?
        if let side = settings.previewSide, let coordinator {
            var options = settings.decoding
            options.side = side
            let large = try Picture(bytes: bytes, options: options).image.resized(longSide: side)
            preview = try coordinator.stage(Data(large.jpeg(quality: 85)))
        }
        return MoodSource(
            palette: result.palette, request: PaletteRequest(settings.palette),
            facts: CaptureInfo(
                picture.metadata, beside: sidecar, dated: fileDate, width: picture.width,
                height: picture.height, notes: picture.notes),
            thumbnail: result.thumbnail, preview: preview, pictureHash: result.pictureHash)
    }

    private func result(
        _ bytes: [UInt8], _ hash: Data, _ settings: PaletteSettings
    ) throws -> Result {
        let key = Recent.Key(hash: hash, orientation: settings.limits.orientation)
        if let known = recent.withLock({ $0.results[key] }) { return known }
        var workspace = workspaces.withLock { $0.popLast() } ?? PaletteWorkspace()
        defer { workspaces.withLock { $0.append(workspace) } }
        let extracted = try ExtractedPalette(bytes: bytes, settings: settings, using: &workspace)
        let picture = extracted.picture
        let facts = DecodedInfo(
            width: picture.width, height: picture.height, metadata: picture.metadata, notes: picture.notes)
        let result = Result(
            palette: extracted.palette, picture: facts,
            thumbnail: makesThumbnails ? try thumbnail(of: picture) : Data(),
            pictureHash: picture.overview.pictureHash)
        recent.withLock { recent in
            guard recent.results.updateValue(result, forKey: key) == nil else { return }
            recent.order.append(key)
            // 128 thumbnails are some 2 MB.
            if recent.order.count > 128 { recent.results[recent.order.removeFirst()] = nil }
        }
        return result
    }

    private func thumbnail(of picture: Picture) throws -> Data {
        Data(try picture.image.resized(longSide: PaletteSettings.thumbnailSide).jpeg(quality: 80))
    }
}

extension Image {
    /// See ``Mood/pictureHash``.
    var pictureHash: Data {
        Data(PictureHash(PixelSample(rgba: rgba, width: width))?.bytes ?? [])
    }
}

extension FoundFile {
    /// The date of a photo that says none of its own.
    var date: FileDate {
        let date = FileDate(named: name, mtimeNs: file.mtimeNs)
        let isClamped = file.mtimeNs == .max || file.mtimeNs == .min
        guard isClamped, date.source == .fileTime, let exact = (try? FileStatus(at: path))?.modified else {
            return date
        }
        return FileDate(taken: CivilDate(exact), source: .fileTime)
    }
}

/// Whether a file's name says that it is a picture of a kind that is read here: when its bytes say otherwise
/// that is worth a line.
func isNamedAsPicture(_ name: [UInt8]) -> Bool {
    let text = displayText(name).lowercased()
    return pictureNameEnds.contains { text.hasSuffix($0) }
}

/// Whether a file's name says that it is a photo of any kind, whether this build reads it or not.
package func isNamedAsPhoto(_ name: [UInt8]) -> Bool {
    let name = String(decoding: name, as: UTF8.self).lowercased()
    return ImageFormat.allCases.flatMap(\.fileNameExtensions).contains { name.hasSuffix("." + $0) }
}

private let pictureNameEnds = ImageFormat.allCases.filter(\.isBuiltIn)
    .flatMap(\.fileNameExtensions).map { "." + $0 }
