import Palettes

/// Reads a template: Mustache without partials and lambdas.
///
/// Every name is looked up in a sample, so that a misspelled one is found whatever the photos.
///
/// - Complexity: O(bytes).
/// - Source: the Mustache specification, 1.4.2.
struct TemplateScan {
    static let deepest = 32

    var nodes: [TemplateNode] { levels[0] }
    /// Whether the template goes through photos; one that does not is a theme of one photo.
    private(set) var isOfMany = false
    /// Bytes that are written so many times: as many as colors, photos.
    private(set) var costs: [Repeats: Int] = [:]

    struct Repeats: Hashable {
        var colors = 0, photos = 0
    }

    private typealias Delimiters = (open: [Unicode.Scalar], close: [Unicode.Scalar])

    private struct Section {
        let name: String
        let isInverted: Bool
        let place: Place
        let scopes: Int
        let repeats: Repeats
        let delimiters: Delimiters
    }

    struct Place {
        var line = 1, column = 1
    }

    private enum Tag {
        case comment
        case delimiters(Delimiters)
        case open(String, isInverted: Bool)
        case close(String)
        case value(String, isRaw: Bool)

        /// Whether a line with nothing but the tag leaves no line.
        var standsAlone: Bool { if case .value = self { false } else { true } }
    }

    private let file: String
    private let scalars: [Unicode.Scalar]
    private var at = 0
    private var place = Place()
    /// Whether the line has only spaces and tabs so far.
    private var isBlank = true
    private var delimiters: Delimiters = (Array("{{".unicodeScalars), Array("}}".unicodeScalars))
    private var sections: [Section] = []
    /// The nodes outside of sections, then those of each open section so far.
    private var levels: [[TemplateNode]] = [[]]
    private var scopes: TemplateScopes
    private var repeats = Repeats()

    /// - Parameters:
    ///   - file: as messages name it.
    ///   - sample: a photo of which everything is known, with a color.
    init(_ template: String, file: String, sample: RootScope) throws(TemplateError) {
        self.file = file
        scalars = Array(template.unicodeScalars)
        scopes = TemplateScopes(sample)
        while try next() {}
        if let section = sections.last {
            throw error("section \(section.name) is not closed", at: section.place, withColumn: true)
        }
    }

    /// The text to the next tag, and the tag.
    private mutating func next() throws(TemplateError) -> Bool {
        let start = at
        while at < scalars.count, !isHere(delimiters.open) { step() }
        var text = scalars[start..<at]
        if at == scalars.count {
            write(text)
            return false
        }
        let line = text.lastIndex(of: "\n").map { $0 + 1 }
        isBlank = (isBlank || line != nil) && text[(line ?? start)...].allSatisfy(Self.isBlank)
        let begin = at
        let beginPlace = place
        let tag = try tag()
        if isBlank, tag.standsAlone, let end = endOfBlankLine() {
            text = text[..<(line ?? start)]
            costs[repeats, default: 0] += end - at
            step(end - at)
        } else {
            isBlank = false
        }
        write(text)
        costs[repeats, default: 0] += at - begin + 64
        try take(tag, beginPlace)
        return true
    }

    /// The end of the line, or of the text, if there are only spaces and tabs up to it.
    private func endOfBlankLine() -> Int? {
        var end = at
        while end < scalars.count, Self.isBlank(scalars[end]) { end += 1 }
        if end == scalars.count { return end }
        if scalars[end] == "\n" { return end + 1 }
        return scalars[end...].starts(with: "\r\n".unicodeScalars) ? end + 2 : nil
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

    private mutating func tag() throws(TemplateError) -> Tag {
        let begin = at
        let tag = place
        step(delimiters.open.count)
        guard at < scalars.count else { throw unclosed(begin, tag) }
        let kind = scalars[at]
        switch kind {
        case "!":
            while !isHere(delimiters.close) {
                guard at < scalars.count else { throw unclosed(begin, tag) }
                step()
            }
            step(delimiters.close.count)
            return .comment
        case "=": return .delimiters(try newDelimiters(begin, tag))
        case ">", "<", "$":
            let word = Self.text(scalars[begin...].prefix { !Self.isNewline($0) }.prefix(40))
            throw error("\(word): a template includes no other file", at: tag)
        case "#", "^", "/":
            step()
            let name = try name(begin, tag)
            return kind == "/" ? .close(name) : .open(name, isInverted: kind == "^")
        case "{", "&":
            step()
            return .value(try name(begin, tag, inBraces: kind == "{"), isRaw: true)
        default: return .value(try name(begin, tag), isRaw: false)
        }
    }

    private mutating func take(_ tag: Tag, _ place: Place) throws(TemplateError) {
        switch tag {
        case .comment: break
        case .delimiters(let new): delimiters = new
        case .open(let name, let isInverted): try openSection(name, place, isInverted: isInverted)
        case .close(let name): try closeSection(name, place)
        case .value(let name, let isRaw):
            try checkText(name, place)
            add(.value(TemplateName(name, isRaw: isRaw)))
        }
    }

    private mutating func add(_ node: TemplateNode) { levels[levels.count - 1].append(node) }

    private mutating func write(_ text: ArraySlice<Unicode.Scalar>) {
        if text.isEmpty { return }
        let text = Self.text(text)
        add(.text(text))
        costs[repeats, default: 0] += text.utf8.count
    }

    private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    // MARK: Sections

    private mutating func openSection(
        _ name: String, _ tag: Place, isInverted: Bool
    ) throws(TemplateError) {
        if sections.count == Self.deepest {
            throw TemplateError("\(file): sections are nested deeper than \(Self.deepest)")
        }
        sections.append(
            Section(
                name: name, isInverted: isInverted, place: tag, scopes: scopes.count, repeats: repeats,
                delimiters: delimiters))
        levels.append([])
        guard !name.hasSuffix("()") else { return try checkFunction(name, tag) }
        let value = try value(name, tag)
        if isInverted || value is Bool { return }
        if let photos = value as? [PhotoScope] {
            repeats.photos += 1
            scopes.push(photos[0], TemplateScopes.Item(index: 0, count: 1))
        } else if let swatches = value as? [SwatchScope] {
            repeats.colors += 1
            scopes.push(swatches[0], TemplateScopes.Item(index: 0, count: 1))
        } else {
            scopes.push(value, nil)
        }
    }

    private mutating func closeSection(_ name: String, _ tag: Place) throws(TemplateError) {
        guard let section = sections.popLast() else { throw error("\(name) closes no section", at: tag) }
        guard section.name == name else {
            throw error("\(name) closes the section \(section.name)", at: tag)
        }
        scopes.pop(to: section.scopes)
        repeats = section.repeats
        // What was set in a section ends with it.
        delimiters = section.delimiters
        let inside = levels.removeLast()
        add(.section(TemplateName(name), isInverted: section.isInverted, inside))
    }

    // MARK: Names

    private mutating func checkText(_ name: String, _ tag: Place) throws(TemplateError) {
        if name.hasSuffix("()") { return try checkFunction(name, tag) }
        let value = try value(name, tag)
        if value is [PhotoScope] || value is [SwatchScope] {
            throw error("\(name) is a list: {{#\(name)}} ... {{/\(name)}}", at: tag)
        }
        if !(value is any TemplateValue || value is Bool) {
            throw error("\(name) has no text of its own", at: tag)
        }
    }

    private func checkFunction(_ name: String, _ tag: Place) throws(TemplateError) {
        if !TemplateScopes.Item.functions.contains(name) { throw unknown(name, tag) }
        if scopes.item == nil { throw error("\(name) is for items of a list", at: tag) }
    }

    private mutating func value(_ name: String, _ tag: Place) throws(TemplateError) -> Any {
        if name == "photos" { isOfMany = true }
        if name == ".", scopes.count == 1 { throw unknown(name, tag) }
        guard let value = scopes.value(of: TemplateName(name)) else { throw unknown(name, tag) }
        return value
    }

    private func unknown(_ name: String, _ tag: Place) -> TemplateError {
        let last = String(name.split(separator: ".").last ?? "")
        let near = ColorWords.nearest(
            to: last, in: RootScope.names + PhotoScope.names + SwatchScope.names)
        let hint = near.map { $0 == last ? " here" : " (\($0)?)" } ?? ""
        return error("no value is called \(name)\(hint)", at: tag)
    }

    // MARK: Scalars

    /// A name with spaces around it, and what closes the tag.
    private mutating func name(
        _ begin: Int, _ tag: Place, inBraces: Bool = false
    ) throws(TemplateError) -> String {
        skipSpaces()
        let start = at
        while at < scalars.count, Self.isName(scalars[at]), !isHere(delimiters.close) { step() }
        let name = Self.text(scalars[start..<at])
        skipSpaces()
        if inBraces {
            guard at < scalars.count, scalars[at] == "}" else { throw unclosed(begin, tag) }
            step()
        }
        guard isHere(delimiters.close) else { throw unclosed(begin, tag) }
        step(delimiters.close.count)
        if name.isEmpty { throw error("a tag names nothing", at: tag) }
        return name
    }

    private static func isName(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            || ".-_()".unicodeScalars.contains(scalar)
    }

    private static func isNewline(_ scalar: Unicode.Scalar) -> Bool { Character(scalar).isNewline }

    private mutating func newDelimiters(_ begin: Int, _ tag: Place) throws(TemplateError) -> Delimiters {
        step()
        let open = word()
        let close = word()
        skipSpaces()
        guard at < scalars.count, scalars[at] == "=" else { throw unclosed(begin, tag) }
        step()
        guard isHere(delimiters.close) else { throw unclosed(begin, tag) }
        step(delimiters.close.count)
        if !(2...16).contains(open.count) || !(2...16).contains(close.count) {
            throw error("delimiters have two characters, and 16 at most", at: tag)
        }
        return (open, close)
    }

    private mutating func word() -> [Unicode.Scalar] {
        skipSpaces()
        let start = at
        while at < scalars.count, scalars[at] != "=", !scalars[at].properties.isWhitespace { step() }
        return Array(scalars[start..<at])
    }

    private mutating func skipSpaces() {
        while at < scalars.count, scalars[at].properties.isWhitespace { step() }
    }

    private func isHere(_ text: [Unicode.Scalar]) -> Bool { scalars[at...].starts(with: text) }

    private mutating func step(_ count: Int = 1) {
        for scalar in scalars[at..<at + count] {
            if scalar == "\n" { place = Place(line: place.line + 1) } else { place.column += 1 }
        }
        at += count
    }

    private func unclosed(_ begin: Int, _ tag: Place) -> TemplateError {
        let word = Self.text(scalars[begin...].prefix { !Self.isNewline($0) }.prefix(30))
        return error(
            "\(word): a tag is one name between \(Self.text(delimiters.open)) and "
                + Self.text(delimiters.close), at: tag)
    }

    private func error(_ text: String, at place: Place, withColumn: Bool = false) -> TemplateError {
        TemplateError("\(file):\(place.line):\(withColumn ? "\(place.column):" : "") \(text)")
    }
}
