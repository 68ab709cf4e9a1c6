import ArgumentParser
import DataStacks
import Glibc
import MoodyGallery
import MoodyIngest
import MoodyModel

extension ListCommand {
    /// Prints the groups of photos that are alike.
    func printSimilar(
        _ kind: SimilarGroups.Kind, _ list: MoodList, in stack: DataStack, _ messages: Messages,
        _ names: NearestNames?
    ) throws {
        let similar = try SimilarGroups(kind, of: list, in: stack)
        if similar.unknown > 0 {
            let moods = similar.unknown == 1 ? "1 mood has" : "\(similar.unknown) moods have"
            messages.note("moody: \(moods) no picture hash yet: \(try advice(stack))")
        }
        if similar.plain > 0 {
            let photos = similar.plain == 1 ? "1 photo is" : "\(similar.plain) photos are"
            messages.note("moody: \(photos) too plain to compare")
        }
        var lines = try output.json || nul ? nil : MoodLines(of: stack, depth: output.depth)
        lines?.width = StandardOutput.shared.width.map { $0 - 2 }
        for (index, group) in similar.groups.enumerated() {
            try print(group, of: kind, at: index, in: stack, &lines, names)
            try StandardOutput.shared.flush()
            if StandardOutput.shared.isClosed { throw ExitCode.success }
        }
        try StandardOutput.shared.flush()
    }

    /// What gives moods the hashes that they lack.
    private func advice(_ stack: DataStack) throws -> String {
        // Thumbnails that could not be read have none.
        if try PictureHashes.upkeep.isDone(in: stack) { return "moody ingest --recompute" }
        let isWritable = [store.path.followingLinks, store.path.followingLinks.folder].allSatisfy { path in
            unsafe path.withCString { unsafe access($0, W_OK) } == 0
        }
        if isWritable { return "moody ingest" }
        let copy = BytePath(store.path.name), whole = try store.path.absolute()
        return "moody store convert \(whole) \(copy), in a folder that you may write to, then moody "
            + "ingest --store \(copy)"
    }

    private func print(
        _ group: [SimilarGroups.Member], of kind: SimilarGroups.Kind, at index: Int, in stack: DataStack,
        _ lines: inout MoodLines?, _ names: NearestNames?
    ) throws {
        let output = StandardOutput.shared
        if !nul {
            let section = MoodSnapshot.Section(name: kind.rawValue, count: group.count)
            output.line(lines == nil ? section.json(at: index).text : kind.title(group.count))
        }
        let members = Dictionary(uniqueKeysWithValues: group.map { ($0.id, $0) })
        try MoodList.forEach(of: group.map(\.id), in: stack) { records in
            let texts = lines?.lines(records) ?? []
            for (place, record) in records.enumerated() {
                guard let member = members[record.objectID] else { continue }
                let isBest = member.id == group[0].id
                if nul {
                    output.write(record.photoPath.bytes + [0])
                } else if lines != nil {
                    output.line("\(isBest ? "*" : " ") \(texts[place])")
                } else {
                    output.line(member.json(of: record.json(names), group: index, isBest: isBest).text)
                }
            }
        }
    }
}

extension SimilarGroups.Kind {
    static let names = "copies, crops, or series"

    static func parsed(_ text: String) throws -> SimilarGroups.Kind {
        guard let kind = SimilarGroups.Kind(rawValue: text) else {
            throw UsageError("--similar must be \(names), not \(text).")
        }
        return kind
    }
}
