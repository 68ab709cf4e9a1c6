import ArgumentParser
import DataStacks
import Foundation
import MoodyGallery
import MoodyIngest
import Palettes

/// `moody export ase` and the like: a file of swatches, or one a photo.
struct SwatchExport {
    let format: ExportCommand.Format
    let list: MoodList
    /// A file a photo, in the folder `output`.
    let each: Bool
    /// A combined palette with this many colors.
    let combined: PaletteSize?
    let output: BytePath?
    let overwrite: Bool
    /// The user's own names of colors.
    var names: NearestNames?

    /// - Throws: ``StoreError``, ``OutputError``.
    func write(_ stack: DataStack, _ messages: Messages) throws {
        if each { return try writeEach(stack, messages) }
        var palettes: [NamedPalette] = []
        if let combined {
            var all = CombinedPalette()
            try list.forEach(in: stack) { for record in $0 { all.add(record.palette) } }
            var options = PaletteOptions()
            options.size = combined
            palettes = [named("palette", all.palette(options))]
        } else {
            try list.forEach(in: stack) {
                palettes += $0.map { named($0.name, $0.palette) }
            }
        }
        try Self.write(Self.bytes(palettes, format), format, to: output, overwrite: overwrite)
    }

    /// - Throws: ``OutputError``, also for bytes on a terminal.
    static func write(_ bytes: [UInt8], _ format: ExportCommand.Format, to output: BytePath?, overwrite: Bool)
        throws
    {
        let isFile = output != nil && output != .standard
        if format.swatches?.isBinary == true && !isFile && StandardOutput.shared.isTerminal {
            throw OutputError("\(format.rawValue) is not for a terminal: --output FILE")
        }
        let results = try Results(output, overwrite: overwrite)
        results.write(bytes)
        try results.finish()
    }

    /// A whole file.
    static func bytes(_ palettes: [NamedPalette], _ format: ExportCommand.Format) -> [UInt8] {
        if let swatches = format.swatches { return swatches.bytes(of: palettes) }
        var lists = HexLists()
        return palettes.flatMap { Array(lists.next($0.palette).utf8) }
    }

    private func named(_ name: String, _ palette: Palette) -> NamedPalette {
        var named = NamedPalette(name: name, palette: palette)
        named.colorNames = names?.names(of: palette)
        return named
    }

    private func writeEach(_ stack: DataStack, _ messages: Messages) throws {
        guard let output else { return }
        let folder = try SwatchFolder(output)
        let end = format.swatches?.fileNameExtension ?? format.rawValue
        try list.forEach(in: stack) { records in
            for record in records {
                let palette = named(record.name, record.palette)
                try folder.write(Self.bytes([palette], format), named: record.photoPath.bytes, end: end)
            }
        }
        let count = try folder.finish()
        messages.note("moody: wrote \(output): \(count) \(count == 1 ? "file" : "files")")
    }
}
