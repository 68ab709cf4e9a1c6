import ArgumentParser
import DataStacks
import Foundation
import Images
import MoodyGallery
import MoodyIngest
import Palettes
import Texts

/// `moody export card`: a picture of a photo with its colors, or one per photo in a folder.
struct CardExport {
    let list: MoodList
    let shape: ShareCard.Shape
    let output: BytePath?
    let overwrite: Bool

    /// - Returns: false when a photo could not be drawn, which is said.
    /// - Throws: ``StoreError``, ``OutputError``, for several photos without a folder too.
    func write(_ stack: DataStack, _ messages: Messages) throws -> Bool {
        let count = try list.count(in: stack)
        if let output, PageFolder.isMeant(by: output) {
            let folder = try SwatchFolder(output)
            let isWhole = try each(stack, messages) { card, path in
                try folder.write(card, named: path.bytes, end: "png")
            }
            let written = try folder.finish()
            messages.note("moody: wrote \(output): \(written) \(written == 1 ? "file" : "files")")
            return isWhole
        }
        guard count == 1 else {
            throw UsageError(
                count == 0
                    ? "card: no photo is selected." : "card: \(count) photos need a folder: --output DIR/")
        }
        return try each(stack, messages) { card, _ in
            try SwatchExport.write(card, .png, to: output, overwrite: overwrite)
        }
    }

    private func each(_ stack: DataStack, _ messages: Messages, _ body: ([UInt8], PhotoPath) throws -> Void)
        throws -> Bool
    {
        var isWhole = true
        try list.forEachRow(in: stack, PagePrivacy()) { rows in
            for (row, source) in rows {
                guard let picture = picture(of: row, source, messages) else {
                    messages.problem(row.name, "neither the photo nor its thumbnail can be read")
                    isWhole = false
                    continue
                }
                try body(try card(row, picture), source.path)
            }
        }
        return isWhole
    }

    /// The photo itself, if it is still what the store knows; else its thumbnail, which is said.
    private func picture(of row: MoodRow, _ source: PictureSource, _ messages: Messages) -> Image? {
        let path = BytePath(source.path.bytes)
        if let bytes = try? readPhoto(path), let hash = source.contentHash,
            Hexadecimal.text(contentHash(bytes)) == hash,
            let image = image(bytes, side: 1_920, Sidecar(of: path))
        {
            return image
        }
        guard let thumbnail = image(row.thumbnail, side: 1_920) else { return nil }
        messages.note("moody: \(path): gone or changed; its thumbnail is shown")
        return thumbnail
    }

    private func image(_ bytes: [UInt8], side: Int, _ sidecar: Sidecar? = nil) -> Image? {
        var options = PaletteSettings().turned(by: sidecar).limits
        (options.side, options.samplePixels) = (side, 0)
        return try? Picture(bytes: bytes, options: options).image
    }

    private func card(_ row: MoodRow, _ image: Image) throws -> [UInt8] {
        let palette = Palette(
            entries: row.swatches.map {
                Palette.Entry(
                    color: RGB(red: $0.red, green: $0.green, blue: $0.blue), share: $0.share)
            })
        let aspect = Double(image.width) / Double(image.height)
        let card = ShareCard(palette, aspect: aspect, shape: shape), (width, height) = card.photoSize
        let small = image.resized(longSide: max(width, height)).opaque
        let drawn = card.drawn(
            with: ShareCard.Pixels(width: small.width, height: small.height, rgb: small.rgb))
        var rgba: [UInt8] = []
        rgba.reserveCapacity(drawn.width * drawn.height * 4)
        for at in stride(from: 0, to: drawn.rgb.count, by: 3) { rgba += drawn.rgb[at..<at + 3] + [255] }
        guard let result = Image(width: drawn.width, height: drawn.height, rgba: rgba) else { return [] }
        return PaletteCard.marked(try result.png())
    }
}

extension Image {
    /// Red, green and blue alone.
    fileprivate var rgb: [UInt8] {
        var rgb: [UInt8] = []
        rgb.reserveCapacity(width * height * 3)
        for at in stride(from: 0, to: rgba.count, by: 4) { rgb += rgba[at..<at + 3] }
        return rgb
    }
}
