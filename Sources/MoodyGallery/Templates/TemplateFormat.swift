package import Palettes

/// A format of texts made of palettes: a Mustache template, shipped or the user's.
package struct TemplateFormat: Sendable {
    /// What texts begin with of which moody knows that it made them: `{{moody}}`.
    package static let marker = "made by moody from"
    /// Bytes.
    package static let largest = 1 << 20
    /// Bytes that a user's template may write.
    private static let largestOutput = 256 << 20

    /// As messages name it: a name, or a file.
    package let name: String
    /// Whether the template goes through photos; one that does not is a theme of one photo.
    package let isOfMany: Bool
    private let escape: TemplateEscape
    private let nodes: [TemplateNode]
    private let costs: [TemplateScan.Repeats: Int]
    private let isShipped: Bool

    /// Reads a template and looks up all of its names.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8, one megabyte at most.
    ///   - name: as messages have it.
    ///   - ending: of the texts to be written, without its dot: it decides how names of photos are escaped.
    package init(
        _ bytes: some Collection<UInt8>, name: String, ending: String, isShipped: Bool = false
    ) throws(TemplateError) {
        if bytes.count > Self.largest { throw TemplateError("\(name): larger than 1 MB: no template") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw TemplateError("\(name): is not UTF-8")
        }
        self.name = name
        self.isShipped = isShipped
        escape = TemplateEscape(ending: ending)
        let scan = try TemplateScan(text, file: name, sample: Self.sample)
        isOfMany = scan.isOfMany
        costs = scan.costs
        nodes = scan.nodes
    }

    /// - Parameter photos: one, unless the template is of many.
    package func text(
        _ photos: [TemplatePhoto], _ variant: Theme.Variant
    ) throws(TemplateError) -> String {
        if !isShipped {
            let colors = Double(photos.map(\.palette.entries.count).max() ?? 0)
            var sum = 0.0
            for (repeats, bytes) in costs {
                var product = Double(bytes)
                for _ in 0..<repeats.colors { product *= colors }
                for _ in 0..<repeats.photos { product *= Double(photos.count) }
                sum += product
            }
            if sum > Double(Self.largestOutput) {
                throw tooLong
            }
        }
        var writer = TemplateWriter(
            RootScope(photos, variant, escape), limit: isShipped ? .max : Self.largestOutput)
        do throws(TemplateWriter.TooLong) { try writer.write(nodes) } catch { throw tooLong }
        return writer.text
    }

    private var tooLong: TemplateError { TemplateError("\(name): would write more than 256 MB") }

    /// Everything that can be known of a photo.
    private static var sample: RootScope {
        let wide = DisplayP3(red: 255, green: 0, blue: 0)
        var photo = TemplatePhoto(
            name: "photo.jpg",
            palette: Palette(entries: [Palette.Entry(color: .black, share: 1, displayP3: wide)]))
        photo.path = "photo.jpg"
        return RootScope([photo], .dark, .plain)
    }
}
