import Images

/// The name that an uploaded photo gets in the uploads folder: one component, from what a browser said.
struct UploadName: Equatable {
    /// Bytes. Room for " (10000)" and the end that the content asks for is left to 255.
    static let longest = 200

    let text: String

    /// Leaves out of a name what cannot be seen, but for joiners inside, and of a long one its middle.
    ///
    /// - Throws: ``Refusal`` 400 for a name that is a path, begins with a dot, or has nothing to be seen.
    init(_ name: String?) throws(Refusal) {
        guard let name, !name.isEmpty else { throw Refusal(400, "name the photo: ?name=photo.jpg") }
        if name.first == "." { throw Refusal(400, "the name begins with a dot") }
        var kept = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            if scalar == "/" || scalar == "\0" { throw Refusal(400, "the name is no name of a file") }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate, .format:
                // By these emoji and Persian words are joined, and flags of regions spelled.
                if Self.joiners.contains(scalar.value) || Self.tags.contains(scalar.value) {
                    kept.append(scalar)
                }
            default: kept.append(scalar)
            }
        }
        let clean = Self.shortened(String(kept))
        if clean.first == "." { throw Refusal(400, "the name begins with a dot") }
        let stem = clean.lastIndex(of: ".").map { clean[..<$0] } ?? clean[...]
        // Nothing but joiners cannot be seen.
        if stem.unicodeScalars.allSatisfy({ $0.properties.generalCategory == .format }) {
            throw Refusal(400, "the name has nothing that can be seen")
        }
        text = clean
    }

    private static let joiners: ClosedRange<UInt32> = 0x200C...0x200D
    private static let tags: ClosedRange<UInt32> = 0xE0020...0xE007F

    /// Cuts a long name before its end (`.jpg`), between characters.
    private static func shortened(_ name: String) -> String {
        if name.utf8.count <= longest { return name }
        let dot = name.lastIndex(of: ".")
        let end = dot.map { name[$0...] }.flatMap { $0.utf8.count <= 16 ? $0 : nil } ?? ""
        var stem = name.dropLast(end.count)
        while stem.utf8.count + end.utf8.count > longest, !stem.isEmpty { stem.removeLast() }
        return (stem.isEmpty ? "photo" : String(stem)) + end
    }

    /// The name with an end that says what the file is: the content decides, never the name.
    ///
    /// - Parameter copy: 1 for the name itself, 2 for `IMG (2).jpg`.
    func name(of format: ImageFormat, copy: Int) -> String {
        let dot = text.lastIndex(of: ".")
        let end = dot.map { text[text.index(after: $0)...].lowercased() } ?? ""
        let isKnown = format.fileNameExtensions.contains(end)
        let stem = isKnown ? text[..<(dot ?? text.endIndex)] : text[...]
        let suffix = isKnown ? text[(dot ?? text.endIndex)...] : "." + format.fileNameExtensions[0]
        return copy == 1 ? "\(stem)\(suffix)" : "\(stem) (\(copy))\(suffix)"
    }
}
