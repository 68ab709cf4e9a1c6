/// A frame header: size and components.
///
/// - Source: ITU-T T.81 B.2.2.
struct JPEGFrame: Equatable {
    struct Component: Equatable {
        var id: UInt8
        /// Sampling factors, 1...4.
        var horizontal: Int, vertical: Int
        /// Destination of the quantisation table, 0...3.
        var quantization: Int
    }

    /// How the coefficients are coded, as far as it matters here.
    enum Coding { case baseline, progressive, other }

    let coding: Coding
    /// Pixels; at least 1.
    let width: Int, height: Int
    let components: [Component]

    init?(_ body: ArraySlice<UInt8>, marker: UInt8) {
        let bytes = Array(body)
        guard bytes.count >= 6, bytes.count == 6 + 3 * Int(bytes[5]), (1...4).contains(bytes[5]) else {
            return nil
        }
        height = Int(bytes[1]) << 8 | Int(bytes[2])
        width = Int(bytes[3]) << 8 | Int(bytes[4])
        components = (0..<Int(bytes[5])).map { index in
            let at = 6 + 3 * index
            return Component(
                id: bytes[at], horizontal: Int(bytes[at + 1] >> 4), vertical: Int(bytes[at + 1] & 15),
                quantization: Int(bytes[at + 2]))
        }
        let known = [0xC0: Coding.baseline, 0xC1: .baseline, 0xC2: .progressive][Int(marker)] ?? .other
        coding = bytes[0] == 8 ? known : .other
        let factors = 1...4
        guard width > 0, height > 0, Set(components.map(\.id)).count == components.count,
            components.allSatisfy({
                factors.contains($0.horizontal) && factors.contains($0.vertical) && $0.quantization < 4
            })
        else { return nil }
    }

    var maxHorizontal: Int { components.map(\.horizontal).max() ?? 1 }
    var maxVertical: Int { components.map(\.vertical).max() ?? 1 }
    /// MCUs of an interleaved scan, across and down.
    var mcuColumns: Int { (width + 8 * maxHorizontal - 1) / (8 * maxHorizontal) }
    var mcuRows: Int { (height + 8 * maxVertical - 1) / (8 * maxVertical) }

    /// Blocks of a component that hold pixels, across and down: what a scan of that component alone contains.
    func blocks(of component: Component) -> (columns: Int, rows: Int) {
        let columns = (width * component.horizontal + maxHorizontal - 1) / maxHorizontal
        let rows = (height * component.vertical + maxVertical - 1) / maxVertical
        return ((columns + 7) / 8, (rows + 7) / 8)
    }
}

/// A scan header.
///
/// - Source: ITU-T T.81 B.2.3.
struct JPEGScan: Equatable {
    struct Component: Equatable {
        /// Index into the frame's components.
        var index: Int
        /// Destinations of the Huffman tables, 0...3.
        var dc: Int, ac: Int
    }

    let components: [Component]
    /// First and last coefficient in zig-zag order.
    let first: Int, last: Int
    /// Bit position of the previous scan of these coefficients (0: none) and of this one.
    let previousBit: Int, bit: Int

    init?(_ body: ArraySlice<UInt8>, frame: JPEGFrame) {
        let bytes = Array(body)
        guard let count = bytes.first.map(Int.init), (1...4).contains(count), bytes.count == 4 + 2 * count
        else {
            return nil
        }
        var components: [Component] = []
        for index in 0..<count {
            let id = bytes[1 + 2 * index], tables = bytes[2 + 2 * index]
            guard let found = frame.components.firstIndex(where: { $0.id == id }), tables & 0xCC == 0,
                components.allSatisfy({ $0.index != found })
            else { return nil }
            components.append(Component(index: found, dc: Int(tables >> 4), ac: Int(tables & 15)))
        }
        self.components = components
        first = Int(bytes[1 + 2 * count])
        last = Int(bytes[2 + 2 * count])
        previousBit = Int(bytes[3 + 2 * count] >> 4)
        bit = Int(bytes[3 + 2 * count] & 15)
    }
}
