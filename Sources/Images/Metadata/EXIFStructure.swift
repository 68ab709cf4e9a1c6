/// The directories of an EXIF structure, and their values.
///
/// - Source: CIPA DC-008-2019 (EXIF 2.32), 4.6.3 (pointers to directories), 4.6.2 (types).
struct EXIFStructure {
    private let structure: TIFFStructure
    /// IFD0, and the directories of EXIF, GPS, and interoperability.
    let main: TIFFStructure.Directory
    let exif: TIFFStructure.Directory
    let gps: TIFFStructure.Directory
    let interoperability: TIFFStructure.Directory
    /// Some directory, or a value of one, is not in the structure.
    let isDamaged: Bool

    init(_ structure: TIFFStructure) {
        var isDamaged = false
        func directory(at offset: Int?) -> TIFFStructure.Directory {
            guard let offset else { return TIFFStructure.Directory() }
            let directory = structure.directory(at: offset)
            isDamaged = isDamaged || directory?.isCut ?? !structure.hasEmptyDirectory(at: offset)
            return directory ?? TIFFStructure.Directory()
        }
        func below(_ directories: [TIFFStructure.Directory], _ pointer: Int) -> TIFFStructure.Directory {
            let pointers = directories.lazy.compactMap { structure.wholeNumber($0.fields[pointer]) }
            return directory(at: pointers.first)
        }
        self.structure = structure
        main = directory(at: structure.first)
        exif = below([main], 0x8769)
        gps = below([main, exif], 0x8825)
        interoperability = below([exif, main], 0xA005)
        self.isDamaged = isDamaged
    }

    /// At most 63 bytes of a text, of the first directory that has it; empty when none does.
    func text(_ tag: Int, in directories: [TIFFStructure.Directory]) -> String {
        for directory in directories {
            guard let field = directory.fields[tag], field.type == 2 else { continue }
            let text = printable(structure.bytes[field.range].prefix(63))
            if !text.isEmpty { return text }
        }
        return ""
    }

    /// The first letter of a text of the GPS directory; 0 when it has none.
    func letter(_ tag: Int) -> UInt8 {
        guard let field = gps.fields[tag], field.type == 2, field.count > 0 else { return 0 }
        return structure.bytes[field.range.lowerBound]
    }

    /// A whole number of any type; nil when the directory has none.
    func wholeNumber(_ directory: TIFFStructure.Directory, _ tag: Int) -> Int? {
        structure.wholeNumber(directory.fields[tag])
    }

    /// Three fractions, with signs or without; those that are missing are 0, those over 0 not a number.
    func fractions(_ directory: TIFFStructure.Directory, _ tag: Int) -> (Double, Double, Double)? {
        guard let field = directory.fields[tag], field.type == 5 || field.type == 10, field.count > 0 else {
            return nil
        }
        func fraction(_ index: Int) -> Double {
            guard index < field.count else { return 0 }
            let parts = [0, 4].map { offset in
                let number = structure.number(at: field.range.lowerBound + index * 8 + offset, 4)
                return Double(field.type == 10 ? Int(Int32(truncatingIfNeeded: number)) : number)
            }
            return parts[1] == 0 ? .nan : parts[0] / parts[1]
        }
        return (fraction(0), fraction(1), fraction(2))
    }
}

extension TIFFStructure {
    /// A whole number with a sign or without.
    fileprivate func wholeNumber(_ field: Field?) -> Int? {
        guard let field else { return nil }
        if let number = number(field) { return number }
        guard field.count > 0 else { return nil }
        let start = field.range.lowerBound
        return switch field.type {
        case 6: Int(Int8(truncatingIfNeeded: number(at: start, 1)))
        case 8: Int(Int16(truncatingIfNeeded: number(at: start, 2)))
        case 9: Int(Int32(truncatingIfNeeded: number(at: start, 4)))
        default: nil
        }
    }

    /// Whether a directory without fields stands there: some programs write one for a place that they do not
    /// know.
    fileprivate func hasEmptyDirectory(at offset: Int) -> Bool {
        offset >= 8 && offset <= bytes.count - 2 && number(at: offset, 2) == 0
    }
}
