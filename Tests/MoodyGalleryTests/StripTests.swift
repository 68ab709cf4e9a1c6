import Testing

@testable import MoodyGallery

@Suite struct StripTests {
    @Test func `widths are the shares`() {
        #expect(
            Strip(shares: [0.5, 0.3, 0.2]).pieces == [
                .init(start: 0, width: 50), .init(start: 50, width: 30), .init(start: 80, width: 20),
            ])
    }

    @Test func `an accent is never under three percent and takes from the others by their shares`() {
        let pieces = Strip(shares: [0.66, 0.33, 0.01]).pieces
        #expect(pieces.map(\.width) == [64.67, 32.33, 3])
    }

    @Test(
        arguments: [
            [1], [0, 0, 0], [0.999, 0.001], [0.9, 0.03, 0.03, 0.0299, 0.0101], [.nan, 1], [-1, 0.5, 0.5],
            [1e-300, 1e300],
            Array(repeating: 1 / 32, count: 32), Array(repeating: 0.01, count: 100), [],
        ] as [[Double]])
    func `pieces touch, fill the strip and are wide enough, whatever the shares`(shares: [Double]) {
        let pieces = Strip(shares: shares).pieces
        #expect(pieces.count == shares.count)
        guard let last = pieces.last else { return }
        #expect(abs(last.start + last.width - 100) < 0.011)
        let least = min(3, 100 / Double(shares.count))
        for (piece, next) in zip(pieces, pieces.dropFirst()) {
            #expect(abs(piece.start + piece.width - next.start) < 0.011)
        }
        #expect(pieces.allSatisfy { $0.width >= least - 0.011 })
    }
}
