import CImage
import Foundation
import Synchronization
import Testing

@testable import Images

/// How much all pictures that are decoded at once may take.
@Suite struct MemoryBudgetTests {
    @Test func `shares never come to more than the budget, but for one that is larger`() {
        let budget = MemoryBudget(bytes: 100)
        let held = Mutex((sum: 0, count: 0, isKept: true))
        DispatchQueue.concurrentPerform(iterations: 400) { index in
            let bytes = [10, 30, 60, 100, 250][index * 7 % 5]
            let share = budget.share(bytes: bytes)
            held.withLock {
                ($0.sum, $0.count) = ($0.sum + bytes, $0.count + 1)
                if $0.sum > 100, $0.count > 1 { $0.isKept = false }
            }
            usleep(20)
            held.withLock { ($0.sum, $0.count) = ($0.sum - bytes, $0.count - 1) }
            withExtendedLifetime(share) {}
        }
        #expect(held.withLock { $0.sum == 0 && $0.isKept })
    }

    @Test func `what another process lends is not counted here`() {
        let budget = MemoryBudget(bytes: 100)
        let asked = Mutex<[Int]>([])
        budget.lend { bytes in asked.withLock { $0.append(bytes) } }
        // Neither waits for the other.
        let shares = [budget.share(bytes: 80), budget.share(bytes: 90)]
        #expect(asked.withLock { $0 } == [80, 90])
        withExtendedLifetime(shares) {}
    }

    /// docs/FORMATS.md, in units of 1,000 and 1,000,000.
    @Test func `the limits are those of the document`() {
        let options = DecodingOptions(), mega = 1024 * 1024
        #expect((options.pixelLimit, options.imagePixelLimit) == (256 * mega, 32 * mega))
        #expect((options.wholePixels, options.samplePixels) == (4 * mega, 65_536))
        #expect((options.progressivePixelLimit, options.coefficientMemoryLimit) == (40_000_000, 256 * mega))
        #expect((options.wholeMemoryLimit, options.rowMemoryLimit) == (256 * mega, 128 * mega))
        #expect((options.chunkLimit, options.scanLimit, options.warningLimit) == (60 * mega, 200, 100))
        #expect((options.side, options.decodedJPEGPixels, options.meansSide) == (320, 0, 0))
        #expect(!options.exact && !options.acceptsTruncated)
        #expect(options.secondLimit == 10 && !options.isConfined)
    }

    /// libjpeg says why it is out of memory; of scans the shim says nothing.
    @Test func `a limit that a JPEG passes is named`() throws {
        let bytes = try Fixture.bytes("jpeg/progressive.jpg")
        func words(_ change: (inout DecodingOptions) -> Void) -> String? {
            var options = DecodingOptions()
            options.exact = true
            change(&options)
            do throws(ImageError) {
                _ = try Picture(bytes: bytes, options: options)
                return nil
            } catch { return error.description }
        }
        #expect(words { _ in } == nil)
        #expect(words { $0.scanLimit = 1 } == "refused: more than its limit of scans")
        #expect(
            words { $0.progressivePixelLimit = 100 }?.hasSuffix(" in several scans needs too much memory")
                == true)
    }

    @Test func `numbers of a file never trap`() {
        let most = UntrustedNumber(.max)
        #expect((most * 4).value(upTo: .max) == nil && (most + 1 - 1).value(upTo: .max) == nil)
        #expect((UntrustedNumber(3) - 4 + 4).value(upTo: .max) == nil)
        #expect(UntrustedNumber(-1).value(upTo: .max) == nil)
        #expect((UntrustedNumber(3) * 4 - 2).value(upTo: 10) == 10)
        #expect((UntrustedNumber(3) * 4).value(upTo: 11) == nil)
    }
}
