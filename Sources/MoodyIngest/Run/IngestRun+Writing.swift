import DataStacks
import Foundation
import Images
import ManagedObjects
import MoodyModel

/// The changes that a file makes in the store, and the verdict that is counted after the commit.
private struct FileWork {
    var steps: [IngestStep]
    var verdict: FileVerdict
    /// Nil for a photo whose file is gone.
    var item: IngestPlan.Item?

    /// The verdict when the steps have run; nil when there is nothing to count, or when the file is to be
    /// read after all.
    func verdict(after outcomes: [IngestStep.Outcome]) -> FileVerdict? {
        guard let last = outcomes.last else { return verdict }
        return switch last {
        case .done, .replaced: verdict
        case .markedMissing: .missing
        case .pruned: .pruned
        case .leftOut: .leftOut
        case .redated: .changed
        case .back: .back
        case .forgotten, .isAlone: nil
        }
    }
}

extension IngestRun {
    /// Writes one transaction.
    ///
    /// - Parameter marksMissing: whether to mark, or prune, the next of the missing photos that have not
    ///   turned up elsewhere.
    mutating func write(
        _ batch: [PhotoOutcome], _ contents: ContentIndex, _ reader: PhotoReader, marksMissing: Bool
    ) throws {
        var work = try batch.map { try self.work(for: $0, contents, reader) }
        if marksMissing { work += losses(contents) }
        let all = work.map(\.steps)
        var outcomes = all.map { _ in [IngestStep.Outcome]() }
        if all.contains(where: { !$0.isEmpty }) {
            let seen = Date(), stack = try openStore()
            var checksForExisting = false
            outcomes = try retryingConflicts {
                defer { checksForExisting = true }
                return try stack.performAndWait { [checksForExisting, countsCountries] transaction in
                    let outcomes = try all.map { steps in
                        try steps.map {
                            try $0.run(in: transaction, seen: seen, checksForExisting: checksForExisting)
                        }
                    }
                    if countsCountries { try Country.recountChanges(in: transaction) }
                    return outcomes
                }
            }
            hasWritten = true
        }
        var alone: [IngestPlan.Item] = []
        for (work, outcomes) in zip(work, outcomes) {
            for case .write(let source, _) in work.steps { contents.keep(source) }
            if outcomes.contains(where: { if case .replaced = $0 { true } else { false } }) {
                report.replaced += 1
            }
            if let item = work.item, case .isAlone? = outcomes.last {
                alone.append(item)
            } else if let verdict = work.verdict(after: outcomes) {
                count(verdict, work.item?.found)
            }
        }
        if alone.isEmpty { return }
        // The photos that these were to be copied from went meanwhile.
        let read = alone.map { PhotoOutcome(item: $0, result: reader.outcome(of: $0, nil)) }
        for case .unwritable(let error) in read.map(\.result) { throw error }
        try write(read, contents, reader, marksMissing: false)
    }

    /// The next of the missing photos, looked for once more: a program that saves by removing and renaming
    /// may have put some back since the run began.
    private mutating func losses(_ contents: ContentIndex) -> [FileWork] {
        let presence = presence.fresh()
        return contents.consumeMissing(500).compactMap { known in
            if presence.state(of: known.path) == .missing {
                return FileWork(
                    steps: [.markMissing(known.location, prune: options.prune)], verdict: .missing)
            }
            if known.state == .kept, (try? FileStatus(at: known.path))?.file == known.seen {
                return FileWork(steps: [], verdict: .unchanged)
            }
            late.append(known.path)
            return FileWork(steps: [], verdict: .unsettled)
        }
    }

    mutating func count(_ verdict: FileVerdict, _ file: FoundFile?) {
        report.count(verdict)
        guard let file else { return }
        if case .failed(let reason) = verdict { return callbacks.onProblem(file.shown, reason) }
        callbacks.onRead(file.shown)
        if verdict == .other, callbacks.wantsAllSkips { callbacks.onSkip(file.shown.description, .other) }
    }

    private mutating func work(for outcome: PhotoOutcome, _ contents: ContentIndex, _ reader: PhotoReader)
        throws
        -> FileWork
    {
        let item = outcome.item, location = item.found.location
        switch outcome.result {
        case .unwritable(let error): throw error
        case .unreadable(let reason):
            if item.isReread { unread.insert(item.found.path) }
            // Its photo says why it was not read.
            let isSidecar = Sidecar.isNamedSo(item.found.name) && !item.found.isNamed
            return FileWork(steps: [], verdict: isSidecar ? .other : .failed(reason: reason), item: item)
        case .sameContents(let file):
            return FileWork(
                steps: [.touch(location, file, item.found.date)], verdict: .unchanged, item: item)
        case .known(let hash, let file):
            guard let old = try contents.claim(hash, for: item.found.path, file) else {
                let copy = PhotoCopy(
                    location: location, file: file, contentHash: hash.data, date: item.found.date,
                    request: PaletteRequest(options.settings.palette), restores: item.state == .removed,
                    isNew: item.state == nil)
                return FileWork(
                    steps: [.copy(copy)], verdict: item.isKnown ? .changed : .new, item: item)
            }
            let steps = moving(old, to: item, file)
            // What a sidecar said stays behind with it.
            let hadSidecar = contents.hasSidecar(old)
            if old.state == .removed || old.isAsAsked && !item.recomputes && !hadSidecar {
                return FileWork(steps: steps, verdict: .moved, item: item)
            }
            // Another copy, with a palette as asked, was claimed by another file; or a deleted one was found.
            let result = reader.outcome(of: item, nil)
            if case .unwritable(let error) = result { throw error }
            guard case .read(let source) = result, case .kept = source.result else {
                return FileWork(steps: steps, verdict: .moved, item: item)
            }
            return FileWork(steps: steps + [.write(source, isNew: false)], verdict: .moved, item: item)
        case .read(let source): return try work(for: source, item, contents)
        }
    }

    private mutating func work(for source: PhotoImport, _ item: IngestPlan.Item, _ contents: ContentIndex)
        throws
        -> FileWork
    {
        var source = source
        source.restores = item.state == .removed
        var verdict: FileVerdict
        switch source.result {
        case .kept: verdict = item.isKnown ? .changed : .new
        case .failed(let reason): verdict = .failed(reason: reason)
        case .notPicture, .sidecar:
            verdict = item.found.isNamed ? .failed(reason: item.found.reasonAsOther) : .other
        }
        if case .failed = source.result, item.isReread { unread.insert(item.found.path) }
        if case .sidecar = source.result,
            unread.contains(where: { Sidecar.stems(of: $0).contains(Sidecar.stem(of: item.found.path)) })
        {
            // The next run finds it changed again, and reads its photos then.
            return FileWork(steps: [], verdict: verdict, item: item)
        }
        if source.result.isOther {
        } else if let old = try moved(source, item, contents) {
            let steps = moving(old, to: item, source.file)
            if old.state == .removed { return FileWork(steps: steps, verdict: .moved, item: item) }
            // Its palette is not as asked now: it is written anew where the photo is, if it can be read.
            if case .kept = source.result { verdict = .moved }
            return FileWork(steps: steps + [.write(source, isNew: false)], verdict: verdict, item: item)
        }
        if item.state == .removed && !item.restores {
            // That a mood was deleted is not forgotten for a file that has no palette to put in its place.
            if case .kept = source.result {
            } else {
                let touch = IngestStep.touch(item.found.location, source.file, item.found.date)
                return FileWork(steps: [touch], verdict: .leftOut, item: item)
            }
        }
        return FileWork(
            steps: [.write(source, isNew: item.state == nil)], verdict: verdict, item: item)
    }

    /// The photo of these bytes that is not where it was; nil for bytes that the file's own mood was made of.
    private func moved(_ source: PhotoImport, _ item: IngestPlan.Item, _ contents: ContentIndex) throws
        -> PhotoCatalog.Known?
    {
        let hash = source.contentHash.flatMap { ContentHash($0) }
        if hash != nil && (hash == item.deletedHash || hash == item.ownHash) { return nil }
        return try contents.claim(hash, for: item.found.path, source.file)
    }

    private func moving(_ old: PhotoCatalog.Known, to item: IngestPlan.Item, _ file: FileStamp)
        -> [IngestStep]
    {
        let move = IngestStep.move(from: old.location, to: item.found.location, file, item.found.date)
        // The photo that was at this path is no more: another file was put in its place.
        return item.state == nil ? [move] : [.replace(item.found.location), move]
    }

    /// Another process may have written the rows that this one was about to write: then the transaction,
    /// which was thrown away, is run anew on what is there now.
    func retryingConflicts<Value>(_ body: () throws -> Value) throws -> Value {
        try retryingWhatOthersCause(
            onRetry: { error in
                if case .store(.inUse) = error {
                    callbacks.onRetry(.heldByOthers)
                } else {
                    callbacks.onRetry(.writtenByOthers)
                }
            }, body)
    }
}
