import Dispatch
import Foundation
import Synchronization
import Testing

@testable import MoodyIngest

@Suite struct PipelineTests {
    /// C-2: never more at work than asked for, never more waiting than the window, results in order.
    @Test(arguments: [(1, 1), (2, 2), (4, 8), (8, 3)])
    func `no more than width are worked on, no more than window wait, and order is kept`(
        width: Int, window: Int
    ) {
        let working = Atomic(0), most = Atomic(0), finished = Atomic(0), mostFinished = Atomic(0)
        var results: [Int] = []
        pipeline(
            count: 200, width: width, window: window,
            work: { index in
                let now = working.add(1, ordering: .relaxed).newValue
                most.max(now, ordering: .relaxed)
                // The first ones take longest, so that later ones would overtake them.
                usleep(UInt32((200 - index) % 7) * 100)
                working.subtract(1, ordering: .relaxed)
                let waiting = finished.add(1, ordering: .relaxed).newValue
                mostFinished.max(waiting, ordering: .relaxed)
                return index * index
            }, meanwhile: {},
            sink: { result in
                finished.subtract(1, ordering: .relaxed)
                results.append(result)
            })
        #expect(results == (0..<200).map { $0 * $0 })
        #expect(most.load(ordering: .relaxed) <= width)
        #expect(mostFinished.load(ordering: .relaxed) <= window)
    }

    @Test(arguments: [0, 1, 2])
    func `nothing, one and two are no special cases`(count: Int) {
        var results: [Int] = []
        pipeline(count: count, width: 4, window: 4, work: { $0 }, meanwhile: {}, sink: { results.append($0) })
        #expect(results == Array(0..<count))
    }

    @Test func `a stop finishes what was begun and begins no more`() {
        let isStopped = Atomic(false)
        var results: [Int] = []
        pipeline(
            count: 10_000, width: 3, window: 6, isStopped: { isStopped.load(ordering: .relaxed) },
            work: { index in
                usleep(100)
                return index
            }, meanwhile: {},
            sink: { result in
                results.append(result)
                if result == 20 { isStopped.store(true, ordering: .relaxed) }
            })
        #expect(results == Array(0..<results.count), "without a gap")
        #expect(results.count >= 21 && results.count < 40)
    }

    @Test func `an error of the sink comes out, and nobody is left waiting`() {
        struct Full: Error {}
        for _ in 0..<20 {
            var count = 0
            #expect(throws: Full.self) {
                try pipeline(count: 1_000, width: 4, window: 4, work: { $0 }, meanwhile: {}) { _ in
                    count += 1
                    if count == 7 { throw Full() }
                }
            }
            #expect(count == 7)
        }
    }

    @Test func `what is done meanwhile is done once, before the first result and beside the work`() {
        let isWorking = DispatchSemaphore(value: 0), goOn = DispatchSemaphore(value: 0)
        var order: [String] = []
        pipeline(
            count: 3, width: 1, window: 3,
            work: { index in
                if index == 0 {
                    isWorking.signal()
                    goOn.wait()
                }
                return index
            },
            meanwhile: {
                // Would wait for ever if the work came first, or last.
                isWorking.wait()
                order.append("meanwhile")
                goOn.signal()
            },
            sink: { order.append("\($0)") })
        #expect(order == ["meanwhile", "0", "1", "2"])
    }

    @Test func `an error of what is done meanwhile comes out, and no result is handed over`() {
        struct Full: Error {}
        var results: [Int] = []
        #expect(throws: Full.self) {
            try pipeline(
                count: 1_000, width: 4, window: 4, work: { $0 }, meanwhile: { throw Full() },
                sink: { results.append($0) })
        }
        #expect(results.isEmpty)
    }
}
