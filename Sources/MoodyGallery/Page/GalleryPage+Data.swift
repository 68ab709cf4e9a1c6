import MoodyModel
import Palettes

/// The data of the page's script: the rows in short form, each name of a color once.
///
/// A row is a list, for thousands would else be as many names of keys: page.js says what stands where.
struct PageData {
    private var names: [String] = []
    private var numbers: [String: Int] = [:]

    /// Hands the data over, a row at a time: as values they take some 3 KB per row.
    ///
    /// - Parameter more: fields behind all others.
    static func write<Failure>(
        _ rows: [MoodRow], _ pictures: GalleryPage.Pictures, more: [(String, JSON)] = [],
        to sink: (HTML) throws(Failure) -> Void
    ) throws(Failure) {
        var data = PageData()
        let (sections, sectionOf) = data.sections(of: rows)
        try sink("{\"rows\":[")
        for (index, row) in rows.enumerated() {
            if index > 0 { try sink(",") }
            try sink(.data(data.row(row, section: sectionOf[index], pictures)))
        }
        try sink("],")
        try sink(.data(fields: data.rest(sections, pictures) + more))
        try sink("}")
    }

    /// The names of countries in English by those in the user's language, for searches: none where no photo
    /// has a place.
    static func countries(of rows: [MoodRow], isLive: Bool) -> [(String, JSON)] {
        guard isLive || rows.contains(where: { !$0.place.isEmpty }) else { return [] }
        let names = CountryTable.translated.sorted { $0.key < $1.key }
        return names.isEmpty ? [] : [("countries", .object(names.map { ($0.value, .string($0.key)) }))]
    }

    private func rest(
        _ sections: [(title: String, palette: JSON, hasYears: Bool)], _ pictures: GalleryPage.Pictures
    )
        -> [(String, JSON)]
    {
        let undated = sections.firstIndex { $0.title == Section.undated } ?? -1
        return [
            (
                "sections",
                .array(
                    sections.map { .array([Self.text($0.title), $0.palette, .number($0.hasYears ? 1 : 0)]) })
            ),
            ("undated", .number(Int64(undated))), ("names", .array(names.map(Self.text))),
            ("inside", .bool(pictures == .inside)), ("firstHue", .real(Accent.firstHue)),
            (
                "families",
                .array(Accent.families.map { .array([.real($0.end), .string($0.name)]) })
            ), ("words", SearchTable.json),
        ]
    }

    /// The sections by date, the newest first where the rows are in another order, and which row is in which.
    private mutating func sections(of rows: [MoodRow]) -> (
        [(title: String, palette: JSON, hasYears: Bool)], [Int]
    ) {
        let isDated = Section.areDated(rows)
        let order =
            isDated
            ? Array(rows.indices)
            : rows.indices.sorted {
                let (a, b) = (rows[$0], rows[$1])
                return (Section.isDated(a) ? 1 : 0, a.day, -$0) > (Section.isDated(b) ? 1 : 0, b.day, -$1)
            }
        let sorted = order.map { rows[$0] }
        var sectionOf = [Int](repeating: 0, count: rows.count)
        let sections = Section.dated(sorted).enumerated().map { number, section in
            for index in section.range { sectionOf[order[index]] = number }
            let palette = MonthPalette(of: sorted[section.range]).swatches.map { swatch in
                JSON.array([.string(swatch.hex), .real(rounded(swatch.share, 1e4)), name(swatch.name)])
            }
            return (section.title, JSON.array(palette), section.hasYears)
        }
        return (sections, sectionOf)
    }

    private mutating func row(_ row: MoodRow, section: Int, _ pictures: GalleryPage.Pictures) -> JSON {
        let hasPicture = pictures == .beside || !row.thumbnail.isEmpty
        return .array(Self.facts(of: row, section: section, hasPicture: hasPicture) { name($0) })
    }

    /// The facts of one row, in the order that photos.js knows.
    ///
    /// - Parameters:
    ///   - section: the number of the row's section; in a live page 1 for a dated photo and 0 for others.
    ///   - name: writes the name of a color.
    static func facts(
        of row: MoodRow, section: Int, hasPicture: Bool, name: (String) -> JSON
    ) -> [JSON] {
        let colors = row.swatches.flatMap { swatch in
            [
                .string(swatch.hex), .real(rounded(swatch.share, 1e6)), name(swatch.name),
                swatch.displayP3.isEmpty ? 0 : .string(swatch.displayP3),
            ]
        }
        let size = row.width > 0 && row.height > 0 ? "\(row.width) × \(row.height)" : ""
        let has = (hasPicture ? 1 : 0) + (row.hasSharp ? 2 : 0) + (row.hasLarge ? 4 : 0)
        return [
            // A line is narrow, not of no width.
            .number(row.id), .real(max(rounded(row.aspect, 1e3), 1e-3)), .string(Day(row.day)?.iso ?? ""),
            text(row.time),
            text(row.name), .array(colors), text(row.place), text(row.camera),
            text(row.path),
            .string(size), .array(row.notes.map(text)), .number(Int64(section)), .number(Int64(has)),
            .number(Int64(Accent(row.searched)?.index ?? -1)),
        ]
    }

    private mutating func name(_ name: String) -> JSON {
        if let number = numbers[name] { return .number(Int64(number)) }
        numbers[name] = names.count
        names.append(name)
        return .number(Int64(names.count - 1))
    }

    /// Without characters that would turn the direction of writing or control something, as in ``HTML``.
    static func text(_ text: String) -> JSON { .string(HTML.shown(text)) }
}

extension GalleryPage {
    /// The groups of similar.js, which is in pages that have some: places of rows.
    ///
    /// - Parameter rows: in the order of the page.
    func similarData(_ rows: [MoodRow]) -> [(String, JSON)] {
        if similar.isEmpty { return [] }
        let places = Dictionary(rows.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let groups = similar.map { $0.compactMap { places[$0] }.map { JSON.number(Int64($0)) } }
        return [("similar", .array(groups.map { .array($0) }))]
    }
}

extension MoodRow {
    /// Its colors as a search looks at them.
    var searched: [SearchSwatch] {
        swatches.map {
            SearchSwatch(RGB(red: $0.red, green: $0.green, blue: $0.blue), share: $0.share)
        }
    }
}
