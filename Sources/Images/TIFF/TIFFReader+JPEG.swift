#if TIFF
extension TIFFReader {
    /// Returns the damage that libjpeg conceals in strips or tiles: their number, and its first message
    /// about it.
    ///
    /// libtiff hands libjpeg a strip in one piece and stops at its last row: then libjpeg reads codes that
    /// are in no table as zeros, and what is left over goes without a word. So each part is decoded once
    /// more, as a file of its own. Only for what libtiff has read.
    ///
    /// - Returns: nil when there is nothing to guess, or no JPEG inside.
    /// - Source: Adobe Photoshop TIFF Technical Notes (2002), JPEG: compression 7, tables in tag 347.
    /// - Complexity: that of reading the picture. Parts that overlap, and may be the file a thousand times,
    ///   are left alone.
    func guessesOfJPEG(in structure: TIFFStructure) -> String? {
        guard let page = structure.directory(at: structure.first),
            structure.number(page.fields[259]) == 7
        else { return nil }
        let isTiled = page.fields[324] != nil
        let offsets = structure.numbers(page.fields[isTiled ? 324 : 273])
        let sizes = structure.numbers(page.fields[isTiled ? 325 : 279])
        guard sizes.reduce(UntrustedNumber(0), { $0 + UntrustedNumber($1) }).value(upTo: bytes.count) != nil
        else { return nil }
        let end: [UInt8] = [0xFF, 0xD9]
        var tables = page.fields[347].map { Array(bytes[$0.range]) } ?? [0xFF, 0xD8]
        if tables.suffix(2) == end[...] { tables.removeLast(2) }
        var damaged = 0, first = "", quick = options
        (quick.exact, quick.side, quick.samplePixels) = (false, 1, 0)
        for (offset, size) in zip(offsets, sizes)
        where size > 4 && offset >= 0 && offset <= bytes.count - size {
            // Without the start, which the tables have; some writers leave out the end.
            var file = tables + bytes[offset + 2..<offset + size]
            if file.suffix(2) != end[...] { file += end }
            var notes: [String] = []
            do {
                _ = try JPEGReader(bytes: file, options: quick).decode(JPEGHeader(file), notes: &notes)
            } catch {
                // A part that only libtiff can read was read by it.
                guard case .corrupt(let words) = error else { continue }
                notes = [words]
            }
            guard let note = notes.first else { continue }
            if damaged == 0 { first = note.hasPrefix("damaged: ") ? String(note.dropFirst(9)) : note }
            damaged += 1
        }
        if damaged == 0 { return nil }
        return offsets.count > 1 ? "\(damaged) of \(offsets.count) parts: \(first)" : first
    }
}
#endif
