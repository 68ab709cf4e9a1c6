/// ASE and ACO files. Numbers are big-endian, names UTF-16 with a 0 behind them.
enum AdobeSwatches {
    /// Adobe Swatch Exchange 1.0: one group a palette, since GIMP drops the last swatch of a file without
    /// one.
    ///
    /// - Source: the layout of 22 files of other programs; no specification is published.
    static func ase(_ palettes: [NamedPalette]) -> [UInt8] {
        var blocks: [UInt8] = [], count: UInt32 = 0
        func block(_ type: UInt16, _ payload: [UInt8]) {
            blocks += bytes(type) + bytes(UInt32(payload.count)) + payload
            count += 1
        }
        for palette in palettes {
            block(0xC001, name(palette.name))
            for (entry, colorName) in palette.namedEntries {
                let color = entry.color
                let channels = [color.red, color.green, color.blue].flatMap {
                    bytes((Float($0) / 255).bitPattern)
                }
                // 2: neither a global nor a spot color.
                block(1, name(colorName) + Array("RGB ".utf8) + channels + bytes(UInt16(2)))
            }
            block(0xC002, [])
        }
        return Array("ASEF".utf8) + bytes(UInt16(1)) + bytes(UInt16(0)) + bytes(count) + blocks
    }

    /// Photoshop's swatches: a section of version 1, which old readers stop behind, and one of version 2 with
    /// names. At most 65,535 colors, the first.
    ///
    /// - Source: Adobe, "Photoshop File Formats", Color swatches.
    static func aco(_ palettes: [NamedPalette]) -> [UInt8] {
        let colors = palettes.flatMap { palette in
            palette.namedEntries.map { entry, name in
                // No groups: the palette's name stands in front where there are several.
                (entry.color, palettes.count > 1 ? "\(palette.name): \(name)" : name)
            }
        }.prefix(0xFFFF)
        func color(_ color: RGB) -> [UInt8] {
            let channels = [color.red, color.green, color.blue].flatMap { bytes(UInt16($0) * 257) }
            return bytes(UInt16(0)) + channels + bytes(UInt16(0))
        }
        let first = colors.flatMap { color($0.0) }
        let second = colors.flatMap { color($0.0) + bytes(UInt16(0)) + name($0.1) }
        let count = bytes(UInt16(colors.count))
        return bytes(UInt16(1)) + count + first + bytes(UInt16(2)) + count + second
    }

    /// Its length with the 0, and the units: at most 255 of them.
    private static func name(_ text: String) -> [UInt8] {
        var units = Array(text.inOneLine.utf16.prefix(255))
        // Not half a pair at the end.
        if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
        return bytes(UInt16(units.count + 1)) + units.flatMap { bytes($0) } + [0, 0]
    }

    private static func bytes(_ number: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
        stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
