import Images

/// The name that an uploaded photo gets in the uploads folder: one component, from what a browser said.
struct UploadName: Equatable {
    /// Bytes.
    static let longest = 200

    let text: String

    /// - Throws: ``Refusal`` 400.
    init(_ name: String?) throws(Refusal) {
        guard let name, !name.isEmpty else { throw Refusal(400, "name the photo: ?name=photo.jpg") }
        guard name.utf8.count <= Self.longest else {
            throw Refusal(400, "the name is longer than \(Self.longest) bytes")
        }
        if name.first == "." { throw Refusal(400, "the name begins with a dot") }
        for scalar in name.unicodeScalars {
            if scalar == "/" || scalar == "\0" { throw Refusal(400, "the name is no name of a file") }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
                // An emoji may be joined of several.
                if scalar.value == 0x200D { continue }
                throw Refusal(400, "the name has characters that cannot be seen")
            default: break
            }
        }
        text = name
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
