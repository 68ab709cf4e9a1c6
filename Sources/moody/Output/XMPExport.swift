import DataStacks
import MoodyGallery
import MoodyIngest
import Palettes

/// `moody export xmp`: keywords in sidecars, beside the photos or in a folder.
final class XMPExport {
    /// What is done to a sidecar.
    private enum Change: String { case new, changed, removed, same, refused }

    private let messages: Messages
    /// A folder for all sidecars; nil for beside the photos.
    private let output: BytePath?
    private let removes: Bool
    private let isRehearsal: Bool
    private var counts: [Change: Int] = [:]
    private var swept: Set<BytePath> = []
    /// Sidecars that were looked at; that of a stem may be of many photos.
    private var seen: Set<BytePath> = []

    init(to output: BytePath?, removes: Bool, isRehearsal: Bool, _ messages: Messages) {
        self.output = output
        self.removes = removes
        self.isRehearsal = isRehearsal
        self.messages = messages
    }

    /// - Returns: whether no sidecar was refused.
    /// - Throws: ``StoreError``, ``OutputError``.
    func write(_ list: MoodList, of stack: DataStack, isStopped: () -> Bool) throws -> Bool {
        if let output { try ProtectedFile.refuseStore(output) }
        try list.forEach(in: stack) { records in
            for record in records where !isStopped() { write(record) }
        }
        let order: [Change] =
            removes ? [.changed, .removed, .same, .refused] : [.new, .changed, .same, .refused]
        let parts = order.compactMap { change in counts[change].map { "\($0) \(change.rawValue)" } }
        let counted = parts.isEmpty ? "no sidecars" : parts.joined(separator: ", ")
        messages.note("moody: \(counted)\(isRehearsal ? "; nothing was written" : "")")
        return counts[.refused] == nil
    }

    private func write(_ record: MoodRecord) {
        let photo = BytePath(record.photoPath.bytes)
        if removes {
            let own = output.map { [Sidecar.path(of: photo, in: $0)] } ?? Sidecar.files(for: photo)
            for path in own where seen.insert(path).inserted { attempt(path) { try remove(from: path) } }
            return
        }
        let keywords = SidecarKeywords(record)
        if let output {
            let path = Sidecar.path(of: photo, in: output)
            attempt(path) { try write(keywords, to: path) }
        } else if (try? FileStatus(at: photo)) == nil {
            attempt(photo) { throw OutputError("is missing: it gets no sidecar") }
        } else {
            attempt(photo) {
                let path = try Sidecar.place(for: photo)
                attempt(path) { try write(keywords, to: path) }
            }
        }
    }

    private func attempt(_ path: BytePath, _ body: () throws -> Void) {
        do { try body() } catch {
            count(.refused, path)
            messages.problem("\(path)", "\(error)")
        }
    }

    private func write(_ keywords: SidecarKeywords, to path: BytePath) throws {
        let file = try SidecarFile(path)
        if file.exists {
            let text = try SidecarText(file.bytes).with(keywords)
            if text != file.bytes { try change(file) { try file.write(text) } }
            count(text == file.bytes ? .same : .changed, path)
        } else if keywords.words.isEmpty {
            count(.same, path)
        } else {
            var made: [BytePath] = []
            if !isRehearsal, output != nil { try TemplateSet.makeFolders(path.folder, &made) }
            try change(file) { try file.write(try SidecarText.new(keywords)) }
            count(.new, path)
        }
    }

    private func remove(from path: BytePath) throws {
        let file = try SidecarFile(path)
        if !file.exists { return }
        let foreign = try SidecarText(file.bytes).foreign
        if foreign == file.bytes { return count(.same, path) }
        let isAll = SidecarText.saysNothing(foreign)
        try change(file) { isAll ? try file.remove() : try file.write(foreign) }
        count(isAll ? .removed : .changed, path)
    }

    private func change(_ file: SidecarFile, _ body: () throws -> Void) throws {
        if isRehearsal { return try file.checkWritable() }
        if swept.insert(file.path.folder).inserted { SidecarFile.sweep(file.path.folder) }
        try body()
    }

    private func count(_ change: Change, _ path: BytePath) {
        counts[change, default: 0] += 1
        if isRehearsal { StandardOutput.shared.line("\(change.rawValue)  \(path)") }
    }
}

extension SidecarKeywords {
    init(_ record: MoodRecord) {
        self.init(
            words: record.searchWords(5),
            colors: record.palette.entries.map {
                "\($0.color.hex) \(PaletteFormat.fixed($0.share, digits: 3)) \($0.color.name)"
            })
    }
}
