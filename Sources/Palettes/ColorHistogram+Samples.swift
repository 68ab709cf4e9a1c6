extension ColorHistogram {
    /// Counts all samples, balanced by their weights.
    ///
    /// The weight of one pixel is its sample's weight over its sample's pixels, as a fraction of the
    /// heaviest pixel's, in steps of 1/65,535, at least one.
    init(_ samples: [PixelSample]) {
        let samples = samples.filter { $0.weight > 0 && $0.pixelCount > 0 }
        let pixelWeights = samples.map { $0.weight / Double($0.pixelCount) }
        let heaviest = pixelWeights.max() ?? 1
        // One sample needs no fractions: its sums stay small and exact for longer.
        let unit = samples.count == 1 ? 1 : Double(Self.largestScale)
        for (sample, weight) in zip(samples, pixelWeights) {
            add(sample.rgba, scale: max(1, Int((weight / heaviest * unit).rounded())))
        }
    }
}
