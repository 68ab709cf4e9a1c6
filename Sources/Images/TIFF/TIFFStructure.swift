/// The directories of a TIFF structure, read without believing any of it.
///
/// Raw files and EXIF are built the same way, so this tells raw files from TIFF, finds what was cut off and
/// takes out the metadata; pixels are libtiff's.
///
/// - Source: TIFF 6.0, section 2; Adobe PageMaker 6.0 TIFF Technical Notes, 1 (SubIFDs); BigTIFF as libtiff
///   reads it.
struct TIFFStructure {
    /// A field of a directory.
    struct Field {
        let tag: Int, type: Int, count: Int
        /// Where its values are: inside the file, all of them.
        let range: Range<Int>
    }

    struct Directory {
        var fields: [Int: Field] = [:]
        var next = 0
        /// Some fields have values beyond the end of the file.
        var isCut = false
    }

    let bytes: [UInt8]
    let isBigEndian: Bool
    /// Offsets of eight bytes.
    let isBigTIFF: Bool
    /// Where the first directory stands, or should.
    let first: Int

    /// Nil for what does not begin as a TIFF, or as Olympus's and Panasonic's variants of it.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 8 else { return nil }
        switch (bytes[0], bytes[1]) {
        case (0x49, 0x49): isBigEndian = false
        case (0x4D, 0x4D): isBigEndian = true
        default: return nil
        }
        self.bytes = bytes
        let read = { [isBigEndian] (at: Int, size: Int) in bytes.number(at: at, size, bigEndian: isBigEndian)
        }
        switch read(2, 2) {
        case 42, 0x4F52, 0x5352, 0x55:
            isBigTIFF = false
            first = read(4, 4)
        case 43 where bytes.count >= 16 && read(4, 2) == 8:
            isBigTIFF = true
            first = read(8, 8)
        default: return nil
        }
    }

    func number(at offset: Int, _ size: Int) -> Int {
        bytes.number(at: offset, size, bigEndian: isBigEndian)
    }

    /// The directory there; nil when it is not, or not all of it, in the file.
    func directory(at offset: Int) -> Directory? {
        let header = isBigTIFF ? 8 : 2, size = isBigTIFF ? 20 : 12, pointer = isBigTIFF ? 8 : 4
        guard offset >= 8, offset <= bytes.count - header else { return nil }
        let count = number(at: offset, header)
        // Real directories have dozens of fields.
        guard count > 0, count <= 4096 else { return nil }
        var directory = Directory()
        // Only the fields that are there, if it is cut off.
        directory.isCut = offset + header + count * size + pointer > bytes.count
        let whole = directory.isCut ? (bytes.count - offset - header) / size : count
        guard whole > 0 else { return nil }
        for index in 0..<whole {
            let at = offset + header + index * size
            let tag = number(at: at, 2), type = number(at: at + 2, 2)
            let values = number(at: at + 4, pointer)
            guard let unit = TIFFStructure.sizes[type], directory.fields[tag] == nil else { continue }
            let inline = at + 4 + pointer
            let start = values >= 0 && values <= pointer / unit ? inline : number(at: inline, pointer)
            guard values >= 0, values <= bytes.count, start >= 0, start <= bytes.count - values * unit else {
                directory.isCut = true
                continue
            }
            directory.fields[tag] = Field(
                tag: tag, type: type, count: values, range: start..<start + values * unit)
        }
        let behind = offset + header + count * size
        if behind + pointer <= bytes.count { directory.next = number(at: behind, pointer) }
        return directory
    }

    /// Bytes of a value of each type; TIFF 6.0, section 2, and the Technical Notes.
    private static let sizes = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8,
    ]

    /// The whole numbers of a field, at most `limit`; none when it holds something else.
    func numbers(_ field: Field?, limit: Int = 1 << 20) -> [Int] {
        guard let field, [1, 3, 4, 13, 16, 18].contains(field.type),
            let unit = TIFFStructure.sizes[field.type]
        else { return [] }
        return (0..<min(field.count, limit)).map { number(at: field.range.lowerBound + $0 * unit, unit) }
    }

    /// The first number of a field.
    func number(_ field: Field?) -> Int? { numbers(field, limit: 1).first }

    /// The main directories, and those below each, at most 64. One that is announced and not in the file, or
    /// not all of it, has no fields.
    var directories: [Directory] {
        var found: [Directory] = [], seen: Set<Int> = [], open = [first]
        while let offset = open.popLast(), found.count < 64 {
            guard seen.insert(offset).inserted else { continue }
            guard let directory = directory(at: offset) else {
                found.append(Directory(isCut: true))
                continue
            }
            found.append(directory)
            if directory.next > 0 { open.append(directory.next) }
            open += numbers(directory.fields[330], limit: 16)
        }
        return found
    }

    /// A camera's raw file and no picture for readers of TIFF: one of its directories holds sensor data, or
    /// calls the file DNG.
    ///
    /// - Source: TIFF/EP (ISO 12234-2) and DNG 1.6: photometric interpretations 32803 (color filter array)
    ///   and 34892 (linear raw), tag 50706 (DNGVersion). Compressions are those of Nikon, Sony, Pentax and
    ///   Samsung; libtiff reads none of them. "IIII" at 8, a byte, "waR" are Phase One's: pixels may stand
    ///   there that are as gray as an "I".
    var isRaw: Bool {
        if bytes.hasText("IIII", at: 8), bytes.hasText("waR", at: 13) { return true }
        return directories.contains { directory in
            directory.fields[50706] != nil
                || [32803, 34892].contains(number(directory.fields[262]) ?? 0)
                || [34713, 32767, 32769, 32770, 32772, 65535].contains(number(directory.fields[259]) ?? 0)
        }
    }
}

extension [UInt8] {
    /// A whole number of `size` bytes; one that does not fit is negative.
    func number(at offset: Int, _ size: Int, bigEndian: Bool) -> Int {
        var value: UInt64 = 0
        for index in 0..<size {
            value = value << 8 | UInt64(self[bigEndian ? offset + index : offset + size - 1 - index])
        }
        return Int(truncatingIfNeeded: value)
    }

    /// Writes a whole number of `size` bytes.
    mutating func set(_ value: Int, at offset: Int, _ size: Int, bigEndian: Bool) {
        for index in 0..<size {
            let place = bigEndian ? offset + size - 1 - index : offset + index
            self[place] = UInt8(truncatingIfNeeded: value >> (8 * index))
        }
    }
}
