package import DataStacks
package import Foundation
package import ManagedObjects
import MoodyModel
import Palettes

/// Moods as lines of a terminal, with their columns below each other: number, day, colors, photo, and the
/// country where it is known. One way to make a row, for a list as it is first shown and for what changes.
package struct MoodLines: Sendable {
    /// The folder that all photos lie in, which is left out of their paths; empty for none.
    private let folder: [UInt8]
    private let depth: ColorDepth
    /// The language of countries' names.
    private let language: Locale
    /// How many columns a line may have; nil for any number. Hexes give way first, then the bar, then the
    /// beginning of the path.
    package var width: Int?
    /// The most colors of a palette so far.
    private var columns = 0

    /// - Parameters:
    ///   - folder: the bytes of a path from the root.
    ///   - language: what countries are called in; English where it has no name.
    package init(below folder: [UInt8], depth: ColorDepth, language: Locale = .user) {
        let slash = UInt8(ascii: "/")
        self.language = language
        self.folder = folder.isEmpty || folder.last == slash ? folder : folder + [slash]
        self.depth = depth
    }

    /// Creates lines with paths below the innermost folder that holds all photos of a store: so two photos of
    /// the same name are told apart.
    ///
    /// - Throws: ``StoreError``.
    /// - Complexity: three looks into the index of paths, whatever the number of photos.
    package init(of stack: DataStack, depth: ColorDepth) throws {
        self.init(below: try Self.commonFolder(of: stack), depth: depth)
    }

    /// The innermost folder that holds the photos of all moods; none for a store without moods.
    private static func commonFolder(of stack: DataStack) throws -> [UInt8] {
        let (first, last) = (try folder(of: stack, .forward), try folder(of: stack, .reverse))
        guard let first, let last else { return [] }
        let common = commonFolder([first, last])
        // All folders lie between these two. Between /a and /a/b lies /a-b, too, which is not in /a.
        let slash = UInt8(ascii: "/")
        if common.isEmpty { return common }
        let isSplit = try stack.read { view in
            let between = try Filter<Photo>(
                format: "mood != nil AND folder > %@ AND folder < %@", Data(common), Data(common + [slash]))
            var request = FetchRequest<Photo>(between)
            request.fetchLimit = 1
            return try !view.fetchObjectIDs(request).isEmpty
        }
        return isSplit ? Array(common[..<(common.lastIndex(of: slash) ?? 0)]) : common
    }

    /// The first or the last folder of photos with moods, by bytes.
    private static func folder(of stack: DataStack, _ order: SortOrder) throws -> [UInt8]? {
        try stack.read { view in
            var request = FetchRequest<Photo>(try Filter(format: "mood != nil"))
            request.sortKeys = [order == .forward ? .ascending("folder") : .descending("folder")]
            request.fetchLimit = 1
            return try view.fetchValues(request, \.folder).first.map { [UInt8]($0) }
        }
    }

    /// The innermost folder that holds the photos of these moods.
    ///
    /// - Throws: ``StoreError``.
    package static func commonFolder(of ids: [ManagedObjectID], in stack: DataStack) throws -> [UInt8] {
        var folders = Set<[UInt8]>()
        try MoodList.forEach(of: ids, in: stack) { records in
            for record in records {
                let path = record.photoPath.bytes
                folders.insert(Array(path[..<(path.lastIndex(of: UInt8(ascii: "/")) ?? 0)]))
            }
        }
        return commonFolder(Array(folders))
    }

    /// The innermost folder that all of these are, or lie in; of none, none.
    package static func commonFolder(_ folders: [[UInt8]]) -> [UInt8] {
        let parts = folders.map { $0.split(separator: UInt8(ascii: "/")) }
        guard var common = parts.first else { return [] }
        for other in parts { common = Array(zip(common, other).prefix { $0 == $1 }.map(\.0)) }
        return common.reduce([]) { $0 + [UInt8(ascii: "/")] + $1 }
    }

    /// As wide as a day.
    private static let undated = "undated   "

    /// `ID  date  bar  hexes  path  country` of moods that stand below each other; without color the bar is
    /// left out.
    package mutating func lines(_ records: [MoodRecord]) -> [String] {
        columns = records.map(\.colors.count).reduce(columns, max)
        if let width { return records.map { line($0, width: width) } }
        return records.map { record in
            let number = String(repeating: " ", count: max(0, 5 - "\(record.id)".count)) + "\(record.id)"
            var hexes = record.colors.map(\.color.hex).joined(separator: " ")
            hexes += String(repeating: " ", count: max(0, columns * 8 - 1 - hexes.count))
            let bar =
                depth == .none
                ? "" : PaletteBar.text(record.colors.map { ($0.color, $0.share) }, depth: depth) + "  "
            let day = record.isDated ? record.dayText : Self.undated
            return "\(number)  \(day)  \(bar)\(hexes)  \(path(of: record))"
                + (record.country.map { "  " + $0.name(in: language) } ?? "")
                + (record.isMissing ? "  (missing)" : record.failure == nil ? "" : "  (unreadable)")
        }
    }

    /// Columns that a path should have before hexes or a bar stand beside it.
    private static let leastPath = 24

    private func line(_ record: MoodRecord, width: Int) -> String {
        let number = String(repeating: " ", count: max(0, 5 - "\(record.id)".count)) + "\(record.id)"
        var line = "\(number)  \(record.isDated ? record.dayText : Self.undated)  "
        var room = width - line.count
        let barWidth = depth == .none ? 0 : 26
        if barWidth > 0, room - barWidth >= Self.leastPath {
            line += PaletteBar.text(record.colors.map { ($0.color, $0.share) }, depth: depth) + "  "
            room -= barWidth
        }
        let count = min(columns, max(0, room - Self.leastPath - 1) / 8)
        if count > 0 {
            let hexes = record.colors.prefix(count).map(\.color.hex).joined(separator: " ")
            line += hexes + String(repeating: " ", count: count * 8 - 1 - hexes.count) + "  "
            room -= count * 8 + 1
        }
        let mark = record.isMissing ? "  (missing)" : record.failure == nil ? "" : "  (unreadable)"
        let country = record.country.map { "  " + $0.name(in: language) } ?? ""
        let path = path(of: record)
        let all = path + country + mark
        if TextWidth.columns(all) <= room { return line + all }
        let left = max(1, room - TextWidth.columns(mark))
        return line + TextWidth.ending(path, columns: left) + mark
    }

    /// What escapes there are in the path for people, none has a slash in it.
    private func path(of record: MoodRecord) -> String {
        let path = record.photoPath
        guard !folder.isEmpty, path.bytes.starts(with: folder) else { return path.shown }
        let depth = folder.count { $0 == UInt8(ascii: "/") }
        return path.shown.split(separator: "/", omittingEmptySubsequences: false).dropFirst(depth)
            .joined(separator: "/")
    }
}
