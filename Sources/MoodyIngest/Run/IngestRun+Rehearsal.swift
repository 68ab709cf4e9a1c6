import DataStacks
import Foundation
import Images
import ManagedObjects
import MoodyModel

// A dry run: what a run would do, as far as can be said without decoding.
extension IngestRun {
    /// Says what `work` would do. Photos that turn out to be damaged only when they are read count as new
    /// here.
    ///
    /// - Throws: ``StoreError``.
    mutating func rehearse(_ plan: IngestPlan, _ contents: ContentIndex) throws {
        (report.planned, report.done) = (plan.work.count, plan.work.count)
        for item in plan.work {
            let shown = item.found.shown.description
            let change: PlannedChange?
            do { change = try plannedChange(item, contents) } catch let error as FileError {
                fail(item.found.shown, error.description)
                continue
            }
            switch change {
            case .new: report.new += 1
            case .changed: report.changed += 1
            case .moved:
                report.moved += 1
                if item.hasMood { report.replaced += 1 }
            case .back: report.back += 1
            case .leftOut: report.leftOut += 1
            case .unchanged: report.unchanged += 1
            case .missing, .prune: break
            case nil where item.found.isNamed || isNamedAsPicture(item.found.name):
                fail(item.found.shown, item.found.reasonAsOther)
            case nil: report.others += 1
            }
            if let change, change != .unchanged { callbacks.onPlan(item.found.path, shown, change) }
        }
        while contents.hasMissing {
            for known in contents.consumeMissing(500) where known.state != .sidecar {
                callbacks.onPlan(known.path, known.path.description, options.prune ? .prune : .missing)
                if options.prune { report.pruned += 1 } else { report.missing += 1 }
            }
        }
    }

    /// Reads the whole of a file only where its contents may be known.
    ///
    /// - Returns: nil for a file that is no picture.
    private func plannedChange(_ item: IngestPlan.Item, _ contents: ContentIndex) throws -> PlannedChange? {
        let mayBeElsewhere = contents.mayHold(size: item.found.file.size)
        if item.paletteHash != nil || item.deletedHash != nil || mayBeElsewhere,
            let hash = ContentHash(contentHash(try read(item.found.path)))
        {
            if hash == item.paletteHash {
                if try isRedated(item.found) { return .changed }
                return item.state == .kept ? .unchanged : .back
            }
            let isDeleted = hash == item.deletedHash
            if isDeleted && !item.restores { return .leftOut }
            if !isDeleted, hash != item.ownHash, mayBeElsewhere,
                let old = try contents.claim(hash, for: item.found.path, item.found.file)
            {
                return old.state == .removed ? .leftOut : .moved
            }
        }
        let start = try readFile(item.found.path, limit: 65_536)
        guard ImageFormat(bytes: start)?.isBuiltIn == true else { return nil }
        return item.isKnown ? .changed : .new
    }

    private func isRedated(_ found: FoundFile) throws -> Bool {
        guard case .existing(let stack) = store else { return false }
        return try stack.read { view in
            try view.fetchAll(FetchRequest(Photo.filter(uniqueID: found.location))).first?.mood?
                .isRedated(by: found.date) ?? false
        }
    }
}
