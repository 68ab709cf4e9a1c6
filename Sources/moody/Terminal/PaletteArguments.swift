public import ArgumentParser
import MoodyIngest
public import Palettes

/// Options of palettes.
struct PaletteArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How colors are weighed: area, or representative (keeps accents).", valueName: "mode"))
    var mode: PaletteMode?

    @Flag(help: "Count every pixel instead of a sample.")
    var exact = false

    @Option(
        help: ArgumentHelp(
            "Leave out white, black, gray, or border; separate several with commas, or none.",
            valueName: "what"))
    var ignore: IgnoreList?

    @Option(
        help: ArgumentHelp(
            "Leave out this background color: #fff, ffffff, or a CSS color name.",
            valueName: "color"))
    var background: RGB?

    @Option(
        help: ArgumentHelp(
            "Use only this part of the photo, in pixels after rotation: 400x300+10+20.", valueName: "WxH+X+Y")
    )
    var crop: Crop?

    @OptionGroup var decoding: DecodingArguments

    /// How `--colors` may be written.
    static let sizeNames: NameSpecification = [
        .customShort("k", allowingJoined: true), .customLong("colors"),
    ]

    /// - Parameters:
    ///   - size: how many colors; nil for as many as is usual.
    ///   - kept: what the store was made with.
    func settings(_ size: PaletteSize?, _ kept: PaletteOptions = PaletteOptions()) -> PaletteSettings {
        var settings = PaletteSettings()
        settings.palette = kept
        settings.exact = exact
        settings.crop = crop
        settings.limits = decoding.options
        if let size { settings.palette.size = size }
        if let mode { settings.palette.mode = mode }
        if let ignore { settings.palette.ignore = ignore.set }
        if let background { settings.palette.background = background }
        return settings
    }
}

extension PaletteSize: ExpressibleByArgument {
    public init?(argument: String) {
        if argument == "auto" {
            self = .auto
        } else if let count = Int(argument), (1...PaletteSize.limit).contains(count) {
            self = .colors(count)
        } else {
            return nil
        }
    }

    var text: String {
        switch self {
        case .colors(let count): "\(count)"
        case .auto: "auto"
        }
    }
}

extension PaletteMode: ExpressibleByArgument {}

extension RGB: ExpressibleByArgument {
    public init?(argument: String) {
        guard let color = RGB(hex: argument) ?? RGB(cssName: argument) else { return nil }
        self = color
    }
}

extension Crop: ExpressibleByArgument {
    public init?(argument: String) { self.init(argument) }
}

/// `white,border`; `none`
struct IgnoreList: ExpressibleByArgument {
    let set: Set<PaletteIgnore>

    init?(argument: String) {
        if argument == "none" {
            set = []
            return
        }
        // Data say grey, as the color survey does; people may write either.
        let words = argument.split(separator: ",").map { $0 == "gray" ? "grey" : String($0) }
        let known = words.compactMap(PaletteIgnore.init(rawValue:))
        guard known.count == words.count, !words.isEmpty else { return nil }
        set = Set(known)
    }
}
