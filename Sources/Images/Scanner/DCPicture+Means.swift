extension DCPicture {
    /// The means of all blocks of 8 x 8 pixels, row by row, R G B 255 each; a block of colour with less
    /// resolution lends its mean to all blocks of pixels that it covers.
    ///
    /// ``image(_:)`` has the same means of the first component and interpolates the others, which looks
    /// better and takes 5 to 10 % of the colours' variance away: what is counted has to be the same at every
    /// resolution.
    ///
    /// Nil when a component's blocks do not evenly divide the largest's.
    ///
    /// - Complexity: O(blocks).
    func means(_ colors: Colors) -> (width: Int, rgba: [UInt8])? {
        guard isEvenlyDivided else { return nil }
        let width = (frame.width + 7) / 8, height = (frame.height + 7) / 8
        var rgba = [UInt8](repeating: 255, count: width * height * 4)
        var rows = planes.map { _ in [Float](repeating: 0, count: width) }
        var output = rgba.mutableSpan
        for y in 0..<height {
            for index in rows.indices { read(row: y, component: index, into: &rows[index]) }
            // Of a grey picture all three are the same.
            let (second, third) = rows.count == 3 ? (rows[1], rows[2]) : (rows[0], rows[0])
            DCPicture.write((rows[0], second, third), 0..<width, colors, to: &output, at: y * width * 4)
        }
        return (width, rgba)
    }

    /// Reads a row of blocks of pixels; the one above stays where it has the same means.
    private func read(row y: Int, component index: Int, into values: inout [Float]) {
        let isAlone = frame.components.count == 1, component = frame.components[index], plane = planes[index]
        let wide = isAlone ? 1 : frame.maxHorizontal / component.horizontal
        let tall = isAlone ? 1 : frame.maxVertical / component.vertical
        if y % tall != 0 { return }
        let scale = Float(steps[index][0]) / 8, start = y / tall * plane.columns
        let line = plane.values.span.extracting(start..<start + plane.columns)
        var output = values.mutableSpan
        if wide == 1 {
            for x in output.indices { output[x] = Float(line[x]) * scale }
            return
        }
        for x in output.indices { output[x] = Float(line[wide == 2 ? x &>> 1 : x / wide]) * scale }
    }
}
