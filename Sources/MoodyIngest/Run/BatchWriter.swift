import Foundation

/// The outcomes that wait to be written together, and the clock that says when they are due.
struct BatchWriter {
    private let contents: ContentIndex
    private let reader: PhotoReader
    private let sizeLimit: Int
    private let timeLimit: TimeInterval
    private var batch: [PhotoOutcome] = []
    private var begun = Date()
    /// Other files that were counted before the first photo: they are no part of the progress.
    private var othersBefore: Int

    init(contents: ContentIndex, reader: PhotoReader, inputs: IngestInputs, othersBefore: Int) {
        (self.contents, self.reader) = (contents, reader)
        (sizeLimit, timeLimit) = (inputs.batchSize, inputs.batchTime)
        self.othersBefore = othersBefore
    }

    /// The number of outcomes that wait.
    var count: Int { batch.count }
    /// Whether the batch is full, or old enough to be written.
    var isDue: Bool { batch.count >= sizeLimit || Date().timeIntervalSince(begun) >= timeLimit }

    /// Starts the clock: the store is ready.
    mutating func start(othersBefore: Int) { (self.othersBefore, begun) = (othersBefore, Date()) }

    mutating func add(_ outcome: PhotoOutcome) {
        if case .read(let source) = outcome.result { contents.keep(source) }
        batch.append(outcome)
    }

    /// Writes the batch in one transaction, and reports the progress.
    ///
    /// - Parameter marksMissing: whether the transaction marks the next of the missing photos, too.
    mutating func flush(into run: inout IngestRun, marksMissing: Bool = false) throws {
        let batch = batch
        self.batch = []
        try run.write(batch, contents, reader, marksMissing: marksMissing)
        run.report.done += batch.count
        let photos = run.report.done - (run.report.others - othersBefore)
        run.callbacks.onProgress(run.report.done, run.report.planned, photos)
        begun = Date()
    }
}
