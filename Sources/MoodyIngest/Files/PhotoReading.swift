import Glibc
import Images

/// Reads a photo, and of what is none no more than it takes to tell.
///
/// The first 64 KB say what a file is. A film, or a kind that this build does not read, is left at that; of a
/// JPEG with something behind its end, as some telephones write it, about as much is read as belongs to the
/// picture.
///
/// - Returns: the photo's bytes, or the first ones of what is no photo.
/// - Throws: ``FileError`` with the operating system's reason; ``FileError/tooLarge`` above 2 GiB.
package func readPhoto(_ path: BytePath) throws(FileError) -> [UInt8] {
    let (file, size) = try openRegular(path)
    defer { close(file) }
    let head = try read(file, count: min(size, headSize))
    guard size > headSize, isRead(head) else { return head }
    if size > PhotoReading.mostBytes { throw .tooLarge }
    var wanted = min(size, ImageFormat(bytes: head) == .jpeg ? firstPart : size)
    while true {
        guard lseek(file, 0, SEEK_SET) == 0 else { throw FileError(code: errno) }
        var bytes = try read(file, count: wanted)
        if wanted == size { return bytes }
        if let end = ImageFormat.end(in: bytes) {
            bytes.removeLast(bytes.count - end)
            return bytes
        }
        wanted = min(size, wanted * 2)
    }
}

/// Reads a photo from a pipe, or whatever somebody hands over; as ``readPhoto(_:)``.
///
/// - Throws: ``FileError``.
package func readPhoto(_ file: Int32) throws(FileError) -> [UInt8] {
    let head = try read(file, count: headSize)
    guard head.count == headSize, isRead(head) else { return head }
    return head + (try readAll(file))
}

/// Decides how many bytes of a photo to take from a stream: as many as ``readPhoto(_:)-(BytePath)`` takes
/// from a file, so that the same photo has the same content hash wherever it comes from.
struct PhotoReading {
    /// No picture is larger; a file that claims to be, a sparse one say, is not read into memory.
    static let mostBytes = 1 << 31

    /// Bytes in the file.
    let size: Int

    /// - Parameter bytes: the bytes so far, from the start.
    /// - Returns: how many bytes to have next; nil when these are enough.
    func count(after bytes: [UInt8]) -> Int? {
        if bytes.count == size { return nil }
        if bytes.isEmpty { return min(size, headSize) }
        let head = Array(bytes.prefix(headSize))
        if !isRead(head) || size > Self.mostBytes { return nil }
        if ImageFormat(bytes: head) != .jpeg { return size }
        if bytes.count < firstPart { return min(size, firstPart) }
        return ImageFormat.end(in: bytes) == nil ? min(size, bytes.count * 2) : nil
    }

    /// The photo out of the bytes that ``count(after:)`` asked for: of a JPEG that was not read whole,
    /// without what stands behind its end.
    func result(_ bytes: [UInt8]) -> Result<[UInt8], FileError> {
        if bytes.count == size || !isRead(Array(bytes.prefix(headSize))) { return .success(bytes) }
        if size > PhotoReading.mostBytes { return .failure(.tooLarge) }
        return .success(ImageFormat.end(in: bytes).map { Array(bytes.prefix($0)) } ?? bytes)
    }
}

/// The number of bytes that identify a kind of picture.
private let headSize = 65_536

/// Larger photos are looked at for their end before the rest is read.
private let firstPart = 32 << 20

/// Whether these are the first bytes of a photo that this build reads. Which TIFFs are raw files stands
/// further behind.
private func isRead(_ head: [UInt8]) -> Bool {
    switch ImageFormat(bytes: head) {
    case nil: false
    case .tiff, .raw: ImageFormat.tiff.isBuiltIn || ImageFormat.raw.isBuiltIn
    case .some(let format): format.isBuiltIn
    }
}
