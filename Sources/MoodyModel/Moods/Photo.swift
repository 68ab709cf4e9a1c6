package import Foundation
package import ManagedObjects
import Texts

/// A file that Moody has seen: one a path.
///
/// Files that failed, that are no pictures or that are gone are photos without a mood, or with an old one:
/// that is how the next run knows them without opening them.
package final class Photo: ManagedObject {
    /// The bytes of the folder's absolute path and of the file's name; any bytes but NUL.
    @Attribute package private(set) var folder: Data
    @Attribute package private(set) var name: Data
    /// Folder and name as text, whatever characters they have; escaped where the bytes are not UTF-8. What
    /// people see is ``ShownText`` of the bytes.
    @Attribute package private(set) var path: String
    /// Bytes, nanoseconds since 1970, and the file's number: by these the next run knows that it is
    /// unchanged.
    @Attribute package private(set) var size: Int64
    @Attribute package private(set) var mtimeNs: Int64
    @Attribute package private(set) var inode: Int64
    /// XXH3-128, 16 bytes: of the bytes that the mood was made of, or that the deleted mood was made of.
    /// While there never was a mood, of the bytes that were read last. Nil when unknown.
    ///
    /// The file may have other bytes by now: ``size``, ``mtimeNs`` and ``inode`` say what was seen last.
    @Attribute(.indexed) package private(set) var contentHash: Data?
    @Attribute package private(set) var state: PhotoState
    /// Why there is no palette, in one line.
    @Attribute package private(set) var failure: String?
    /// What a person or a camera thinks of the photo, in XMP's numbers: 0 for unrated, 1...5, -1 for
    /// rejected; nil where neither the photo nor its sidecar says.
    @Attribute package private(set) var rating: Int16?
    /// When the file was last seen to be what is recorded here.
    @Attribute package private(set) var lastSeen: Date
    @Relationship(inverse: "photo", deleteRule: .cascade) package private(set) var mood: Mood?

    override package class var uniquenessConstraints: [[String]] { [["folder", "name"]] }

    /// The file's folder and name, which a photo is known by.
    package internal(set) var location: FileLocation {
        get { FileLocation(folder: folder, name: name, path: path) }
        set { setLocation(newValue) }
    }

    func setLocation(_ location: FileLocation) {
        (folder, name, path) = (location.folder, location.name, location.path)
        mood?.photoDidChange()
    }

    func setPath(_ text: String) {
        path = text
        mood?.photoDidChange()
    }

    func setFile(_ file: FileStamp) {
        (size, mtimeNs, inode) = (file.size, file.mtimeNs, file.inode)
    }

    func setState(_ state: PhotoState, failure: String? = nil) {
        if state != self.state || failure != self.failure { mood?.photoDidChange() }
        (self.state, self.failure) = (state, failure)
    }

    func setSeen(_ date: Date) { lastSeen = date }

    func setContents(_ hash: Data?) {
        if hash == contentHash { return }
        mood?.photoDidChange()
        contentHash = hash
    }

    func setRating(_ rating: Int16?) {
        if rating == self.rating { return }
        mood?.photoDidChange()
        self.rating = rating
    }

    func setMood(_ mood: Mood?) { self.mood = mood }
}

/// The state of a photo.
package enum PhotoState: Int16, AttributeEnumeration {
    /// It has a palette.
    case kept = 0
    /// It is a picture, or was named as one, and could not be read.
    case failed = 1
    /// It is a file of another kind.
    case notPicture = 2
    /// It was there once, and was not at the last look.
    case missing = 3
    /// Its mood was deleted on purpose: later runs leave it out.
    case removed = 4
    /// It is no picture, and what it says of the photos beside it was read: XMP.
    case sidecar = 5
}

/// Where a file is: what a photo is known by.
package struct FileLocation: Hashable, Sendable {
    /// The bytes of the folder's absolute path, without a slash at the end.
    package var folder: Data
    /// The bytes of the file's name.
    package var name: Data
    /// Both as text, as ``Photo/path`` has it.
    package var path: String

    package init(folder: Data, name: Data, path: String) {
        (self.folder, self.name, self.path) = (folder, name, path)
    }

    /// - Parameters:
    ///   - folder: the bytes of an absolute path; empty for a name without a folder.
    ///   - name: the bytes of a name in it.
    package init(folder: Data, name: Data) {
        let slash = UInt8(ascii: "/"), isStart = folder.isEmpty || folder.last == slash
        let start = isStart ? folder : folder + [slash]
        let bytes = [UInt8](start + name)
        self.init(
            folder: folder, name: name, path: String(validating: bytes, as: UTF8.self) ?? ShownText.of(bytes))
    }

    package static func == (a: Self, b: Self) -> Bool { a.name == b.name && a.folder == b.folder }
    package func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(folder)
    }
}

/// The identity of a file: size, times, and inode.
package struct FileStamp: Hashable, Sendable {
    /// Bytes.
    package var size: Int64
    /// Nanoseconds since 1970, UTC.
    package var mtimeNs: Int64
    package var inode: Int64

    package init(size: Int64, mtimeNs: Int64, inode: Int64) {
        (self.size, self.mtimeNs, self.inode) = (size, mtimeNs, inode)
    }
}
