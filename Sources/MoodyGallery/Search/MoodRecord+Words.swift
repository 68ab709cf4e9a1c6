import Palettes

extension MoodRecord {
    /// Words for colors by which a search finds the photo, those first that say most of it.
    package func searchWords(_ limit: Int) -> [String] {
        let mood = SearchMood(
            swatches: colors.map { SearchSwatch($0.color, share: $0.share) }, texts: [], day: 0)
        let worths = ColorWords.keywords.compactMap { word -> (word: String, worth: Double)? in
            let found = MoodSearch(terms: SearchTerm.all(in: word)).total(of: mood)
            return found.map { (word, $0.total) }
        }
        return worths.sorted { ($1.worth, $0.word) < ($0.worth, $1.word) }.prefix(limit).map(\.word)
    }
}
