import Foundation
import Glibc
import Images
import MoodyGallery
import MoodyIngest
import MoodyModel
import Palettes

/// All that is known of a mood, for people: the photo where the terminal takes pictures, its palette as a
/// bar, and lines of what is known.
struct MoodCard {
    let depth: ColorDepth
    private let pictures: TerminalPicture?
    private let width: Int

    /// Asks the terminal what it takes, if standard output is one.
    init(depth: ColorDepth) {
        self.depth = depth
        let isTerminal = StandardOutput.shared.isTerminal
        pictures = isTerminal && depth != .none ? TerminalProbe.pictures() : nil
        var size = winsize()
        let isKnown = unsafe isTerminal && ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0
        width = isKnown && size.ws_col > 0 ? Int(size.ws_col) : 80
    }

    func lines(_ record: MoodRecord, _ thumbnail: [UInt8]) -> [String] {
        let state = record.isMissing ? "  (missing)" : record.failure.map { "  (unreadable: \($0))" } ?? ""
        return ["\(displayText(record.path.utf8))\(state)"]
            + picture(thumbnail) + bar(record) + facts(record) + colors(record)
            + record.notes.map { "  note     \(displayText($0.utf8))" }
    }

    private func picture(_ thumbnail: [UInt8]) -> [String] {
        guard let pictures, let image = try? Picture(bytes: thumbnail).image else { return [] }
        return [pictures.text(image)]
    }

    /// Two lines high, as wide as there is room: each color by its share.
    private func bar(_ record: MoodRecord) -> [String] {
        let cells = min(64, width - 4)
        if depth == .none || cells < 8 || record.colors.isEmpty { return [] }
        let line =
            "  " + PaletteBar.text(record.colors.map { ($0.color, $0.share) }, cells: cells, depth: depth)
        return [line, line]
    }

    private func facts(_ record: MoodRecord) -> [String] {
        var lines = [
            "  number   \(record.id)",
            Self.taken(record),
            "  pixels   \(record.width) x \(record.height)",
        ]
        if let latitude = record.latitude, let longitude = record.longitude {
            lines.append("  place    \(Self.degrees(latitude)), \(Self.degrees(longitude))")
        }
        if let country = record.country {
            let names = [country.name(in: .user), country.continentName(in: .user)].filter { !$0.isEmpty }
            lines.append("  country  \(names.joined(separator: ", "))")
        }
        if let camera = record.camera { lines.append("  camera   \(displayText(camera.utf8))") }
        if let rating = record.rating {
            lines.append("  rating   \(rating < 0 ? "rejected" : rating == 0 ? "none" : "\(rating) of 5")")
        }
        let asked = record.count == 0 ? "auto" : "\(record.count)"
        lines.append("  palette  \(record.mode.rawValue), \(asked) asked, algorithm \(record.algorithm)")
        // Data say grey.
        let ignored =
            record.leftOut.ignore.map { $0 == .grey ? "gray" : $0.rawValue }.sorted()
            + [record.leftOut.background?.hex].compactMap(\.self)
        if !ignored.isEmpty { lines.append("  without  \(ignored.joined(separator: ", "))") }
        return lines
    }

    private func colors(_ record: MoodRecord) -> [String] {
        record.colors.map { color in
            let wide = color.displayP3.map { "  \($0.css)" } ?? ""
            return "    " + ColorLine.text(color.color, share: color.share, depth: depth, near: color.near)
                + wide
        }
    }

    /// A file's time is not when the photo was taken, and is called what it is.
    private static func taken(_ record: MoodRecord) -> String {
        record.isDated
            ? "  taken    \(record.dateText) (\(words(for: record.dateSource)))"
            : "  undated  its file is of \(record.dateText.prefix { $0 != "." })"
    }

    /// Where a date comes from.
    private static func words(for source: DateSource) -> String {
        switch source {
        case .sidecar: "says its sidecar"
        case .original: "says the photo"
        case .digitized: "digitized, says the photo"
        case .gps: "says its satellite fix"
        case .xmp: "says its XMP"
        case .iptc: "says its IPTC"
        case .modified: "its last change, says the photo"
        case .fileName: "by its name"
        case .fileTime: "by its file's time"
        }
    }

    /// Seven digits behind the point are a centimeter.
    private static func degrees(_ angle: Double) -> Double { (angle * 1e7).rounded() / 1e7 }
}
