import CTables

/// The borders of the world's countries, to about half a kilometer; coasts to one and a half.
///
/// Arcs between corners on a grid of some 400 by 190 m, each with the country on its left and on its right: a
/// border is one line, so nothing overlaps and nothing lies between. Rows of the grid know the edges that
/// cross them.
///
/// - Source: Natural Earth 5.1.2, 1:10 million, public domain; boundaries as its edition for the United
///   Nations has them, which is not in all what the United Nations have (docs/DEVIATIONS.md), but for Kosovo,
///   which stands for itself.
struct CountryMap: Sendable {
    /// Unpacked when it is first asked for, which takes some milliseconds; 4 MB.
    static let shared = CountryMap()

    /// Grid steps a band has from south to north.
    static let bandHeight = 128

    /// Degrees a step of the grid, east and north, and where steps count from.
    let step: (x: Double, y: Double), origin: (x: Double, y: Double)
    /// Grid steps round the world.
    let round: Double
    /// Corners of all arcs, one behind the other, in steps east and north of ``origin``.
    let x: [Int32], y: [Int32]
    /// Which arc a corner belongs to.
    let arc: [UInt16]
    /// By arc: indexes among ``CountryTable/all``, from 1; 0 for no country.
    let left: [UInt8], right: [UInt8]
    /// The edges that touch a band, by their first corners: those of band *b* begin at `bands[b]`.
    let bands: [Int32], edges: [Int32]

    private init() {
        var numbers = unsafe PackedNumbers(moody_country_arcs())
        step = (numbers.nextDouble(), numbers.nextDouble())
        origin = (numbers.nextDouble(), numbers.nextDouble())
        round = 360 / step.x
        let arcCount = numbers.next(), cornerCount = numbers.next()
        var x: [Int32] = [], y: [Int32] = [], arc: [UInt16] = [], left: [UInt8] = [], right: [UInt8] = []
        x.reserveCapacity(cornerCount)
        y.reserveCapacity(cornerCount)
        arc.reserveCapacity(cornerCount)
        var last = (x: 0, y: 0)
        for number in 0..<arcCount {
            left.append(UInt8(truncatingIfNeeded: numbers.next()))
            right.append(UInt8(truncatingIfNeeded: numbers.next()))
            for _ in 0..<numbers.next() {
                last = (last.x + numbers.nextSigned(), last.y + numbers.nextSigned())
                x.append(Int32(truncatingIfNeeded: last.x))
                y.append(Int32(truncatingIfNeeded: last.y))
                arc.append(UInt16(truncatingIfNeeded: number))
            }
        }
        (self.x, self.y, self.arc, self.left, self.right) = (x, y, arc, left, right)
        (bands, edges) = Self.bands(y, arc)
    }

    /// Counted first, then put down: no list of lists.
    private static func bands(_ y: [Int32], _ arc: [UInt16]) -> (bands: [Int32], edges: [Int32]) {
        let height = Int32(bandHeight), count = Int((y.max() ?? 0) / height) + 1
        var starts = [Int32](repeating: 0, count: count + 1)
        func forEach(_ body: (_ band: Int, _ edge: Int) -> Void) {
            for edge in 0..<max(0, y.count - 1) where arc[edge] == arc[edge + 1] {
                let (low, high) = (min(y[edge], y[edge + 1]), max(y[edge], y[edge + 1]))
                for band in Int(low / height)...Int(high / height) { body(band, edge) }
            }
        }
        forEach { band, _ in starts[band + 1] += 1 }
        for band in 0..<count { starts[band + 1] += starts[band] }
        var next = starts, edges = [Int32](repeating: 0, count: Int(starts[count]))
        forEach { band, edge in
            edges[Int(next[band])] = Int32(edge)
            next[band] += 1
        }
        return (starts, edges)
    }
}

/// The numbers of country-arcs.bin: doubles of 8 bytes, and whole ones of 7 bits a byte, the lowest first.
private struct PackedNumbers {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ table: moody_table) {
        // SAFETY: a table has that many bytes, and stays.
        bytes = unsafe [UInt8](UnsafeBufferPointer(start: table.bytes, count: table.count))
    }

    mutating func nextDouble() -> Double {
        defer { offset += 8 }
        let bits = bytes[offset..<offset + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Double(bitPattern: bits)
    }

    /// 0 behind the end.
    mutating func next() -> Int {
        var value = 0, shift = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            value |= Int(byte & 127) << shift
            if byte < 128 { break }
            shift += 7
        }
        return value
    }

    /// 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
    mutating func nextSigned() -> Int {
        let value = next()
        return value & 1 == 0 ? value / 2 : -(value + 1) / 2
    }
}
