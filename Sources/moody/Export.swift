import ArgumentParser
import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery

struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the palettes as a page or as data.",
        discussion: """
            html is one file that needs nothing else: open it in a browser, send it, print it.

            Examples:
              moody export html
              moody export json --output palettes.json
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case html, json }

    @Argument(help: "html or json.")
    var format: Format

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Where to; - is standard output. Default: palettes.html for html, standard output else.",
            valueName: "file"))
    var output: String?

    @Option(help: ArgumentHelp("The page's title.", valueName: "text"))
    var title = "Palettes"

    @Flag(help: "Replace a file that moody did not write.")
    var overwrite = false

    @OptionGroup var sorting: SortingOptions
    @OptionGroup var store: StoreOptions

    func run() async throws {
        let messages = Messages(isQuiet: false, progress: .never)
        let stack = try store.open(isReadOnly: true, messages)
        defer { try? stack.coordinator.close() }
        switch format {
        case .html:
            try Self.writePage(
                output ?? "palettes.html", of: stack, sorting.list, title: title, overwrite: overwrite,
                messages)
        case .json: try writeJSON(stack)
        }
    }

    static func writePage(
        _ path: String, of stack: DataStack, _ list: MoodList, title: String = "Palettes", overwrite: Bool,
        _ messages: Messages
    ) throws {
        var rows: [MoodRow] = []
        try list.forEachRow(in: stack) { rows += $0 }
        let page = GalleryPage(title: title, rows: rows)
        if path == "-" {
            page.write { StandardOutput.shared.write($0) }
            return try StandardOutput.shared.flush()
        }
        let file = try OutputFile(path, overwrite: overwrite)
        page.write { file.write($0) }
        try file.finish()
        messages.note("moody: wrote \(path): \(rows.count) \(rows.count == 1 ? "mood" : "moods")")
    }

    private func writeJSON(_ stack: DataStack) throws {
        let path = output ?? "-"
        let file = path == "-" ? nil : try OutputFile(path, overwrite: overwrite)
        func write(_ text: String) {
            if let file { file.write(text) } else { StandardOutput.shared.write(text) }
        }
        write("{\"v\":1,\"generator\":\"moody\",\"moods\":[")
        var isFirst = true
        try sorting.list.forEach(in: stack) { records in
            for record in records {
                write((isFirst ? "\n" : ",\n") + record.json.text)
                isFirst = false
            }
            if file == nil && StandardOutput.shared.isClosed { throw ExitCode.success }
        }
        write("\n]}\n")
        try file?.finish()
        try StandardOutput.shared.flush()
    }
}
