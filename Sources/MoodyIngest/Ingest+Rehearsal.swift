import Foundation
import Images
import MoodyModel

// A dry run: what a run would do, as far as can be said without decoding.
extension Ingest {
    /// Says what `work` would do. Photos that turn out to be damaged only when they are read count as new here.
    mutating func rehearse(_ plan: IngestPlan) {
        var moves = MovedPhotos(plan.missing, plan.stored, restores: restore)
        for item in plan.work {
            let shown = item.found.shown.description
            let change: PlannedChange?
            do throws(FileError) { change = try plannedChange(item, &moves) } catch {
                fail(shown, error.description)
                continue
            }
            switch change {
            case .new: report.new += 1
            case .changed: report.changed += 1
            case .moved: report.moved += 1
            case .leftOut: report.leftOut += 1
            case .unchanged: report.unchanged += 1
            case .missing, .prune: break
            case nil where item.found.isNamed || isNamedAsPicture(item.found.name):
                fail(shown, "\(ImageError.unknownFormat)")
            case nil: report.others += 1
            }
            if let change, change != .unchanged { onPlan(shown, change) }
        }
        for place in moves.missing.sorted(by: { $0.path < $1.path }) {
            onPlan(place.path, prune ? .prune : .missing)
            if prune { report.pruned += 1 } else { report.missing += 1 }
        }
    }

    /// Reads the whole of a file only where its contents may be known.
    ///
    /// - Returns: nil for a file that is no picture.
    private func plannedChange(_ item: IngestPlan.Item, _ moves: inout MovedPhotos) throws(FileError)
        -> PlannedChange?
    {
        let mayHaveMoved = !item.isKnown && moves.mayHold(size: item.found.file.size)
        if item.knownHash != nil || mayHaveMoved {
            let hash = Data(contentHash(try read(item.found.path)))
            if hash == item.knownHash { return .unchanged }
            if mayHaveMoved, let old = moves.claim(hash) { return old.isRemoved ? .leftOut : .moved }
        }
        let start = try readFile(item.found.path, limit: 65_536)
        guard ImageFormat(bytes: start)?.isBuiltIn == true else { return nil }
        return item.isKnown ? .changed : .new
    }
}
