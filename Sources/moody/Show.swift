import ArgumentParser
import DataStacks
import Foundation
import Images
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import Palettes

struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints all that is known of moods.",
        discussion: """
            A mood is named by the number that moody list prints, or by the path of its photo; a photo whose name \
            is a number is ./12.

            Examples:
              moody show 1
              moody show --json Photos/harbour.jpg
            """)

    @Argument(help: ArgumentHelp("Numbers and photos.", valueName: "id|path"))
    var moods: [BytePath]

    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var message: MessageOptions

    func run() async throws {
        let messages = message.messages()
        let stack = try store.open(isReadOnly: true, messages)
        defer { try? stack.coordinator.close() }
        var isFirst = true, failed = false
        for (path, id) in zip(moods, try MoodName.find(moods, in: stack)) {
            guard let id, let record = try Self.record(id, in: stack) else {
                let why = try MoodName.reason(path, in: stack)
                messages.problem(path.description, why.map { "no mood: \($0)" } ?? "no such mood")
                failed = true
                continue
            }
            if output.json {
                StandardOutput.shared.line(record.json.text)
            } else {
                if !isFirst { StandardOutput.shared.line("") }
                print(record)
            }
            isFirst = false
        }
        try StandardOutput.shared.flush()
        if failed { throw ExitCode(1) }
    }

    private static func record(_ id: ManagedObjectID, in stack: DataStack) throws -> MoodRecord? {
        try stack.reader.performAndWait { try $0.objects(Mood.self, with: [id]).first.map { MoodRecord($0) } }
    }

    /// Where a date comes from.
    private static func words(for source: DateSource) -> String {
        switch source {
        case .original: "says the photo"
        case .digitized: "digitized, says the photo"
        case .gps: "says its satellite fix"
        case .xmp: "says its XMP"
        case .fileName: "by its name"
        case .fileTime: "by its file's time"
        }
    }

    /// Seven digits behind the point are a centimetre.
    private static func degrees(_ angle: Double) -> Double { (angle * 1e7).rounded() / 1e7 }

    private func print(_ record: MoodRecord) {
        let isInColor = output.isInColor
        let out = StandardOutput.shared
        out.line("\(displayText(record.path.utf8))\(record.isMissing ? "  (missing)" : "")")
        out.line("  number   \(record.id)")
        out.line("  taken    \(record.dateText) (\(Self.words(for: record.dateSource)))")
        out.line("  pixels   \(record.width) x \(record.height)")
        if let latitude = record.latitude, let longitude = record.longitude {
            out.line("  place    \(Self.degrees(latitude)), \(Self.degrees(longitude))")
        }
        if let camera = record.camera { out.line("  camera   \(displayText(camera.utf8))") }
        let asked = record.count == 0 ? "auto" : "\(record.count)"
        out.line("  palette  \(record.mode.rawValue), \(asked) asked, algorithm \(record.algorithm)")
        let ignored =
            record.leftOut.ignore.map(\.rawValue).sorted()
            + [record.leftOut.background?.hex].compactMap(\.self)
        if !ignored.isEmpty { out.line("  without  \(ignored.joined(separator: ", "))") }
        for color in record.colors {
            let wide = color.displayP3.map { "  \($0.css)" } ?? ""
            out.line(
                "    " + ColorLine.text(color.color, share: color.share, isInColor: isInColor) + wide)
        }
        for note in record.notes { out.line("  note     \(displayText(note.utf8))") }
    }
}
