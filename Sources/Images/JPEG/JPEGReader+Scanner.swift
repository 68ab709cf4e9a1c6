extension JPEGReader {
    /// The picture at 1/8 by the DC scanner, with details; nil when 1/8 is not wanted or the scanner leaves
    /// the file to libjpeg.
    func scan(_ start: JPEGMarkers) -> StoredPixels? {
        var markers = start
        guard case .scan = markers.next(), let frame = markers.frame,
            frame.width * frame.height <= options.pixelLimit,
            shrink(width: frame.width, height: frame.height) == 8,
            let picture = DCPicture(start, scanLimit: options.scanLimit),
            let colors = picture.colors(hasJFIF: markers.hasJFIF, adobeTransform: markers.adobeTransform),
            let image = picture.image(colors)
        else { return nil }
        return StoredPixels(
            fullWidth: frame.width, fullHeight: frame.height, width: image.width, height: image.height,
            image: image.rgba, detail: picture.detail(colors, pixels: options.detailPixels),
            layout: colors == .gray ? .gray : .rgba)
    }
}
