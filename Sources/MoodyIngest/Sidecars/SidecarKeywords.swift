import Palettes

/// What moody writes into a sidecar: words by which a search finds the photo, and its colors.
package struct SidecarKeywords: Sendable {
    package var words: [String]
    /// `#3366cc 0.412 azure`, in the order of the palette.
    package var colors: [String]

    package init(words: [String] = [], colors: [String] = []) {
        self.words = words
        self.colors = colors
    }

    var isEmpty: Bool { words.isEmpty && colors.isEmpty }
}

/// A list of keywords as other programs keep it.
struct KeywordList {
    let namespace: String
    let prefix: String
    let name: String
    /// `rdf:Bag` or `rdf:Seq`, without the prefix.
    let container: String
    /// How moody's own keywords begin.
    let start: String

    var title: String { "\(prefix):\(name)" }

    /// Never `dc:subject`: a flat `blue` could not be told from a word of the user's own.
    static let all = [
        KeywordList(
            namespace: "http://ns.adobe.com/lightroom/1.0/", prefix: "lr", name: "hierarchicalSubject",
            container: "Bag", start: "moody|"),
        KeywordList(
            namespace: "http://www.digikam.org/ns/1.0/", prefix: "digiKam", name: "TagsList",
            container: "Seq", start: "moody/"),
    ]

    /// The word of a keyword that moody wrote; nil for any other, also for another word below `moody`.
    func word(_ keyword: String) -> String? {
        guard keyword.hasPrefix(start) else { return nil }
        let word = String(keyword.dropFirst(start.count))
        return ColorWords.keywords.contains(word) ? word : nil
    }
}
