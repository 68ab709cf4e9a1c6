/// What a decoder found, or why it refused, as it travels from a worker to the program: a record of numbers
/// and texts, then the bytes of pixels.
enum PictureRecord {
    /// Bytes of a record at most.
    static let limit = 4 << 20
    /// Notes at most.
    private static let notes = 1000
    /// Bytes of a note or a name at most.
    private static let noteLength = 4000
    /// Pixels along a side.
    private static let sides = 1...(1 << 31)

    /// The record of a picture or a refusal, and the pixels that follow it.
    static func encoded(_ result: Result<Picture, ImageError>) -> (record: [UInt8], pixels: [[UInt8]]) {
        var record = RecordWriter()
        switch result {
        case .failure(let error):
            record.add(1)
            add(error, to: &record)
            return (record.bytes, [])
        case .success(let picture):
            record.add(0)
            let pixels = add(picture, to: &record)
            return (record.bytes, pixels)
        }
    }

    /// A record that a worker wrote.
    enum Answer {
        case refused(ImageError)
        /// A picture whose pixels are still to be read: bytes of each part, in this order.
        case picture(Unfinished)
    }

    /// A picture without pixels.
    struct Unfinished {
        var width = 0, height = 0
        var imageWidth = 0, imageHeight = 0
        var sampleWidth: Int?
        var orientation = 1
        var resolution: SampleResolution?
        var metadata = PhotoMetadata()
        var notes: [String] = []
        /// Bytes of ``Picture/sample``, and of each of the two parts of ``Picture/wide``; nil: there is none.
        var sampleCount = 0
        var wideCount: Int?

        /// Bytes of the parts of pixels, one after the other.
        var counts: [Int] {
            [imageWidth * imageHeight * 4, sampleCount] + (wideCount.map { [$0, $0] } ?? [])
        }

        /// - Parameter pixels: as many parts as ``counts``, of these sizes.
        func picture(_ format: ImageFormat, _ pixels: [[UInt8]]) -> Picture {
            Picture(
                format: format, width: width, height: height,
                image: Image(checkedWidth: imageWidth, height: imageHeight, rgba: pixels[0]),
                sample: pixels[1], sampleWidth: sampleWidth, sampleResolution: resolution,
                orientation: orientation,
                wide: wideCount == nil ? nil : WideSample(srgb: pixels[2], displayP3: pixels[3]),
                metadata: metadata, notes: notes)
        }
    }

    /// Reads a record.
    ///
    /// - Parameter room: bytes of all pixels at most.
    /// - Returns: nil for what no decoder answers.
    static func answer(_ bytes: [UInt8], room: Int) -> Answer? {
        var record = RecordReader(bytes)
        guard let kind = record.number(0...1) else { return nil }
        if kind == 1 {
            guard let error = error(&record), record.isAtEnd else { return nil }
            return .refused(error)
        }
        guard let picture = picture(&record), record.isAtEnd else { return nil }
        let area = UntrustedNumber(picture.imageWidth) * UntrustedNumber(picture.imageHeight) * 4
        let wide = UntrustedNumber(picture.wideCount ?? 0) * 2
        guard (area + UntrustedNumber(picture.sampleCount) + wide).value(upTo: room) != nil else {
            return nil
        }
        return .picture(picture)
    }

    // MARK: - Pictures

    private static func add(_ picture: Picture, to record: inout RecordWriter) -> [[UInt8]] {
        record.add(picture.width)
        record.add(picture.height)
        record.add(picture.image.width)
        record.add(picture.image.height)
        record.add(picture.sample.count)
        record.add(picture.wide?.srgb.count)
        record.add(picture.sampleWidth)
        record.add(picture.orientation)
        let resolution = picture.sampleResolution
        for number in [resolution?.light.x, resolution?.light.y, resolution?.color.x, resolution?.color.y] {
            record.add(number.map(Double.init))
        }
        add(picture.metadata, to: &record)
        record.add(min(picture.notes.count, notes))
        for note in picture.notes.prefix(notes) { record.add(line(note)) }
        var pixels = [picture.image.rgba, picture.sample]
        if let wide = picture.wide { pixels += [wide.srgb, wide.displayP3] }
        return pixels
    }

    private static func picture(_ record: inout RecordReader) -> Unfinished? {
        var picture = Unfinished()
        guard let width = record.number(sides), let height = record.number(sides),
            let imageWidth = record.number(1...width), let imageHeight = record.number(1...height),
            let sampleCount = record.number(0...(1 << 30)), sampleCount % 4 == 0,
            let wideCount = record.optional(0...(1 << 30)), (wideCount ?? 0) % 4 == 0,
            let sampleWidth = record.optional(1...max(width, height)),
            let orientation = record.number(1...8)
        else { return nil }
        if let sampleWidth, sampleCount == 0 || sampleCount % (sampleWidth * 4) != 0 { return nil }
        (picture.width, picture.height) = (width, height)
        (picture.imageWidth, picture.imageHeight) = (imageWidth, imageHeight)
        (picture.sampleCount, picture.wideCount) = (sampleCount, wideCount)
        (picture.sampleWidth, picture.orientation) = (sampleWidth, orientation)
        var sizes: [Float] = []
        for _ in 0..<4 {
            guard let size = record.optional(0.001...1_000_000) else { return nil }
            if let size { sizes.append(Float(size)) }
        }
        if sizes.count == 4 {
            picture.resolution = SampleResolution(
                light: SIMD2(sizes[0], sizes[1]), color: SIMD2(sizes[2], sizes[3]))
        } else if !sizes.isEmpty {
            return nil
        }
        guard let metadata = metadata(&record), let count = record.number(0...notes) else { return nil }
        picture.metadata = metadata
        for _ in 0..<count {
            guard let note = record.text(noteLength) else { return nil }
            picture.notes.append(note)
        }
        return picture
    }

    private static func add(_ metadata: PhotoMetadata, to record: inout RecordWriter) {
        let date = metadata.captured
        record.add(date.map { Int($0.source.rawValue) })
        for number in [date?.year, date?.month, date?.day, date?.hour, date?.minute, date?.second] {
            record.add(number)
        }
        record.add(date?.nanosecond)
        record.add(date?.offsetMinutes)
        record.add(metadata.latitude)
        record.add(metadata.longitude)
        record.add(metadata.statedOrientation)
        record.add(metadata.rating)
        record.add(metadata.isAdobeRGB ? 1 : 0)
        record.add(metadata.camera == nil ? 0 : 1)
        record.add(line(metadata.camera ?? ""))
    }

    private static func metadata(_ record: inout RecordReader) -> PhotoMetadata? {
        var metadata = PhotoMetadata()
        guard let source = record.optional(0...Int(Int16.max)), let year = record.optional(1826...2200),
            let month = record.optional(1...12), let day = record.optional(1...31),
            let hour = record.optional(0...23), let minute = record.optional(0...59),
            let second = record.optional(0...59), let nanosecond = record.optional(0...999_999_999),
            let offset = record.optional(-14 * 60...14 * 60),
            let latitude = record.optional(-90.0...90), let longitude = record.optional(-180.0...180),
            (latitude == nil) == (longitude == nil),
            let orientation = record.optional(1...8), let rating = record.optional(-1...5),
            let isAdobeRGB = record.number(0...1),
            let hasCamera = record.number(0...1), let camera = record.text(noteLength)
        else { return nil }
        if let source {
            guard let source = CaptureDate.Source(rawValue: Int16(source)), let year, let month, let day,
                let hour, let minute, let second, let nanosecond
            else { return nil }
            metadata.captured = CaptureDate(
                year: year, month: month, day: day, hour: hour, minute: minute, second: second,
                nanosecond: nanosecond, offsetMinutes: offset, source: source)
            guard metadata.captured?.isPlausible == true else { return nil }
        }
        (metadata.latitude, metadata.longitude) = (latitude, longitude)
        (metadata.statedOrientation, metadata.rating) = (orientation, rating)
        metadata.isAdobeRGB = isAdobeRGB == 1
        metadata.camera = hasCamera == 1 ? camera : nil
        return metadata
    }

    // MARK: - Refusals

    private static func add(_ error: ImageError, to record: inout RecordWriter) {
        func add(_ kind: Int, _ numbers: [Int], _ text: String) {
            record.add(kind)
            for index in 0..<3 { record.add(index < numbers.count ? numbers[index] : 0) }
            record.add(line(text))
        }
        switch error {
        case .unknownFormat: add(0, [], "")
        case .notBuiltIn(let format): add(1, [], format.rawValue)
        case .tooLarge(let width, let height, let limit): add(2, [width, height, limit], "")
        case .pastLimit(let what): add(3, [], what)
        case .truncated(let rows, let height, let scan): add(4, [rows, height, scan], "")
        case .corrupt(let message): add(5, [], message)
        case .unsupported(let message): add(6, [], message)
        case .decoderFailed(let message): add(7, [], message)
        }
    }

    private static func error(_ record: inout RecordReader) -> ImageError? {
        let any = 0...Int.max
        guard let kind = record.number(0...7), let first = record.number(any),
            let second = record.number(any), let third = record.number(any),
            let text = record.text(noteLength)
        else { return nil }
        switch kind {
        case 0: return .unknownFormat
        case 1: return ImageFormat(rawValue: text).map { .notBuiltIn($0) }
        case 2: return .tooLarge(width: first, height: second, limit: third)
        case 3: return .pastLimit(text)
        case 4: return .truncated(rows: first, height: second, scan: third)
        case 5: return .corrupt(text)
        case 6: return .unsupported(text)
        default: return .decoderFailed(text)
        }
    }

    /// A text as a record takes it.
    private static func line(_ text: String) -> String {
        var line = ""
        var count = 0
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 32 || scalar.value == 127
            count += UTF8.width(scalar)
            if count > noteLength { break }
            line.unicodeScalars.append(isControl ? " " : scalar)
        }
        return line
    }
}
