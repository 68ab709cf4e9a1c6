/// A pattern of gitignore's kind, matched without regard to ASCII case.
///
/// `*` and `?` stay within a name, `**` crosses folders, `[a-z]` is one of a class; a slash at the start or
/// in the middle ties the pattern to the folder that was named, else it matches at any depth; a slash at the
/// end matches folders alone. A `!` in front takes back what an earlier pattern said; `\!` is that character.
///
/// - Source: the gitignore(5) manual page.
package struct Glob: Sendable, Equatable {
    private let parts: [[UInt8]]
    private let isAnchored: Bool
    private let isFolderOnly: Bool
    /// It says of what it matches the contrary of what a list of patterns is for.
    package let isNegated: Bool

    package init(_ text: String) { self.init(text.utf8) }

    package init(_ bytes: some Sequence<UInt8>) {
        var bytes = bytes.map(lowercased)
        isNegated = bytes.first == UInt8(ascii: "!")
        if isNegated { bytes.removeFirst() }
        isFolderOnly = bytes.last == slash
        while bytes.last == slash { bytes.removeLast() }
        isAnchored = bytes.contains(slash)
        parts = bytes.split(separator: slash).map(Array.init)
    }

    /// Whether a path below the folder that was named matches, negated or not.
    ///
    /// - Parameter path: its parts.
    package func matches(_ path: [[UInt8]], isFolder: Bool) -> Bool {
        if isFolderOnly && !isFolder { return false }
        let path = path.map { $0.map(lowercased) }
        if isAnchored { return match(parts[...], path[...]) }
        guard let pattern = parts.first, let name = path.last else { return false }
        return match(pattern[...], name[...])
    }

    private func match(_ parts: ArraySlice<[UInt8]>, _ path: ArraySlice<[UInt8]>) -> Bool {
        guard let part = parts.first else { return path.isEmpty }
        // `a/**` is all that is in a, not a itself.
        if part == Array("**".utf8), parts.count == 1, parts.startIndex > 0 { return !path.isEmpty }
        if part == Array("**".utf8) {
            return (path.startIndex...path.endIndex).contains { match(parts.dropFirst(), path[$0...]) }
        }
        guard let name = path.first else { return false }
        return match(part[...], name[...]) && match(parts.dropFirst(), path.dropFirst())
    }

    /// Matches one name. Backtracks to the last star only, so that no pattern takes longer than *p* x *n*
    /// steps.
    private func match(_ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>) -> Bool {
        var pattern = pattern, name = name
        var retry: (pattern: ArraySlice<UInt8>, name: ArraySlice<UInt8>)?
        while true {
            if pattern.first == UInt8(ascii: "*") {
                pattern = pattern.dropFirst()
                retry = (pattern, name)
            } else if let byte = name.first, let rest = single(pattern, byte) {
                (pattern, name) = (rest, name.dropFirst())
            } else if pattern.isEmpty && name.isEmpty {
                return true
            } else if let last = retry, !last.name.isEmpty {
                retry = (last.pattern, last.name.dropFirst())
                (pattern, name) = (last.pattern, last.name.dropFirst())
            } else {
                return false
            }
        }
    }

    /// Returns the rest of the pattern if its next element matches this byte; nil otherwise.
    private func single(_ pattern: ArraySlice<UInt8>, _ byte: UInt8) -> ArraySlice<UInt8>? {
        guard let first = pattern.first else { return nil }
        switch first {
        case UInt8(ascii: "?"): return pattern.dropFirst()
        case UInt8(ascii: "\\") where pattern.count > 1:
            return pattern.dropFirst().first == byte ? pattern.dropFirst(2) : nil
        case UInt8(ascii: "["):
            // A `]` that comes first is one of the class.
            let isNegated = [UInt8(ascii: "!"), UInt8(ascii: "^")].contains(pattern.dropFirst().first)
            guard let end = pattern.dropFirst(isNegated ? 3 : 2).firstIndex(of: UInt8(ascii: "]")) else {
                return byte == first ? pattern.dropFirst() : nil
            }
            return isIn(pattern[(pattern.startIndex + 1)..<end], byte) ? pattern[(end + 1)...] : nil
        default: return first == byte ? pattern.dropFirst() : nil
        }
    }

    private func isIn(_ set: ArraySlice<UInt8>, _ byte: UInt8) -> Bool {
        let isNegated = set.first == UInt8(ascii: "!") || set.first == UInt8(ascii: "^")
        var rest = isNegated ? set.dropFirst() : set, found = false
        while let low = rest.first {
            rest = rest.dropFirst()
            if rest.first == UInt8(ascii: "-"), let high = rest.dropFirst().first {
                found = found || (low <= byte && byte <= high)
                rest = rest.dropFirst(2)
            } else {
                found = found || low == byte
            }
        }
        return found != isNegated
    }
}

func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
}
