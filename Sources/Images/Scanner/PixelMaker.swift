/// Makes pixels of a block from its mean and what the pixels of a decoded one differ by from theirs.
struct PixelMaker {
    private let first: Differences, second: Differences, third: Differences
    private let combine: Combination
    /// Blocks of a patch, and pixels of each block to make.
    private let blocks: Int, each: Int
    /// By patch, the number of its facing.
    private let facings: [Int]
    /// From one pixel of a block to its next: they lie far apart.
    private let spacing: Int

    init(_ patches: Patches, _ colors: DCPicture.Colors, each: Int) {
        let isGray = patches.shares.count == 1
        first = Differences(patches, component: 0)
        second = Differences(patches, component: isGray ? 0 : 1)
        third = Differences(patches, component: isGray ? 0 : 2)
        combine = Combination(colors)
        (blocks, self.each) = (patches.plan.blocks, each)
        facings = patches.plan.patches.map(\.facing.number)
        spacing = 64 / each
    }

    /// - Parameters:
    ///   - code: the decoded block: its patch, times 16, plus its index in it.
    ///   - turn: chooses the pixels; another one others.
    ///   - at: moves on by four bytes a pixel.
    @inline(__always)
    func write(
        _ code: Int, mean: SIMD4<Float>, turn: Int, to output: inout MutableSpan<UInt8>, at: inout Int
    ) {
        let patch = code >> 4, part = code & 15
        let block = (facings[patch] &* blocks &+ part) &* 64
        var turn = turn
        for _ in 0..<each {
            let pixel = block &+ (turn & 63)
            turn = turn &+ spacing
            let color = combine(
                mean.x + first.value(patch, pixel), mean.y + second.value(patch, pixel),
                mean.z + third.value(patch, pixel))
            output[at] = color.x
            output[at &+ 1] = color.y
            output[at &+ 2] = color.z
            at &+= 4
        }
    }
}

/// How components become a color.
private struct Combination {
    private let first: SIMD4<Float>, second: SIMD4<Float>, third: SIMD4<Float>

    /// - Source: JFIF 1.02: ITU-R BT.601 with full range.
    init(_ colors: DCPicture.Colors) {
        switch colors {
        case .yCbCr:
            first = SIMD4(1, 1, 1, 0)
            second = SIMD4(0, -0.344_136, 1.772, 0)
            third = SIMD4(1.402, -0.714_136, 0, 0)
        case .rgb, .gray:
            // All three are equal in a gray picture.
            (first, second, third) = (SIMD4(1, 0, 0, 0), SIMD4(0, 1, 0, 0), SIMD4(0, 0, 1, 0))
        }
    }

    /// Rounded to nearest, at the ends where it lies beyond.
    @inline(__always)
    func callAsFunction(_ a: Float, _ b: Float, _ c: Float) -> SIMD4<UInt8> {
        var color = first * a + second * b + third * c + 128
        color.replace(with: 0, where: color .< 0)
        color.replace(with: 255, where: color .> 255)
        // A float of 2^23 and more has no fraction: adding it rounds, and the low bits are the number.
        // SAFETY: 16 bytes each, and any bits are numbers.
        return unsafe SIMD4(truncatingIfNeeded: unsafeBitCast(color + 8_388_608, to: SIMD4<UInt32>.self))
    }
}

/// Differences of one component, by pixel.
private struct Differences {
    private let blocks: [BlockRows]
    /// For each facing and each pixel of a patch, block of pixels after block, the sample of the patch that
    /// covers it. Those that follow one another lie far apart.
    private let samples: [Int32]
    /// The pixels of a patch.
    private let count: Int

    init(_ patches: Patches, component: Int) {
        blocks = patches.differences[component]
        let plan = patches.plan, share = patches.shares[component]
        samples = Facing.all.flatMap { facing in
            (0..<plan.blocks).flatMap { block in
                let inOrder = share.samples(x: block % plan.columns, y: block / plan.columns)
                return (0..<64).map { inOrder[facing.pixel($0 * 37 & 63)] }  // 37 is odd
            }
        }
        count = share.blocks * 64
    }

    @inline(__always)
    func value(_ patch: Int, _ pixel: Int) -> Float {
        let sample = patch &* count &+ Int(samples[pixel])
        // SAFETY: checked against the span's bounds; a block is 64 floats and nothing else.
        return unsafe blocks.span.bytes.unsafeLoadUnaligned(fromByteOffset: sample &* 4, as: Float.self)
    }
}
