extension Palette {
    /// The palette of cells, of which there is at least one.
    ///
    /// - Parameter searched: where representative mode looks for its clusters; at least one.
    init(cells: ColorCells, searching searched: ColorCells, options: PaletteOptions) {
        let asked: Int, fittingNote: String?
        switch options.size {
        case .colors(let count):
            asked = min(max(count, 1), PaletteSize.limit)
            fittingNote = nil
        case .auto:
            let fitting = Self.fittingSize(cells)
            asked = fitting.count
            let difference = fitting.difference.map { ", smallest difference \(hundredths($0))" }
            fittingNote =
                (asked == 1 ? "1 color fits" : "\(asked) colors fit")
                + ": mean error \(hundredths(fitting.error * 100))" + (difference ?? "")
        }
        let colors: [Entry]
        switch options.mode {
        case .area: colors = Self.areaColors(asked, of: cells)
        case .representative: colors = Self.representativeColors(asked, of: cells, searching: searched)
        }
        self.init(entries: Self.counted(colors, in: cells))
        if let fittingNote { notes.append(fittingNote) }
        if entries.count < asked {
            notes.append(
                "\(entries.count) of \(asked) colors: the picture has no more that can be told apart")
        }
    }

    /// Gives every cell to the nearest color, and sorts by what each got.
    static func counted(_ colors: [Entry], in cells: ColorCells) -> [Entry] {
        let shares = shares(of: colors, in: cells)
        var counted = colors
        for index in counted.indices { counted[index].share = shares[index] }
        return counted.filter { $0.share > 0 }
            .sorted { ($0.share, $1.color.code) > ($1.share, $0.color.code) }
    }

    /// The share of the picture that is nearer to each color than to the others.
    static func shares(of colors: [Entry], in cells: ColorCells) -> [Double] {
        let labels = KMeans.labels(
            cells.x, cells.y, cells.z, centers: colors.map { PaletteSpace.point($0.color) })
        var shares = [Double](repeating: 0, count: colors.count)
        for index in 0..<cells.count { shares[Int(labels[index / 8][index % 8])] += cells.weights[index] }
        return shares.map { $0 / cells.weight }
    }
}
