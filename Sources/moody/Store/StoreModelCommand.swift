import ArgumentParser
import Foundation
import ManagedObjects
import MoodyIngest
import StoreTools

struct StoreModelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "model",
        abstract: "Print the model of a store: as text, Swift classes, a diagram, or Xcode's XML.",
        discussion: """
            Reads a store, a compiled model of an app (.mom, .momd), or a model of Xcode (.xcdatamodel, \
            .xcdatamodeld). If a store holds no model, prints what its tables tell.

            Examples:
              moody store model Moody.moody
              moody store model --format svg Moody.moody
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case text, swift, svg, xml }

    @OptionGroup var store: StoreArgument
    @Option(help: ArgumentHelp("Output format: text, swift, svg, or xml.", valueName: "format"))
    var format = Format.text
    @Option(help: ArgumentHelp("Use this version of a folder of versions.", valueName: "name"))
    var version: String?
    @Option(
        help: ArgumentHelp("Print the differences from the model in this file instead.", valueName: "old"))
    var diff: BytePath?

    func run() async throws {
        let model = try StoreSource.model(of: store.path, version: version), text: String
        if let diff {
            text = ModelComparison(from: try StoreSource.model(of: diff, version: nil), to: model).text
        } else {
            text =
                switch format {
                case .text: ModelListing(model).text
                case .swift: ModelClasses(model).text
                case .svg: ModelDiagram(model).text
                case .xml: ModelDocument(model).text
                }
        }
        StandardOutput.shared.write(text)
        try StandardOutput.shared.flush()
    }
}

struct StoreDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Print what changed from one version of a model to another.",
        discussion: """
            Compares two stores, compiled models, or models of Xcode. Lines begin with + for added, - for \
            removed, ~ for changed. --from and --to name two versions in one folder of versions.

            Examples:
              moody store diff Moody.moody Moody.moody
              moody store diff --json Moody.moody Moody.moody
            """)

    @Argument(help: ArgumentHelp("Store or model before the change.", valueName: "old"))
    var old: BytePath
    @Argument(help: ArgumentHelp("Store or model after the change.", valueName: "new"))
    var new: BytePath?
    @Option(help: ArgumentHelp("Use this version of the old model.", valueName: "name"))
    var from: String?
    @Option(help: ArgumentHelp("Use this version of the new model.", valueName: "name"))
    var to: String?
    @Flag(help: "Print one JSON object per line.")
    var json = false

    func run() async throws {
        let comparison = ModelComparison(
            from: try StoreSource.model(of: old, version: from),
            to: try StoreSource.model(of: new ?? old, version: to))
        let out = StandardOutput.shared
        if json {
            for line in comparison.lines {
                out.line(
                    JSONText.object([
                        ("v", "1"), ("change", JSONText.string("\(line.kind)")),
                        ("entity", JSONText.string(line.entity)),
                        ("property", line.property.map(JSONText.string) ?? "null"),
                        ("text", JSONText.string(line.text)),
                    ]))
            }
        } else {
            out.write(comparison.text)
        }
        try out.flush()
    }
}
