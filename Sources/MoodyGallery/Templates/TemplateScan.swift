internal import Mustache
import Palettes

/// A look through a template before swift-mustache has it: the library answers an unknown name with nothing,
/// reads other templates, and ends the process when sections are nested by the thousand.
///
/// Every name is looked up in a sample, so that a misspelled one is found whatever the photos; `{{{name}}}`
/// is written as a name that the scopes know: ``text``.
struct TemplateScan {
    static let deepest = 32

    /// The template as the library gets it.
    private(set) var text = ""
    /// Whether the template goes through photos; one that does not is a theme of one photo.
    private(set) var isOfMany = false
    /// Bytes that are written so many times: as many as colors, photos.
    private(set) var costs: [Repeats: Int] = [:]

    struct Repeats: Hashable {
        var colors = 0, photos = 0
    }

    private struct Section {
        let name: String
        let place: Place
        let scopes: Int
        let repeats: Repeats
        let delimiters: (open: [Character], close: [Character])
    }

    struct Place {
        var line = 1, column = 1
    }

    private struct Scope {
        let value: Any
        /// Of a list: first(), last(), and index() are known.
        let isItem: Bool
    }

    private let file: String
    private let characters: [Character]
    private var at = 0
    private var place = Place()
    private var delimiters = (open: Array("{{"), close: Array("}}"))
    private var sections: [Section] = []
    private var scopes: [Scope]
    private var repeats = Repeats()

    /// - Parameters:
    ///   - file: as messages name it.
    ///   - sample: a photo of which everything is known, with a color.
    init(_ template: String, file: String, sample: RootScope) throws(TemplateError) {
        self.file = file
        characters = Array(template)
        scopes = [Scope(value: sample, isItem: false)]
        while try next() {}
        if let section = sections.last {
            throw error("section \(section.name) is not closed", at: section.place, withColumn: true)
        }
    }

    /// The text to the next tag, and the tag.
    private mutating func next() throws(TemplateError) -> Bool {
        let start = at
        while at < characters.count, !isHere(delimiters.open) { step() }
        write(String(characters[start..<at]))
        if at == characters.count { return false }
        let begin = at
        let tag = place
        step(delimiters.open.count)
        guard at < characters.count else { throw unclosed(begin, tag) }
        let kind = characters[at]
        switch kind {
        case "!":
            while !isHere(delimiters.close) {
                guard at < characters.count else { throw unclosed(begin, tag) }
                step()
            }
            step(delimiters.close.count)
        case "=":
            text += String(characters[begin..<at])
            try setDelimiters(begin, tag)
            return true
        case ">", "<", "$":
            let word = String(characters[begin...].prefix { !$0.isNewline }.prefix(40))
            throw error("\(word): a template includes no other file", at: tag)
        case "#", "^", "/":
            step()
            let name = try name(begin, tag)
            if kind == "/" {
                try closeSection(name, tag)
            } else {
                try openSection(name, tag, isInverted: kind == "^")
            }
        case "{", "&":
            step()
            let name = try name(begin, tag)
            if kind == "{" {
                guard at < characters.count, characters[at] == "}" else { throw unclosed(begin, tag) }
                step()
            }
            try checkText(name, tag)
            let dot = name == "." ? nil : name.lastIndex(of: ".").map { name.index(after: $0) }
            let (path, last) = (name[..<(dot ?? name.startIndex)], name[(dot ?? name.startIndex)...])
            let raw = name == "." || name.hasSuffix("()") ? name : path + "*" + last
            write(String(delimiters.open) + "&" + raw + String(delimiters.close))
            return true
        default: try checkText(try name(begin, tag), tag)
        }
        write(String(characters[begin..<at]))
        return true
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
                name: name, place: tag, scopes: scopes.count, repeats: repeats, delimiters: delimiters))
        guard !name.hasSuffix("()") else { return try checkFunction(name, tag) }
        let value = try value(name, tag)
        if isInverted || value is Bool { return }
        if let photos = value as? [PhotoScope] {
            repeats.photos += 1
            scopes.append(Scope(value: photos[0], isItem: true))
        } else if let swatches = value as? [SwatchScope] {
            repeats.colors += 1
            scopes.append(Scope(value: swatches[0], isItem: true))
        } else {
            scopes.append(Scope(value: value, isItem: false))
        }
    }

    private mutating func closeSection(_ name: String, _ tag: Place) throws(TemplateError) {
        guard let section = sections.popLast() else { throw error("\(name) closes no section", at: tag) }
        guard section.name == name else {
            throw error("\(name) closes the section \(section.name)", at: tag)
        }
        scopes.removeLast(scopes.count - section.scopes)
        repeats = section.repeats
        // The library, too, forgets at a section's end what was set in it.
        delimiters = section.delimiters
    }

    // MARK: Names

    private mutating func checkText(_ name: String, _ tag: Place) throws(TemplateError) {
        if name.hasSuffix("()") { return try checkFunction(name, tag) }
        let value = try value(name, tag)
        if value is [PhotoScope] || value is [SwatchScope] {
            throw error("\(name) is a list: {{#\(name)}} ... {{/\(name)}}", at: tag)
        }
        if !(value is any MustacheCustomRenderable || value is Bool) {
            throw error("\(name) has no text of its own", at: tag)
        }
    }

    private func checkFunction(_ name: String, _ tag: Place) throws(TemplateError) {
        let functions = ["first()", "last()", "index()", "even()", "odd()"]
        if !functions.contains(name) { throw unknown(name, tag) }
        if scopes.last?.isItem != true { throw error("\(name) is for items of a list", at: tag) }
    }

    /// The value of a name, from the innermost scope to the outermost one, as the library looks for it.
    private mutating func value(_ name: String, _ tag: Place) throws(TemplateError) -> Any {
        if name == "photos" { isOfMany = true }
        guard let value = lookUp(name) else { throw unknown(name, tag) }
        return value
    }

    private func lookUp(_ name: String) -> Any? {
        if name == "." { return scopes.count > 1 ? scopes.last?.value : nil }
        let isOwn = name.first == "."
        let parts = name.dropFirst(isOwn ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
        for scope in isOwn ? scopes.suffix(1).reversed() : scopes.reversed() {
            guard var value = Self.child(parts[0], of: scope.value) else { continue }
            for part in parts.dropFirst() {
                guard let next = Self.child(part, of: value) else { return nil }
                value = next
            }
            return value
        }
        return nil
    }

    private static func child(_ name: Substring, of value: Any) -> Any? {
        (value as? any MustacheParent)?.child(named: String(name))
    }

    private func unknown(_ name: String, _ tag: Place) -> TemplateError {
        let last = String(name.split(separator: ".").last ?? "")
        let near = ColorWords.nearest(
            to: last, in: RootScope.names + PhotoScope.names + SwatchScope.names)
        let hint = near.map { $0 == last ? " here" : " (\($0)?)" } ?? ""
        return error("no value is called \(name)\(hint)", at: tag)
    }

    // MARK: Characters

    /// A name with spaces around it, and what closes the tag.
    private mutating func name(_ begin: Int, _ tag: Place) throws(TemplateError) -> String {
        while at < characters.count, characters[at].isWhitespace { step() }
        let start = at
        while at < characters.count, Self.isName(characters[at]), !isHere(delimiters.close) { step() }
        let name = String(characters[start..<at])
        while at < characters.count, characters[at].isWhitespace { step() }
        guard isHere(delimiters.close) else { throw unclosed(begin, tag) }
        step(delimiters.close.count)
        if name.isEmpty { throw error("a tag names nothing", at: tag) }
        return name
    }

    private static func isName(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || ".-_()".contains(character))
    }

    private mutating func setDelimiters(_ begin: Int, _ tag: Place) throws(TemplateError) {
        let start = at
        step()
        let open = word()
        let close = word()
        while at < characters.count, characters[at].isWhitespace { step() }
        guard at < characters.count, characters[at] == "=" else { throw unclosed(begin, tag) }
        step()
        guard isHere(delimiters.close) else { throw unclosed(begin, tag) }
        step(delimiters.close.count)
        // The library goes back two characters at the end of a section.
        if open.count < 2 || close.count < 2 { throw error("delimiters have two characters", at: tag) }
        text += String(characters[start..<at])
        delimiters = (open, close)
    }

    private mutating func word() -> [Character] {
        while at < characters.count, characters[at].isWhitespace { step() }
        let start = at
        while at < characters.count, characters[at] != "=", !characters[at].isWhitespace { step() }
        return Array(characters[start..<at])
    }

    private func isHere(_ text: [Character]) -> Bool { characters[at...].starts(with: text) }

    private mutating func step(_ count: Int = 1) {
        for character in characters[at..<at + count] {
            if character == "\n" || character == "\r\n" {
                place = Place(line: place.line + 1)
            } else {
                place.column += 1
            }
        }
        at += count
    }

    private mutating func write(_ part: String) {
        text += part
        // What stands for a name is as long as most paths.
        costs[repeats, default: 0] += part.utf8.count + 64
    }

    private func unclosed(_ begin: Int, _ tag: Place) -> TemplateError {
        let word = String(characters[begin...].prefix { !$0.isNewline }.prefix(30))
        return error(
            "\(word): a tag is one name between \(String(delimiters.open)) and \(String(delimiters.close))",
            at: tag)
    }

    private func error(_ text: String, at place: Place, withColumn: Bool = false) -> TemplateError {
        TemplateError("\(file):\(place.line):\(withColumn ? "\(place.column):" : "") \(text)")
    }
}
