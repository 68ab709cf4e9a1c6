import Images
import MoodyGallery
import MoodyIngest
import MoodyModel
import Palettes

/// Palettes of photos that are in no store, one behind the other, in one of the formats of `moody extract`.
struct ExtractedPage {
    /// Nil for templates.
    let format: ExtractCommand.Format?
    let depth: ColorDepth
    /// The user's own names of colors.
    var names: NearestNames?
    /// There is one photo only: nothing tells it from others.
    var isAlone = false
    /// Palettes so far.
    private(set) var count = 0
    private var hexes = HexLists()
    /// The palettes of a swatch file, which is written as a whole.
    private var palettes: [NamedPalette] = []
    /// What templates make their texts of.
    private(set) var photos: [TemplatePhoto] = []

    init(format: ExtractCommand.Format?, depth: ColorDepth) { (self.format, self.depth) = (format, depth) }

    var isJSON: Bool { format == .json || format == .jsonl }

    /// The text before the first palette.
    var head: String {
        switch format {
        case .csv: PaletteTable.photoHead
        default: ""
        }
    }

    mutating func text(_ path: PhotoPath, _ photo: ExtractedPhoto) -> String {
        count += 1
        let extracted = photo.extracted
        let palette = extracted.palette, picture = extracted.picture
        return switch format {
        case .text: lines(extracted, heading: isAlone ? nil : path.shown)
        case .json, .jsonl, .record: json(path, photo).text + "\n"
        case .hex: hexes.next(palette)
        case .csv: PaletteTable.photo(path, width: picture.width, height: picture.height, palette)
        case .ase, .aco, .svg, .png: keep(palette, of: path)
        case nil: keep(photo, of: path)
        }
    }

    private mutating func keep(_ palette: Palette, of path: PhotoPath) -> String {
        let name = path.shown.split(separator: "/").last.map(String.init) ?? path.shown
        palettes.append(NamedPalette(name: name, palette: palette))
        return ""
    }

    private mutating func keep(_ source: ExtractedPhoto, of path: PhotoPath) -> String {
        let name = path.shown.split(separator: "/").last.map(String.init) ?? path.shown
        var photo = TemplatePhoto(name: name, palette: source.extracted.palette)
        photo.set(source.facts)
        photo.title = path.shown
        photo.names = names
        photo.path = path.text ?? path.shown
        if !isAlone { photo.selector = ".photo-\(count)" }
        photos.append(photo)
        return ""
    }

    /// The text after the last palette.
    var tail: [UInt8] { format?.swatches?.bytes(of: palettes) ?? [] }

    /// The text for a photo without a palette.
    func text(_ path: PhotoPath, _ error: any Error) -> String {
        if !isJSON { return "" }
        return JSON.object([("v", 1)] + path.json + [("error", .string("\(error)"))]).text + "\n"
    }

    private func json(_ path: PhotoPath, _ photo: ExtractedPhoto) -> JSON {
        let extracted = photo.extracted
        let colors = extracted.palette.entries.map {
            paletteColor(
                $0.color, share: $0.share, displayP3: $0.displayP3, near: names?.match($0.color))
        }
        return .object(
            [("v", 1)] + path.json + [
                ("width", .number(Int64(extracted.picture.width))),
                ("height", .number(Int64(extracted.picture.height))),
                ("colors", .array(colors)), ("notes", .array(photo.notes.map { .string($0) })),
            ])
    }

    private func lines(_ extracted: ExtractedPalette, heading: String?) -> String {
        let lines = extracted.palette.entries.map {
            ColorLine.text($0.color, share: $0.share, depth: depth, near: names?.match($0.color))
        }
        return ([heading].compactMap(\.self) + lines).map { $0 + "\n" }.joined()
    }
}
