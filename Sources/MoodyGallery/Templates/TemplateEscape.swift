import Palettes
import Texts

/// How the text of strangers (names of photos, paths, cameras) is written so that it stays text: a photo may
/// be called `$(rm -rf ~).jpg`.
///
/// Chosen by the ending of the output. Text is always in one line.
package enum TemplateEscape: Sendable, Equatable {
    /// For inside JSON's quotation marks.
    case json
    /// For text, attributes, and comments.
    case xml
    /// For comments, and for inside quotation marks of either kind.
    case css
    /// For inside double quotation marks: YAML, TOML.
    case doubleQuoted
    /// For inside single quotation marks.
    case shell, fish
    case lua, javaScript
    /// For a line of GIMP's, which has at most 1,024 bytes.
    case gimp
    /// Letters, digits, and `._-+@(),` with spaces; all others become `_`: harmless in any language.
    case plain

    /// - Parameter ending: of the output's name, without its dot, in any case.
    package init(ending: String) {
        switch ending.split(separator: ".").last.map({ $0.lowercased() }) ?? "" {
        case "json", "jsonc": self = .json
        case "xml", "svg", "html", "plist": self = .xml
        case "css", "scss", "less": self = .css
        case "yaml", "yml", "toml": self = .doubleQuoted
        case "sh", "bash", "zsh": self = .shell
        case "fish": self = .fish
        case "lua": self = .lua
        case "js", "mjs", "ts": self = .javaScript
        case "gpl": self = .gimp
        default: self = .plain
        }
    }

    package func text(_ raw: String) -> String {
        let line = raw.inOneLine
        switch self {
        // JSON writes what ends a line as a code.
        case .json: return Self.json(raw)
        case .xml: return Self.xml(line)
        case .css:
            return Self.css(line)
        case .doubleQuoted:
            return Self.escaped(line) {
                // YAML has none of the two.
                $0 == "\u{FFFE}" || $0 == "\u{FFFF}"
                    ? "\u{FFFD}" : "\\\"".unicodeScalars.contains($0) ? "\\\($0)" : nil
            }
        case .shell: return Self.escaped(line) { $0 == "'" ? "'\\''" : nil }
        case .fish: return Self.escaped(line) { "\\'".unicodeScalars.contains($0) ? "\\\($0)" : nil }
        // Long strings and comments end with two brackets.
        case .lua:
            return Self.escaped(line) {
                $0 == "]" ? "\\093" : "\\\"'".unicodeScalars.contains($0) ? "\\\($0)" : nil
            }
        case .javaScript:
            return Self.escaped(line) {
                $0 == "<" ? "\\x3c" : "\\\"'`$/".unicodeScalars.contains($0) ? "\\\($0)" : nil
            }
        case .gimp:
            var clipped = line
            while clipped.utf8.count > 900 { clipped.removeLast() }
            return clipped
        case .plain: return Self.escaped(line) { Self.isPlain($0) ? nil : "_" }
        }
    }

    /// Scalar by scalar: a mark above a quotation mark is one character with it.
    private static func escaped(_ text: String, _ replacement: (Unicode.Scalar) -> String?) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let other = replacement(scalar) {
                escaped.append(contentsOf: other.unicodeScalars)
            } else {
                escaped.append(scalar)
            }
        }
        return String(escaped)
    }

    /// In ASCII, so that no reader can take a character for anything else.
    private static func json(_ text: String) -> String {
        var escaped = ""
        for unit in text.utf16 {
            switch unit {
            case 0x22: escaped += "\\\""
            case 0x5C: escaped += "\\\\"
            case 0x20..<0x7F: escaped.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default: escaped += "\\u" + Hexadecimal.text(unit)
            }
        }
        return escaped
    }

    /// A backslash with a code is the character in a string, and text in a comment, which it cannot end. Sass
    /// puts values for `#{}`, Less for `@{}`, and Sass looks into comments, too.
    private static func css(_ text: String) -> String {
        escaped(text) { scalar in
            switch scalar {
            case "\"", "'", "\\": "\\\(scalar)"
            case "*", "{": "\\\(String(scalar.value, radix: 16)) "
            default: nil
            }
        }
    }

    private static func xml(_ text: String) -> String {
        var last: Unicode.Scalar = " "
        return escaped(text) { scalar in
            defer { last = scalar }
            return switch scalar {
            case "&": "&amp;"
            case "<": "&lt;"
            case ">": "&gt;"
            case "\"": "&quot;"
            case "'": "&#39;"
            // Two hyphens are not allowed in a comment.
            case "-" where last == "-": "&#45;"
            case "\u{FFFE}", "\u{FFFF}": "\u{FFFD}"
            default: nil
            }
        }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .nonspacingMark, .spacingMark, .decimalNumber:
            true
        default: " ._-+@(),".unicodeScalars.contains(scalar)
        }
    }
}
