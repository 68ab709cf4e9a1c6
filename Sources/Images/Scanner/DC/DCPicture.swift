/// A JPEG's DC coefficients: its picture at 1/8, read without its details; a few more for 1/4, and all of
/// some blocks, if wanted.
///
/// For a palette and a thumbnail one color a block of 8 x 8 is enough, and the DC coefficient is that. Of a
/// baseline file every symbol's length is read but hardly any value; of a progressive one only the DC scans,
/// for the picture at 1/4 the first scan of the lowest other frequencies too, and for patches all scans.
///
/// Whatever does not add up makes it nil: arithmetic coding, 12 bits, a code that is in no table, data left
/// over, restart markers out of order, an end marker missing. libjpeg then decides whether that is damage.
/// Not noticed is damage inside the scans of a progressive file that are not read, which touches no value
/// here.
struct DCPicture {
    let frame: JPEGFrame
    private(set) var planes: [DCPlane]
    /// Quantisation steps by component, zig-zag order, as they were when its first scan came.
    private(set) var steps: [[UInt16]]
    /// The scan with all components, for patches.
    private(set) var baseline: BaselineScan?
    /// The blocks to decode in full; nil for none.
    let plan: SamplePlan?
    /// The chosen blocks of a progressive file, by component.
    private(set) var chosen: [ChosenBlocks] = []
    /// How busy blocks are; known when there is a plan.
    private(set) var activity: BlockActivity
    /// The coefficients for a picture at 1/4.
    private(set) var low: LowFrequencyCoefficients

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - markers: at the file's start.
    ///   - scanLimit: the most scans to look at.
    ///   - sample: pixels of patches to decode in full, about.
    ///   - quarter: keep what it takes for the picture at 1/4.
    ///   - manyStreamsFrom: bytes of a scan from which on several streams read it.
    /// - Complexity: O(*n*) in the file's bytes.
    init?(
        _ markers: JPEGMarkers, scanLimit: Int, sample: Int = 0, quarter: Bool = false,
        manyStreamsFrom: Int = BaselineScan.manyStreamsFrom
    ) {
        var markers = markers
        guard ImageFormat(bytes: markers.bytes) == .jpeg, case .scan(var scan) = markers.next(),
            let frame = markers.frame, frame.coding != .other
        else {
            return nil
        }
        self.frame = frame
        planes = frame.components.map { DCPlane(frame: frame, component: $0) }
        steps = frame.components.map { _ in [] }
        plan = SamplePlan(frame: frame, pixels: sample)
        low = LowFrequencyCoefficients(frame: frame, isWanted: quarter)
        activity = BlockActivity(frame: frame)
        if frame.coding == .progressive {
            chosen = frame.components.indices.map { [plan] in
                ChosenBlocks(frame: frame, component: $0, plan: plan)
            }
        }
        var progress = Progress(components: frame.components.count), scans = 0
        reading: while true {
            scans += 1
            guard scans <= scanLimit else { return nil }
            for component in scan.components where steps[component.index].isEmpty {
                steps[component.index] = markers.quantization[frame.components[component.index].quantization]
            }
            let isRead =
                frame.coding == .baseline
                ? readBaseline(scan, markers: &markers, progress: &progress, manyStreamsFrom: manyStreamsFrom)
                : readProgressive(scan, &markers, &progress)
            guard isRead else { return nil }
            switch markers.next() {
            case .scan(let next): scan = next
            case .end: break reading
            case .cut, .irregular: return nil
            }
        }
        guard progress.isComplete, steps.allSatisfy({ !$0.isEmpty }) else { return nil }
        if plan != nil { activity.measure(planes[0], step: Int(steps[0][0])) }
    }

    private mutating func readBaseline(
        _ scan: JPEGScan, markers: inout JPEGMarkers, progress: inout Progress, manyStreamsFrom: Int
    ) -> Bool {
        guard progress.begin(scan),
            let read = BaselineScan(markers, frame: frame, scan: scan, manyStreamsFrom: manyStreamsFrom),
            read.readValues(into: &planes)
        else { return false }
        read.readLow(into: &low)
        if scan.components.count == frame.components.count { baseline = read }
        markers.position = read.data.end
        return true
    }

    private mutating func readProgressive(
        _ scan: JPEGScan, _ markers: inout JPEGMarkers, _ progress: inout Progress
    ) -> Bool {
        guard scan.bit <= 13, progress.begin(scan) else { return false }
        guard scan.first == 0 else { return readAC(scan, &markers) }
        guard let read = ProgressiveScan(markers, frame: frame, scan: scan) else { return false }
        markers.position = read.end
        return scan.previousBit == 0
            ? read.readFirst(into: &planes, huffman: markers.huffman) : read.refine(&planes)
    }

    /// Reads what patches are made of, or of the first scan of the lowest frequencies what the picture at 1/4
    /// is. Steps over all others.
    private mutating func readAC(_ scan: JPEGScan, _ markers: inout JPEGMarkers) -> Bool {
        let component = scan.components[0].index
        let isLow = scan.first == 1 && scan.previousBit == 0 && low.component == component
        guard plan != nil || isLow else {
            markers.skipData()
            return markers.huffman[4 + scan.components[0].ac] != nil
        }
        if scan.previousBit > 0 {
            guard let read = ACRefinementScan(markers, frame: frame, scan: scan) else { return false }
            markers.position = read.end
            return read.read(into: &chosen[component])
        }
        guard let read = ACFirstScan(markers, frame: frame, scan: scan) else { return false }
        markers.position = read.end
        return read.read(into: &chosen[component], low: &low)
    }
}

extension DCPicture {
    /// Which bits of which coefficients the scans so far brought.
    ///
    /// A file that was cut and given an end marker lacks its last scans: the bits they would have refined
    /// stay open.
    private struct Progress {
        /// By component, 64 coefficients: the lowest bit read; 14: none.
        private var lowest: [[Int]]

        init(components: Int) {
            lowest = Array(repeating: Array(repeating: 14, count: 64), count: components)
        }

        /// Notes a scan.
        ///
        /// - Returns: false when it does not continue what came before, as T.81 G.1.1.1 asks.
        mutating func begin(_ scan: JPEGScan) -> Bool {
            guard scan.first <= scan.last, scan.last < 64 else { return false }
            for component in scan.components {
                for coefficient in scan.first...scan.last {
                    let before = lowest[component.index][coefficient]
                    let fits =
                        scan.previousBit == 0
                        ? before == 14 : before == scan.previousBit && scan.bit == scan.previousBit - 1
                    // AC before DC, or several components' AC in one scan: not in photos.
                    let isOrdered =
                        scan.first == 0 || lowest[component.index][0] < 14 && scan.components.count == 1
                    guard fits, isOrdered else { return false }
                    lowest[component.index][coefficient] = scan.bit
                }
            }
            return true
        }

        /// Every DC value was read, and no coefficient was begun and not finished.
        var isComplete: Bool { lowest.allSatisfy { $0[0] == 0 && $0.allSatisfy { $0 == 0 || $0 == 14 } } }
    }
}
