import MoodyGallery
import Palettes

/// `#1f4e78  75.0% light navy`
enum ColorLine {
    /// - Parameters:
    ///   - share: 0...1
    ///   - near: the nearest of the user's own list, which is told instead of the name.
    static func text(
        _ color: RGB, share: Double, depth: ColorDepth, near: NearestNames.Match? = nil
    ) -> String {
        let swatch = depth == .none ? "" : PaletteBar.text([(color, 1)], cells: 4, depth: depth) + " "
        let percent = "\((share * 1000).rounded() / 10)"
        let padded = String(repeating: " ", count: max(0, 5 - percent.count)) + percent
        return "\(swatch)\(color.hex) \(padded)% \(near?.shown ?? color.name)"
    }
}
