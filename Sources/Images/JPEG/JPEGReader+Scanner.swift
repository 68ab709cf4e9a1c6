extension JPEGReader {
    /// The picture at 1/8 or 1/4 by the DC scanner, with a sample of its pixels; nil when more is wanted or
    /// the scanner leaves the file to libjpeg.
    func scan() -> StoredPixels? {
        let start = JPEGMarkers(bytes)
        var markers = start
        guard case .scan = markers.next(), let frame = markers.frame,
            frame.width * frame.height <= options.pixelLimit,
            case let shrink = shrink(width: frame.width, height: frame.height), shrink >= 4,
            let picture = DCPicture(
                start, scanLimit: options.scanLimit,
                sample: options.samplePixels > 0 && options.meansSide == 0 ? JPEGReader.decodedPixels : 0,
                quarter: shrink == 4),
            let colors = picture.colors(hasJFIF: markers.hasJFIF, adobeTransform: markers.adobeTransform),
            let image = shrink == 4 ? picture.quarterImage(colors) : picture.image(colors)
        else { return nil }
        if options.meansSide > 0 {
            guard let means = picture.means(colors, longSide: options.meansSide) else { return nil }
            return StoredPixels(
                fullWidth: frame.width, fullHeight: frame.height, width: image.width, height: image.height,
                image: image.rgba, sample: means.rgba, sampleWidth: means.width,
                sampleResolution: means.resolution,
                layout: colors == .gray ? .gray : .rgba)
        }
        let sample = picture.patches().map {
            PhotoSample($0, of: picture).pixels(colors, wanted: min(options.samplePixels, Self.lentPixels))
        }
        return StoredPixels(
            fullWidth: frame.width, fullHeight: frame.height, width: image.width, height: image.height,
            image: image.rgba, sample: sample ?? [], layout: colors == .gray ? .gray : .rgba)
    }

    /// Pixels decoded in full for a sample, about: more change palettes little
    /// (docs/measurements/PALETTES.md).
    static let decodedPixels = 200_000
    /// Pixels made of them, about.
    static let lentPixels = 65_536
}
