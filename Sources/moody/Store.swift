import ArgumentParser
import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel

struct Store: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Looks after a store.",
        discussion: """
            Examples:
              moody store check
              moody store convert Moody.moody Moods.xml
            """,
        subcommands: [StoreCheck.self, StoreConvert.self])
}

struct StoreCheck: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Looks at everything in a store and beside it; without --repair it changes nothing.",
        discussion: """
            Status 1 when pages are damaged, an external file is lost, or the index of colours is not what \
            the palettes want. Files that no row names are left over by a run that was killed: the next run \
            that writes sweeps them. --repair makes the index of colours anew.

            Examples:
              moody store check
              moody store check --json
            """)

    @Argument(help: ArgumentHelp("The store. Default: as for the other commands.", valueName: "file"))
    var file: BytePath?

    @Flag(help: "Make the index of colours anew, which all searches by colour rest on.")
    var repair = false

    @OptionGroup var store: StoreOptions
    @Flag(help: "One JSON object a line.")
    var json = false
    @OptionGroup var message: MessageOptions

    func run() async throws {
        let messages = message.messages()
        var options = store
        if let file { options.store = file }
        let stack = try options.open(isReadOnly: !repair, messages)
        defer { try? stack.coordinator.close() }
        var report: StoreReport
        do {
            if repair { try SwatchIndex.rebuild(in: stack) }
            report = try stack.coordinator.report()
            // Where pages are damaged the queries behind this one may end too, and have nothing to add.
            let isReadable = report.damage.isEmpty
            if isReadable, let wrong = try SwatchIndex.countOfWrong(in: stack), wrong > 0 {
                report.damage.append(
                    "the index of colours is wrong for \(wrong) of the moods (moody store check --repair)")
            }
            if isReadable {
                report.damage += try OddNumbers.counts(in: stack).map {
                    "the \($0.what) of \($0.count) \($0.count == 1 ? "mood" : "moods") is out of range "
                        + "(moody ingest --recompute)"
                }
            }
        } catch { throw StoreProblem(options.path, error) }
        if json { StandardOutput.shared.line(report.json) } else { print(report, options.path.description) }
        try StandardOutput.shared.flush()
        if !report.isSound { throw ExitCode(1) }
    }

    private func print(_ report: StoreReport, _ path: String) {
        let out = StandardOutput.shared
        out.line("\(path): \(report.isSound ? "sound" : "DAMAGED")")
        for (entity, count) in report.counts.sorted(by: { $0.key < $1.key }) {
            out.line("  \(entity) \(count)")
        }
        out.line("  external files \(report.externalFiles), \(report.externalBytes) bytes")
        for line in report.damage { out.line("  damage: \(line)") }
        for name in report.missingFiles { out.line("  lost: \(name)") }
        for name in report.leftOverFiles { out.line("  left over: \(name)") }
    }
}

extension StoreReport {
    var json: String {
        func list(_ texts: [String]) -> JSON { .array(texts.map { .string($0) }) }
        let counts = counts.sorted { $0.key < $1.key }.map { ($0.key, JSON.number(Int64($0.value))) }
        return JSON.object([
            ("v", 1), ("sound", .bool(isSound)), ("counts", .object(counts)),
            ("externalFiles", .number(Int64(externalFiles))),
            ("externalBytes", .number(Int64(externalBytes))),
            ("damage", list(damage)), ("lost", list(missingFiles)), ("leftOver", list(leftOverFiles)),
        ]).text
    }
}
