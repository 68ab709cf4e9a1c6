import ArgumentParser
import DataStacks
import Foundation
import Glibc
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel

struct WatchCommand: AsyncParsableCommand, DecodingCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch folders and keep their palettes up to date.",
        discussion: """
            Reads the folders like moody ingest, then keeps running: reads each photo that is added or \
            changed, notices each photo that is removed, and prints every change. Waits until a photo is \
            written completely; saves photos that arrive together in one transaction. Watches new \
            subfolders, too. File systems without change notifications, such as network shares, are \
            searched every ten seconds. If a watched folder disappears, its photos are not marked as \
            missing, and the folder is watched again when it returns. --recompute, --retry, and --restore \
            apply to the first pass.

            Ctrl-C stops watching after saving the photos in progress: status 0, or 130 if --once left \
            photos unread.

            Examples:
              moody watch --once Photos
              moody watch --poll 60 --exclude '*-edit.jpg' Photos
            """)

    @Argument(help: ArgumentHelp("Folders of photos to watch.", valueName: "dir"))
    var folders: [BytePath]

    @Option(
        help: ArgumentHelp(
            "Search the folders at this interval instead of waiting for notifications: 0.1...86400.",
            valueName: "seconds"))
    var poll: Double?

    @Flag(help: "Stop when all photos are up to date.")
    var once = false

    @OptionGroup var reading: ReadingOptions
    @OptionGroup var store: StoreOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var message: MessageOptions

    var decoding: DecodingArguments { reading.photos.palette.decoding }

    func validate() throws {
        try output.check(reading)
        if let poll, !(0.1...86400).contains(poll) {
            throw UsageError("--poll must be 0.1...86400, not \(poll).")
        }
    }

    func run() async throws {
        let bell = WakeupSignal(), messages = message.messages()
        try reading.checkOutputs(with: store)
        // A slip of the pen makes no store.
        if !folders.contains(where: { (try? FileStatus(at: $0))?.kind == .folder }) {
            for folder in folders {
                let reason: FileError
                do throws(FileError) {
                    _ = try FileStatus(at: folder)
                    reason = FileError(code: ENOTDIR)
                } catch { reason = error }
                messages.problem(folder.description, "\(reason)")
            }
            throw ExitCode(1)
        }
        let signals = Signals { _ in bell.ring() }
        let stack = try store.open(makesStore: true, messages)
        let number = (try? FileStatus(at: store.path))?.number
        defer { try? stack.close() }
        do {
            let isComplete = try watch(
                stack, messages: messages, signals: signals, bell: bell, number: number)
            if signals.signal == nil && !isComplete { throw ExitCode(1) }
        } catch is Interrupted {
            return
        } catch  where error is ExitCode || error is OutputError || error is StoreProblem {
            throw error
        } catch {
            throw StoreProblem(store.path, error)
        }
    }

    /// - Parameter number: the store's file, which must stay where it is.
    private func watch(
        _ stack: DataStack, messages: Messages, signals: Signals, bell: WakeupSignal,
        number: FileNumber?
    ) throws -> Bool {
        let unapplied = try reading.unapplied(to: stack)
        let options = try reading.options(stack, store)
        try reading.keep(options.settings.palette, in: stack)
        let printer = try ReportPrinter(
            json: output.json || reading.report == .standard, lines: reading.lines(folders, output),
            isQuiet: message.quiet || reading.html == .standard, file: reading.report,
            overwrite: reading.overwrite, isStopped: { signals.signal != nil })
        let report = try ChangeReport(of: reading.list, in: stack) { printer.print($0) }
        defer { report.stop() }
        let ingest = Ingest(
            stack: stack, options: options, callbacks: messages.callbacks(signals))
        var watch = Watch(ingest: ingest, bell: bell), isFirst = true
        (watch.pollSeconds, watch.endsWhenSettled) = (poll, once)
        watch.willRun = { options in
            if (try? FileStatus(at: store.path))?.number != number {
                throw StoreProblem("\(store.path): was removed or replaced; the watch ends")
            }
            // Another process may have changed what the store asks of its photos.
            let now = try reading.options(stack, store)
            (options.settings, options.filter) = (now.settings, now.filter)
        }
        watch.onNote = { messages.note("moody: \($0)") }
        watch.onRun = { result in
            let areWritten = try messages.tell {
                try printer.check()
                _ = try reading.writePage(of: stack, messages) { signals.signal != nil }
            }
            if isFirst { reading.note(result, unapplied: unapplied, messages) }
            isFirst = false
            messages.note("\(result); \(store.path)")
            if !areWritten { throw ExitCode(2) }
        }
        let isComplete = try watch.run(folders)
        try printer.finish()
        if once, let signal = signals.signal, watch.wasStopped {
            messages.note("moody: interrupted: the next run goes on from there")
            throw ExitCode(128 + signal)
        }
        return isComplete
    }
}
