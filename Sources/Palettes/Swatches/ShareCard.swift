/// A card to show: a photo, its strip without a gap, and below it the hexes of its colors.
///
/// Stands in the same places as the page's card (Resources/share.js), which has the names of the colors as
/// well: a browser has letters for all of them, here are those of a hex.
public struct ShareCard: Sendable {
    /// The two shapes that are asked for.
    public enum Shape: String, CaseIterable, Sendable {
        /// 1080 x 1350
        case portrait
        /// 1920 x 1080
        case wide

        public var size: (width: Int, height: Int) { self == .portrait ? (1080, 1350) : (1920, 1080) }
    }

    /// Pixels, red, green and blue, rows from the top.
    public struct Pixels: Sendable {
        public let width: Int, height: Int
        public var rgb: [UInt8]

        public init(width: Int, height: Int, rgb: [UInt8]) {
            (self.width, self.height, self.rgb) = (width, height, rgb)
        }
    }

    /// A rectangle of whole pixels.
    struct Frame: Equatable { var x: Int, y: Int, width: Int, height: Int }

    private let palette: Palette, shape: Shape
    let photo: Frame, strip: Frame
    private let legend: (left: Int, top: Int, column: Double, columns: Int)

    static let row = 96
    private static let margin = 60, stripHeight = 140, gap = 36

    /// Lays out a card.
    ///
    /// - Parameters:
    ///   - palette: the colors of the strip and the legend, in their order.
    ///   - aspect: the photo's width over its height.
    ///   - shape: portrait or wide.
    public init(_ palette: Palette, aspect: Double, shape: Shape) {
        (self.palette, self.shape) = (palette, shape)
        let (wide, high) = (Double(shape.size.width), Double(shape.size.height)),
            number = palette.entries.count
        let margin = Double(Self.margin), inner = wide - 2 * margin
        let columns = min(max(1, number), Int(inner / 190))
        let rows = (min(number, 3 * columns) + columns - 1) / columns
        let below = number == 0 ? 0 : Double(Self.stripHeight + Self.gap + rows * Self.row)
        let room = high - 2 * margin - below
        let width = min(inner, room * aspect), height = max(1, width / aspect)
        let band = max(width, min(inner, 640)), top = (high - below - height) / 2
        func whole(_ x: Double, _ y: Double, width: Double, height: Double) -> Frame {
            Frame(
                x: Int(x.rounded()), y: Int(y.rounded()), width: max(1, Int(width.rounded())),
                height: max(1, Int(height.rounded())))
        }
        photo = whole((wide - width) / 2, top, width: width, height: height)
        let end = photo.y + photo.height
        strip = whole(
            (wide - band) / 2, Double(end), width: band, height: number == 0 ? 0 : Double(Self.stripHeight))
        legend = (
            Int(((wide - max(band, inner)) / 2).rounded()), end + Self.stripHeight + Self.gap,
            inner / Double(columns), columns
        )
    }

    /// The pixels that the photo must have for the card: fit it into these.
    public var photoSize: (width: Int, height: Int) { (photo.width, photo.height) }

    /// The card with a picture of any size, which is stretched to its place.
    ///
    /// - Complexity: linear in the card's pixels.
    public func drawn(with picture: Pixels) -> Pixels {
        let (width, height) = shape.size
        var card = Pixels(width: width, height: height, rgb: Array(repeating: 255, count: width * height * 3))
        card.draw(picture, in: photo)
        var x = strip.x
        for (entry, width) in zip(palette.entries, PaletteCard.widths(palette, total: strip.width)) {
            card.fill(Frame(x: x, y: strip.y, width: width, height: strip.height), entry.color)
            x += width
        }
        for (number, entry) in palette.entries.prefix(3 * legend.columns).enumerated() {
            let left = legend.left + Int((Double(number % legend.columns) * legend.column).rounded())
            let top = legend.top + number / legend.columns * Self.row
            // The edge keeps white on white visible.
            card.fill(Frame(x: left, y: top, width: 24, height: 24), RGB(red: 217, green: 217, blue: 217))
            card.fill(Frame(x: left + 1, y: top + 1, width: 22, height: 22), entry.color)
            card.write(entry.color.hex, x: Double(left + 36), y: Double(top + 2), height: 20)
        }
        return card
    }
}

extension ShareCard.Pixels {
    fileprivate mutating func fill(_ frame: ShareCard.Frame, _ color: RGB) {
        for y in max(0, frame.y)..<min(height, frame.y + frame.height) {
            for x in max(0, frame.x)..<min(width, frame.x + frame.width) {
                let at = (y * width + x) * 3
                (rgb[at], rgb[at + 1], rgb[at + 2]) = (color.red, color.green, color.blue)
            }
        }
    }

    /// Between the four nearest pixels of the picture; its edges go on beyond it.
    fileprivate mutating func draw(_ picture: Self, in frame: ShareCard.Frame) {
        for y in 0..<frame.height where frame.y + y < height && frame.y + y >= 0 {
            let (top, below, down) = Self.between(y, frame.height, picture.height)
            for x in 0..<frame.width where frame.x + x < width && frame.x + x >= 0 {
                let (left, right, across) = Self.between(x, frame.width, picture.width)
                let to = ((frame.y + y) * width + frame.x + x) * 3
                for channel in 0..<3 {
                    func value(_ x: Int, _ y: Int) -> Double {
                        Double(picture.rgb[(y * picture.width + x) * 3 + channel])
                    }
                    let upper = value(left, top) * (1 - across) + value(right, top) * across
                    let lower = value(left, below) * (1 - across) + value(right, below) * across
                    rgb[to + channel] = UInt8((upper * (1 - down) + lower * down).rounded())
                }
            }
        }
    }

    /// The two pixels of a row that a pixel of another row lies between, and how far.
    private static func between(_ at: Int, _ size: Int, _ count: Int) -> (Int, Int, Double) {
        let position = min(max((Double(at) + 0.5) * Double(count) / Double(size) - 0.5, 0), Double(count - 1))
        let first = Int(position)
        return (first, min(first + 1, count - 1), position - Double(first))
    }

    /// - Parameter size: of a digit, in pixels.
    fileprivate mutating func write(_ text: String, x: Double, y: Double, height size: Double) {
        let ink = 26.0, thick = size * 0.055
        var left = x
        for letter in text {
            defer { left += size * 0.72 }
            let lines = HexGlyphs.lines(of: letter)
            if lines.isEmpty { continue }
            for row in max(0, Int(y) - 2)..<min(height, Int(y + size) + 3) {
                for column in max(0, Int(left) - 2)..<min(width, Int(left + size * 0.72) + 2) {
                    let point = HexGlyphs.Point(
                        x: (Double(column) + 0.5 - left) / size, y: (Double(row) + 0.5 - y) / size)
                    let far = lines.reduce(Double.infinity) { min($0, $1.distance(to: point)) } * size
                    // A pixel is as dark as it is inside the line.
                    let inside = min(1, max(0, thick + 0.5 - far))
                    if inside == 0 { continue }
                    for channel in 0..<3 {
                        let at = (row * width + column) * 3 + channel
                        rgb[at] = UInt8((Double(rgb[at]) * (1 - inside) + ink * inside).rounded())
                    }
                }
            }
        }
    }
}

/// The letters of a hex as lines, drawn for this: in a box as high as 1, from the top.
enum HexGlyphs {
    struct Point { var x: Double, y: Double }

    struct Line {
        let from: Point, to: Point

        func distance(to point: Point) -> Double {
            let (x, y) = (to.x - from.x, to.y - from.y), length = x * x + y * y
            let along = length > 0 ? ((point.x - from.x) * x + (point.y - from.y) * y) / length : 0
            let part = min(1, max(0, along))
            let (dx, dy) = (from.x + part * x - point.x, from.y + part * y - point.y)
            return (dx * dx + dy * dy).squareRoot()
        }
    }

    private enum Stroke {
        case line([(Double, Double)])
        /// Middle, radii, and from where to where in degrees, clockwise from the right.
        case arc(Double, Double, Double, Double, Double, Double)
    }

    static func lines(of letter: Character) -> [Line] { all[letter] ?? [] }

    private static let all: [Character: [Line]] = strokes.mapValues { $0.flatMap(lines) }

    private static func lines(_ stroke: Stroke) -> [Line] {
        let points: [Point]
        switch stroke {
        case .line(let corners): points = corners.map { Point(x: $0.0, y: $0.1) }
        case .arc(let x, let y, let wide, let high, let from, let to):
            points = (0...24).map { step in
                let turn = direction(from + (to - from) * Double(step) / 24)
                return Point(x: x + wide * turn.cosine, y: y + high * turn.sine)
            }
        }
        return zip(points, points.dropFirst()).map { Line(from: $0, to: $1) }
    }

    private static let strokes: [Character: [Stroke]] = [
        "#": [
            .line([(0.22, 0.08), (0.12, 0.95)]), .line([(0.46, 0.08), (0.36, 0.95)]),
            .line([(0.04, 0.36), (0.56, 0.36)]), .line([(0.02, 0.66), (0.54, 0.66)]),
        ],
        "0": [.arc(0.28, 0.5, 0.25, 0.46, 0, 360)],
        "1": [.line([(0.08, 0.22), (0.31, 0.04), (0.31, 0.96)])],
        "2": [.arc(0.28, 0.27, 0.23, 0.23, 190, 400), .line([(0.456, 0.418), (0.05, 0.96), (0.53, 0.96)])],
        "3": [.arc(0.26, 0.27, 0.21, 0.23, 205, 450), .arc(0.26, 0.73, 0.24, 0.23, 270, 515)],
        "4": [.line([(0.42, 0.96), (0.42, 0.04), (0.04, 0.7), (0.54, 0.7)])],
        "5": [.line([(0.49, 0.04), (0.13, 0.04), (0.1, 0.46)]), .arc(0.27, 0.67, 0.24, 0.29, 225, 505)],
        "6": [.arc(0.28, 0.68, 0.24, 0.28, 0, 360), .arc(0.52, 0.68, 0.48, 0.64, 180, 255)],
        "7": [.line([(0.05, 0.04), (0.52, 0.04), (0.2, 0.96)])],
        "8": [.arc(0.28, 0.27, 0.2, 0.23, 0, 360), .arc(0.28, 0.73, 0.24, 0.23, 0, 360)],
        "9": [.arc(0.28, 0.32, 0.24, 0.28, 0, 360), .arc(0.04, 0.32, 0.48, 0.64, 0, 75)],
        "a": [.arc(0.26, 0.68, 0.21, 0.28, 0, 360), .line([(0.47, 0.4), (0.47, 0.96)])],
        "b": [.line([(0.07, 0.02), (0.07, 0.96)]), .arc(0.29, 0.68, 0.22, 0.28, 0, 360)],
        "c": [.arc(0.29, 0.68, 0.23, 0.28, 50, 310)],
        "d": [.line([(0.49, 0.02), (0.49, 0.96)]), .arc(0.27, 0.68, 0.22, 0.28, 0, 360)],
        "e": [.line([(0.05, 0.68), (0.51, 0.68)]), .arc(0.28, 0.68, 0.23, 0.28, 48, 360)],
        "f": [
            .arc(0.36, 0.2, 0.16, 0.16, 180, 300), .line([(0.2, 0.2), (0.2, 0.96)]),
            .line([(0.04, 0.42), (0.4, 0.42)]),
        ],
    ]
}
