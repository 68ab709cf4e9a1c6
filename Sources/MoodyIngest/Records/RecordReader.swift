import Foundation
import Images
package import MoodyModel

/// Turns photos into records, without a store. Any thread may call.
package struct RecordReader: Sendable {
    private let reader: PhotoReader

    package init(settings: PaletteSettings, makesThumbnails: Bool) {
        var settings = settings
        settings.previewSide = nil
        reader = PhotoReader(
            settings: settings, coordinator: nil, makesThumbnails: makesThumbnails
        ) { path throws(FileError) in try readPhoto(path) }
    }

    /// - Parameter archive: the path of the archive, to stand before the member's own; nil for that alone.
    package func record(of member: ArchiveMember, in archive: BytePath?) -> PhotoRecord {
        record(
            path: (archive.map { $0.bytes + [slash] } ?? []) + member.path, name: BytePath(member.path).name,
            size: member.size, mtimeNs: member.mtimeNs, bytes: member.bytes.mapError { $0 },
            member.sidecar)
    }

    /// - Parameter path: absolute.
    package func record(ofFile path: BytePath) -> PhotoRecord {
        var file = FileStamp(size: 0, mtimeNs: 0, inode: 0)
        var bytes: Result<[UInt8], any Error>
        do throws(FileError) {
            file = try FileStatus(at: path).file
            bytes = .success(try readPhoto(path))
        } catch { bytes = .failure(error) }
        return record(
            path: path.bytes, name: path.name, size: file.size, mtimeNs: file.mtimeNs, bytes: bytes,
            Sidecar(of: path))
    }

    private func record(
        path: [UInt8], name: [UInt8], size: Int64, mtimeNs: Int64, bytes: Result<[UInt8], any Error>,
        _ sidecar: Sidecar? = nil
    ) -> PhotoRecord {
        var record = PhotoRecord(
            path: path, size: size, mtimeNs: mtimeNs, contentHash: nil,
            result: .failed(reason: "", kind: .photo))
        let photo: [UInt8]
        switch bytes {
        case .success(let bytes): photo = bytes
        case .failure(let error):
            // Nothing is known of what is in it but its name.
            let isOther = error is MemberError && !isNamedAsPicture(name)
            let isTooLarge = error as? FileError == .tooLarge || error as? MemberError == .tooLarge
            record.result = .failed(
                reason: "\(error)", kind: isOther ? .notPicture : isTooLarge ? .photo : .unavailable)
            return record
        }
        let hash = Data(contentHash(photo))
        record.contentHash = hash
        do {
            let date = FileDate(named: name, mtimeNs: mtimeNs)
            record.result = .mood(try reader.mood(photo, hash, sidecar, dated: date))
        } catch let error as PaletteError {
            let isOther = error.isOfOtherFile(named: name, byUser: false)
            record.result = .failed(
                reason: error.description, kind: isOther ? .notPicture : error.isOfLimit ? .limit : .photo)
        } catch { record.result = .failed(reason: "\(error)", kind: .photo) }
        return record
    }
}

extension FileDate {
    /// The date of a photo that says none of its own: in the file's name, else the file's time.
    package init(named name: [UInt8], mtimeNs: Int64) {
        let changed = CivilDate(Date(timeIntervalSince1970: Double(mtimeNs) / 1e9))
        if let date = CivilDate(fileName: name) {
            // A day without a time has that of the file, if that is of the day; a month likewise.
            let isDay = date.hour == 0 && date.minute == 0 && date.second == 0
            let isMonth = CivilDate(dayOf: name) == nil
            let isSame =
                isDay && changed.dayNumber == date.dayNumber
                || isMonth && (changed.year, changed.month) == (date.year, date.month)
            self.init(taken: isSame ? changed : date, source: .fileName)
        } else {
            self.init(taken: changed, source: .fileTime)
        }
    }
}

extension PaletteError {
    /// Whether a limit stopped the decoder, which `--max` may raise.
    fileprivate var isOfLimit: Bool {
        switch self {
        case .image(.tooLarge), .image(.pastLimit): true
        default: false
        }
    }
}
