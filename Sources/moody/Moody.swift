import ArgumentParser
import Dispatch
import Foundation
import Glibc
import Images
import ManagedObjects
import MoodyGallery

@main
enum Program {
    /// Not asynchronous: the server of decoders begins before there is any thread.
    static func main() {
        if CommandLine.argc == 2, CommandLine.arguments[1] == Confinement.verb { DecodingServer.run() }
        // Before a queue opens files of its own, which would get these numbers.
        StandardOutput.openAll()
        Task { @MainActor in
            await Moody.main()
            Foundation.exit(0)
        }
        dispatchMain()
    }
}

struct Moody: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "moody",
        abstract: "Turn folders of photos into color palettes.",
        discussion: """
            Reads photos, finds their dominant colors, and keeps a palette for each photo (a mood) in a \
            store, a SQLite file.

            Exit status: 0 success; 1 some files failed; 2 the store or an output cannot be used; 64 invalid \
            command line; 130 or 143 interrupted by Ctrl-C or SIGTERM.

            Examples:
              moody ingest Photos
              moody export html
            """,
        version: Version.text,
        subcommands: [
            IngestCommand.self, WatchCommand.self, ExtractCommand.self, ListCommand.self, ShowCommand.self,
            FindCommand.self, CheckCommand.self, ExportCommand.self, DeleteCommand.self,
            ImportCommand.self, TemplateCommand.self, ServeCommand.self, StoreCommand.self,
        ])

    /// Errors become one line on stderr and an exit status; what the parser says is its own.
    static func main() async {
        // A closed pipe is an error of write(2), not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        WorkingMemory.keep()
        // Swift reads the arguments there; without them any command would be a request for help.
        if CommandLine.argc == 0 {
            Messages(isQuiet: true, progress: .never).problem(
                "cannot read its arguments: no /proc is mounted")
            Foundation.exit(2)
        }
        do {
            try checkHelp(RawArguments.texts)
            var command = try parseAsRoot(RawArguments.texts)
            if let decoding = command as? any DecodingCommand {
                try decoding.confineDecoders()
            } else {
                let isQuiet = RawArguments.texts.contains { ["-q", "--quiet"].contains($0) }
                let messages = Messages(isQuiet: isQuiet, progress: .never)
                try Confinement.begin(.auto) { messages.note("moody: note: \($0)") }
            }
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            try StandardOutput.shared.flush()
        } catch {
            try? StandardOutput.shared.flush()
            if let status = status(of: error) {
                Messages(isQuiet: true, progress: .never).problem("\(error)")
                Foundation.exit(status)
            }
            if exitCode(for: error) == .success { printAsked(fullMessage(for: error)) }
            let text = RawArguments.explained(fullMessage(for: error))
            if !text.isEmpty {
                let mark = "Error: "
                Messages(isQuiet: true, progress: .never)
                    .problem(text.hasPrefix(mark) ? String(text.dropFirst(mark.count)) : text)
            }
            Foundation.exit(exitCode(for: error).rawValue)
        }
    }

    /// Refuses `moody help foo`: the parser answers it with the general help and status 0.
    private static func checkHelp(_ words: [String]) throws {
        guard words.first == "help" else { return }
        var command: any ParsableCommand.Type = Moody.self
        for word in words.dropFirst() where !word.hasPrefix("-") {
            let next = command.configuration.subcommands.first { $0._commandName == word }
            guard let next else { throw UsageError("There is no command \(word); moody help lists them.") }
            command = next
        }
    }

    /// Help, the version, completions: the parser's own way of printing does not look at errors.
    private static func printAsked(_ text: String) -> Never {
        StandardOutput.shared.write(text.isEmpty || text.hasSuffix("\n") ? text : text + "\n")
        do { try StandardOutput.shared.flush() } catch {
            Messages(isQuiet: true, progress: .never).problem("\(error)")
            Foundation.exit(2)
        }
        Foundation.exit(0)
    }

    /// Nil for what the parser explains better.
    private static func status(of error: any Error) -> Int32? {
        switch error {
        case is StoreProblem, is StoreError, is OutputError, is FetchError, is TemplateError: 2
        case is Confinement.Missing: 2
        default: nil
        }
    }
}

enum Version {
    /// moody, Swift, SQLite, each codec, and what confines these.
    static var text: String {
        ([
            "moody \(MoodyVersion.number)", "Swift \(swift)",
            "SQLite \(PersistentStoreCoordinator.sqliteVersion)",
        ]
            + Codecs.versions.map { "\($0.name) \($0.version)" } + sandbox)
            .joined(separator: "\n")
    }

    /// Tried in a child: only when it is asked for.
    private static var sandbox: [String] {
        RawArguments.texts.contains("--version") ? ["sandbox: \(Confinement.layers)"] : []
    }

    private static var swift: String {
        #if compiler(>=6.3)
        "6.3 or later"
        #else
        "6.2"
        #endif
    }
}
