import Palettes

/// How much of a mood is what a phrase says, summed over its swatches.
struct PhrasePart {
    /// The part of the photo, each color weighed by how far it is what the phrase says.
    private var part = 0.0
    /// The same by the square of that, so that a clear color stands before more of a doubtful one.
    private var worth = 0.0
    /// The part of the photo that has the color.
    private var amount = 0.0

    /// - Parameter much: how far the swatch is what the phrase says, 0...1.
    mutating func add(_ much: Double, _ share: Double) {
        part += much * share
        worth += much * much * share
        amount += share * (much > 0.5 ? 1 : much)
    }

    /// What the mood is worth to a search, 0...1; 0 when it has too little of the color.
    func value(of phrase: ColorPhrase, _ leastShare: Double) -> Double {
        part < MoodSearch.least(of: phrase) || amount < leastShare ? 0 : min(1, worth)
    }
}
