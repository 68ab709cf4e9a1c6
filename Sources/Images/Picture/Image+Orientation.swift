extension Image {
    /// Turns stored pixels upright.
    ///
    /// - Parameter orientation: EXIF's, 1...8; anything else leaves the picture as it is.
    /// - Returns: the picture as the photographer saw it.
    /// - Source: CIPA DC-008-2019 4.6.4 A, tag 274: which corner of the scene the first stored pixel is.
    /// - Complexity: O(*w h*).
    func upright(orientation: Int) -> Image {
        guard (2...8).contains(orientation) else { return self }
        let swapsSides = orientation >= 5
        let (newWidth, newHeight) = swapsSides ? (height, width) : (width, height)
        // Where the stored pixel of the new picture's first pixel lies, and how far one step to the right and
        // one row down move, in stored pixels.
        let last = width - 1, bottom = (height - 1) * width
        let (start, right, down) =
            switch orientation {
            case 2: (last, -1, width)
            case 3: (bottom + last, -1, -width)
            case 4: (bottom, 1, -width)
            case 5: (0, width, 1)
            case 6: (bottom, -width, 1)
            case 7: (bottom + last, -width, -1)
            default: (last, width, -1)
            }
        var turned = [UInt8]()
        turned.reserveCapacity(rgba.count)
        for y in 0..<newHeight {
            var at = start + y * down
            for _ in 0..<newWidth {
                turned.append(rgba[at * 4])
                turned.append(rgba[at * 4 + 1])
                turned.append(rgba[at * 4 + 2])
                turned.append(rgba[at * 4 + 3])
                at += right
            }
        }
        return Image(checkedWidth: newWidth, height: newHeight, rgba: turned)
    }
}
