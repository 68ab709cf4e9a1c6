import ArgumentParser
import MoodyGallery
import MoodyIngest
import Palettes

struct TemplateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "template",
        abstract: "List the templates that moody has, or print one.",
        discussion: """
            A format of moody export and moody extract is a name or a template file. The language is \
            Mustache; docs/TEMPLATES.md lists the values.

            Examples:
              moody template
              moody template kitty
            """)

    @Argument(help: ArgumentHelp("The template to print (default: list all).", valueName: "name"))
    var name: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Write to this file; - is standard output.", valueName: "file"))
    var output: BytePath?

    @Flag(help: "Replace a file that moody did not write.")
    var overwrite = false

    func validate() throws {
        if let name, ShippedTemplate.named(name) == nil {
            let near = ColorWords.nearest(to: name.lowercased(), in: ShippedTemplate.all.map(\.name))
            throw UsageError("there is no template \(name)" + (near.map { " (\($0)?)" } ?? ""))
        }
    }

    func run() throws {
        let results = try Results(output, overwrite: overwrite)
        if let shipped = name.flatMap(ShippedTemplate.named) {
            results.write(shipped.bytes)
        } else {
            let width = ShippedTemplate.all.map(\.name.count).max() ?? 0
            for shipped in ShippedTemplate.all {
                let gap = String(repeating: " ", count: width - shipped.name.count + 2)
                results.line(shipped.name + gap + shipped.summary)
            }
        }
        try results.finish()
    }
}
