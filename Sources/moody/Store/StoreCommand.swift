import ArgumentParser
import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import StoreTools

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Inspect, check, and convert any store of Core Data or SwiftData.",
        discussion: """
            Works without the program that made the store: a store holds a copy of its model.

            Examples:
              moody store info Moody.moody
              moody store dump --format csv Moody.moody Country
            """,
        subcommands: [
            StoreInfoCommand.self, StoreTablesCommand.self, StoreDumpCommand.self, StoreCheckCommand.self,
            StoreVerifyCommand.self,
            StoreHistoryCommand.self, StoreModelCommand.self, StoreDiffCommand.self, StoreMigrateCommand.self,
            StoreConvertCommand.self,
        ])
}

struct StoreCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a store for damage. Changes nothing without --repair.",
        discussion: """
            Status 1 if pages are damaged, external files are missing, numbers are out of range, or the \
            color index does not match the palettes (--repair rebuilds it). Files that no row refers to are \
            leftovers of an interrupted run; the next run that writes removes them.

            Examples:
              moody store check
              moody store check --json
            """)

    @Argument(
        help: ArgumentHelp("Path of the store (default: $MOODY_STORE, else Moody.moody).", valueName: "file"))
    var file: BytePath?

    @Flag(help: "Rebuild the color index, which searches by color use.")
    var repair = false

    @OptionGroup var store: StoreOptions
    @Flag(help: "Print one JSON object per line.")
    var json = false
    @OptionGroup var message: MessageOptions

    func run() async throws {
        let messages = message.messages()
        var options = store
        if let file { options.store = file }
        if !repair, (try? FileStatus(at: options.path).kind) == .regular, !StoreSource.isMoody(options.path) {
            return try checkAny(options.path)
        }
        let stack = try options.open(isReadOnly: !repair, messages)
        defer { try? stack.close() }
        var report: StoreReport
        do {
            if repair { try SwatchIndex.upkeep.run(in: stack) }
            report = try stack.coordinator.report()
            // Where pages are damaged the queries behind this one may end too, and have nothing to add.
            let isReadable = report.damage.isEmpty
            if isReadable, let wrong = try SwatchIndex.countOfWrong(in: stack), wrong > 0 {
                report.damage.append(
                    "the index of colors is wrong for \(wrong) of the moods (moody store check --repair)")
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

    /// A store of another program: its pages, its keys, its files.
    private func checkAny(_ path: BytePath) throws {
        let contents = try StoreSource.contents(of: path)
        var report: StoreReport
        do {
            report = try contents.report()
            if report.damage.isEmpty { report.damage += try contents.danglingKeys() }
        } catch { throw StoreProblem(path, error) }
        if json { StandardOutput.shared.line(report.json) } else { print(report, path.description) }
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
