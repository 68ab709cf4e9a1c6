import DataStacks
import Foundation
import Images
import ManagedObjects
import MoodyModel

extension IngestRun {
    /// One transaction.
    ///
    /// - Parameter losing: with the next of the missing photos, those that have not turned up elsewhere.
    mutating func write(
        _ batch: [PhotoOutcome], _ contents: KnownContents, _ reader: PhotoReader, losing: Bool
    ) throws {
        var steps: [(step: IngestStep, item: IngestPlan.Item?)] = []
        for outcome in batch {
            for step in self.steps(for: outcome, contents) { steps.append((step, outcome.item)) }
        }
        if losing {
            steps += contents.takeMissing(500).map { (.lose($0.place, prune: options.prune), nil) }
        }
        if steps.isEmpty { return }
        let all = steps.map(\.step), seen = Date(), stack = try openStore()
        var looks = false
        let outcomes = try againstOthers {
            defer { looks = true }
            return try stack.performAndWait { [looks] transaction in
                try all.map { try $0.run(in: transaction, seen: seen, looks: looks) }
            }
        }
        hasWritten = true
        var alone: [IngestPlan.Item] = []
        for ((step, item), outcome) in zip(steps, outcomes) {
            if case .write(let source, _, _) = step, case .kept = source.result,
                let hash = source.contentHash.flatMap({ ContentHash($0) })
            {
                contents.keep(hash)
            }
            if case .isAlone? = outcome, let item {
                alone.append(item)
            } else if let outcome {
                count(outcome)
            }
        }
        // Somebody has taken away what these were to be copied from.
        let read = alone.map { PhotoOutcome(item: $0, result: reader.outcome(of: $0, nil)) }
        for case .unwritable(let error) in read.map(\.result) { throw error }
        try write(read, contents, reader, losing: false)
    }

    private mutating func count(_ outcome: IngestStep.Outcome) {
        switch outcome {
        case .markedMissing: report.missing += 1
        case .pruned: report.pruned += 1
        case .replaced: report.replaced += 1
        case .redated: (report.unchanged, report.changed) = (report.unchanged - 1, report.changed + 1)
        case .copied(let wasKnown): if wasKnown { report.changed += 1 } else { report.new += 1 }
        case .leftOut(let wasKnown):
            report.leftOut += 1
            if wasKnown { report.changed -= 1 } else { report.new -= 1 }
        case .isAlone: break
        }
    }

    /// What is to be done in the store for one file. Counts what is known to come of it.
    private mutating func steps(for outcome: PhotoOutcome, _ contents: KnownContents) -> [IngestStep] {
        let item = outcome.item
        switch outcome.result {
        case .unwritable: return []
        case .unreadable(let reason):
            fail(item.found.shown.description, reason)
            return []
        case .sameContents(let file):
            report.unchanged += 1
            return [.touch(item.found.place, file, item.found.date)]
        case .known(let hash, let file):
            if let old = claim(hash, item, contents) { return moving(old, to: item, file) }
            let copy = PhotoCopy(
                place: item.found.place, file: file, contentHash: hash.data, date: item.found.date,
                request: PaletteRequest(options.settings.palette), restores: item.isRestored)
            return [.copy(copy, isKnown: item.isKnown)]
        case .read(var source):
            var steps: [IngestStep] = []
            let hash = source.contentHash.flatMap { ContentHash($0) }
            if case .kept = source.result, let old = claim(hash, item, contents) {
                // Its palette is not what is asked for by now: it is written anew where the photo is.
                steps = moving(old, to: item, source.file)
                if old.state == .removed { return steps }
            } else {
                count(source, item)
            }
            source.restores = item.isRestored
            let isNew = steps.isEmpty && !item.isKnown && !item.isRestored
            return steps + [.write(source, isKnown: item.isKnown, isNew: isNew)]
        }
    }

    /// The photo that a file is, which was elsewhere.
    private func claim(_ hash: ContentHash?, _ item: IngestPlan.Item, _ contents: KnownContents)
        -> StoredPhotos.Known?
    {
        item.isRestored ? nil : contents.claim(hash, for: item.found.path)
    }

    private mutating func moving(
        _ old: StoredPhotos.Known, to item: IngestPlan.Item, _ file: PhotoFile
    ) -> [IngestStep] {
        if old.state == .removed { report.leftOut += 1 } else { report.moved += 1 }
        let move = IngestStep.move(from: old.place, to: item.found.place, file, item.found.date)
        // What was at this path is no more: another file was put in its place.
        return item.isKnown ? [.replace(item.found.place), move] : [move]
    }

    private mutating func count(_ source: PhotoSource, _ item: IngestPlan.Item) {
        switch source.result {
        case .kept: if item.isKnown { report.changed += 1 } else { report.new += 1 }
        case .failed(let reason): fail(item.found.shown.description, reason)
        case .notPicture:
            report.others += 1
            let shown = item.found.shown.description
            if item.found.isNamed {
                fail(shown, "\(ImageError.unknownFormat)")
            } else if callbacks.wantsAllPassedOver {
                callbacks.onPassedOver(shown, .other)
            }
        }
    }

    /// Another process may have written what this one was about to write: then the transaction, which was
    /// thrown away, is run anew on what is there now.
    func againstOthers<Value>(_ body: () throws -> Value) throws -> Value {
        for _ in 0..<8 {
            do { return try body() } catch StoreError.notUnique {
                callbacks.onBegunAgain(.writtenByOthers)
            } catch StoreError.conflict {
                callbacks.onBegunAgain(.writtenByOthers)
            } catch StoreError.inUse { callbacks.onBegunAgain(.heldByOthers) }
        }
        return try body()
    }
}
