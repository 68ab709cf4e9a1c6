// The entry points libFuzzer calls; `scripts/fuzz` builds a program of each.

import Glibc

@testable import Images

/// Reads the input as a photo in every way there is. A crash, a trap, a hang or an address error is a
/// finding.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // SAFETY: libFuzzer hands over `count` readable bytes for the time of the call.
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    var options = DecodingOptions()
    options.pixelLimit = 1 << 22
    options.acceptsTruncated = true
    #if JPEG
    read([0xFF, 0xD8] + input, &options)
    _ = DCPicture(JPEGMarkers([0xFF, 0xD8] + input), scanLimit: 20, manyStreamsFrom: 0)
    #elseif PNG
    read([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + input, &options)
    #elseif EXIF
    var notes: [String] = []
    var metadata = PhotoMetadata(exif: input[...], notes: &notes)
    metadata.fill(fromXMP: input)
    #elseif WebP
    read(input, &options) { $0 == .webp }
    #elseif HEIF
    read(input, &options) { $0 == .heic }
    #elseif AVIF
    read(input, &options) { $0 == .avif }
    #elseif JXL
    read(input, &options) { $0 == .jxl }
    #elseif TIFF
    read(input, &options) { $0 == .tiff }
    #elseif GIF
    read(input, &options) { $0 == .gif }
    #elseif RAW
    read(input, &options) { $0 == .raw }
    #elseif Record
    let room = 1 << 20
    if case .picture(let picture)? = PictureRecord.answer(input, room: room) {
        precondition(picture.counts.reduce(0, +) <= room, "more pixels than there is room for")
        _ = picture.picture(.png, picture.counts.map { [UInt8](repeating: 0, count: $0) })
    }
    #elseif Members
    // Seekable, and as from a pipe.
    for isPipe in [false, true] { readMembers(input, isPipe: isPipe) }
    #endif
    return 0
}

/// - Parameter isWanted: another target's kinds are left to it.
private func read(
    _ bytes: [UInt8], _ options: inout DecodingOptions, _ isWanted: (ImageFormat) -> Bool = { _ in true }
) {
    guard let format = ImageFormat(bytes: bytes), isWanted(format) else { return }
    for side in [1, 320] {
        options.side = side
        guard let picture = try? Picture(bytes: bytes, options: options) else { continue }
        let size = picture.image.width * picture.image.height * 4
        precondition(
            picture.image.rgba.count == size && picture.sample.count % 4 == 0, "a picture of another size")
    }
}

private func readMembers(_ bytes: [UInt8], isPipe: Bool) {
    // SAFETY: the bytes of arrays.
    var name = Array("/dev/shm/fuzz-XXXXXX".utf8CString)
    let file = unsafe mkstemp(&name)
    unsafe unlink(name)
    defer { close(file) }
    // A file that is not at its start is read as a pipe is.
    let bytes = (isPipe ? [0] : []) + bytes
    unsafe bytes.withUnsafeBytes { _ = unsafe write(file, $0.baseAddress, $0.count) }
    lseek(file, isPipe ? 1 : 0, SEEK_SET)
    guard let stream = try? ArchiveStream(file, limit: 16 << 20) else { return }
    while let entry = try? stream.next() {
        precondition(entry.name.count <= 65_536, "a name longer than any")
        while case .bytes(let part)? = try? stream.more(), !part.isEmpty {}
    }
}
