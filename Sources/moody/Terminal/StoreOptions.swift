import ArgumentParser
import DataStacks
import Foundation
import Glibc
import Logging
import ManagedObjects
import MoodyIngest
import MoodyModel

/// Where the moods are.
struct StoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Path of the store (default: $MOODY_STORE, else Moody.moody).", valueName: "file"))
    var store: BytePath?

    /// As the user would write it.
    var path: BytePath {
        store ?? RawArguments.environment("MOODY_STORE") ?? BytePath("Moody.moody")
    }

    /// The store's own files, which are neither photos nor overwritten.
    var ownPaths: Set<BytePath> {
        // A store beside a link is the store that the link leads to, with all that lies beside that.
        let path = path.followingLinks
        guard let folder = try? path.folder.resolved() else { return [] }
        let cut = path.name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 > 0 ? $0 : nil }
        let stem = cut.map { Array(path.name[..<$0]) } ?? path.name
        let file = folder.appending(path.name)
        let all = ["", "-wal", "-shm"].map { BytePath(file.bytes + $0.utf8) }
        return Set(all + [folder.appending(Array(".".utf8) + stem + "_SUPPORT".utf8)])
    }

    /// - Parameter isReadOnly: the store must be there.
    /// - Throws: ``StoreProblem``.
    func open(isReadOnly: Bool = false, makesStore: Bool = false, _ messages: Messages) throws -> DataStack {
        try opened(isReadOnly: isReadOnly, makesStore: makesStore, messages).stack
    }

    /// A store that was not there a moment ago.
    ///
    /// - Throws: ``StoreProblem``; ``StoreCreatedMeanwhile``.
    func make(_ messages: Messages) throws -> DataStack {
        let (stack, isNew) = try opened(isReadOnly: false, makesStore: true, messages)
        if isNew { return stack }
        try? stack.close()
        throw StoreCreatedMeanwhile()
    }

    private func opened(
        isReadOnly: Bool, makesStore: Bool, _ messages: Messages
    ) throws -> (stack: DataStack, isNew: Bool) {
        let stack = DataStack(
            model: try .moody(), logger: SwiftLogLogger(Logger(label: "moody.stack")))
        let hasFolder = ["/", "./", "../"].contains { path.bytes.starts(with: $0.utf8) }
        let shown = hasFolder ? "\(path)" : "./\(path)"
        do throws(FileError) {
            let kind = try FileStatus(at: path).kind
            if kind == .folder { throw FileError(code: EISDIR) }
            if kind != .regular { throw .notRegular }
        } catch {
            if error.code != ENOENT { throw StoreProblem(path, error) }
            if !makesStore { throw StoreProblem("no store at \(shown) (make one: moody ingest PATH)") }
        }
        ProtectedFile.add(ownPaths)
        var isNew = false
        do {
            isNew = try stack.addStorage(sqlite: location(), isReadOnly: isReadOnly)
            if isNew { messages.note("moody: made the store \(shown)") }
            if !isReadOnly { try keepUp(stack, messages) }
        } catch let problem as StoreProblem { throw problem } catch { throw StoreProblem(path, error) }
        return (stack, isNew)
    }

    /// A store of an earlier version gets what later ones have from the beginning.
    private func keepUp(_ stack: DataStack, _ messages: Messages) throws {
        let steps = [SwatchIndex.upkeep, PictureHashes.upkeep, CountryIndex.upkeep]
        for step in steps where try !step.isDone(in: stack) {
            try retryingWhatOthersCause {
                try step.run(in: stack) { count in
                    guard let purpose = step.purpose else { return }
                    messages.note("moody: \(purpose) \(count) \(count == 1 ? "mood" : "moods"), once")
                }
            }
        }
        try ColorPages.fill(in: stack)
    }

    /// Where the store is, for those who want text.
    ///
    /// Foundation and SQLite's wrapper take paths as text, and make them absolute by a current folder that is
    /// text too. A folder whose name is none is opened, and reached by the number that it is open under.
    private func location() throws -> URL { try Self.location(of: path) }

    /// A link is followed first: what is too large for a row lies beside the file itself, under one name.
    static func location(of path: BytePath) throws -> URL {
        let path = path.followingLinks
        guard let name = String(validating: path.name, as: UTF8.self) else {
            throw StoreProblem("\(path): the name of a store must be UTF-8")
        }
        do throws(FileError) {
            if let text = try path.absolute().text { return URL(fileURLWithPath: text) }
            let folder = unsafe path.folder.withCString {
                unsafe Glibc.open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            }
            guard folder >= 0 else { throw FileError(code: errno) }
            return URL(fileURLWithPath: "/proc/self/fd/\(folder)/\(name)")
        } catch { throw StoreProblem(path, error) }
    }
}

extension BytePath {
    /// From the root, with links and dots as they are.
    ///
    /// - Throws: ``FileError`` when the current folder is gone.
    func absolute() throws(FileError) -> BytePath {
        try bytes.first == UInt8(ascii: "/") ? self : BytePath(".").resolved().appending(bytes)
    }
}

extension DataStack {
    /// An empty store that ends with the run.
    static func inMemory() throws -> DataStack {
        let stack = DataStack(model: try .moody())
        try stack.addInMemoryStorage()
        return stack
    }
}

/// Another process has made the store that this one was about to make.
struct StoreCreatedMeanwhile: Error {}

/// The store cannot be used: exit status 2.
struct StoreProblem: Error, CustomStringConvertible {
    let description: String

    init(_ text: String) { description = text }

    init(_ path: BytePath, _ error: any Error) {
        // SQLite's words for a store with changes beside it that have to be moved in.
        let cannotOpen = "\(error)".contains("unable to open database file")
        let wal = BytePath(path.followingLinks.bytes + Array("-wal".utf8))
        if cannotOpen, ((try? FileStatus(at: wal))?.file.size ?? 0) > 0 {
            description =
                "\(path): its changes are still in \(wal), and its folder may not be written to: "
                + "copy both files to a folder that may"
            return
        }
        // A file error names the file already.
        let cause = (error as? StackError)?.underlying ?? error
        if case StoreError.file(let name, let code)? = cause as? StoreError,
            path.bytes.reversed().starts(with: name.utf8.reversed())
        {
            description = "\(path): \(FileError(code: code))"
        } else {
            description = "\(path): \(error)"
        }
    }
}
