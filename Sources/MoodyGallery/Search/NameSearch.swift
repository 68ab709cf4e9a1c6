import DataStacks
import Foundation
import ManagedObjects
import MoodyModel
import Texts

/// Which moods have the words of a search in their texts, by a look at names, cameras and days alone.
///
/// A name is taken apart only when its bytes have a word in them at all.
struct NameSearch: Sendable {
    /// What a mood has of the words, a bit each.
    struct Found: Sendable {
        let id: ManagedObjectID
        var bits: UInt64
    }

    /// A word of a term, or the date that the term is.
    private struct Word: Sendable {
        let term: Int
        let text: String
        let isDate: Bool
        /// What the bytes of a name must have in them, in small letters.
        let bytes: [UInt8]
    }

    private let terms: [SearchTerm]
    private let privacy: PagePrivacy
    private var words: [Word] = []
    /// The moods that have any of the words, by their keys.
    private(set) var found: [Int64: Found] = [:]

    /// Nil for more words than there are bits, which nobody types.
    init?(_ terms: [SearchTerm], _ privacy: PagePrivacy) {
        self.terms = terms
        self.privacy = privacy
        for (number, term) in terms.enumerated() {
            let texts = term.isDate ? [term.text] : term.words
            words += texts.map { Word(term: number, text: $0, isDate: term.isDate, bytes: Array($0.utf8)) }
        }
        if words.count > 64 { return nil }
    }

    /// Whether there is nothing to look for.
    var isEmpty: Bool { words.isEmpty }

    /// Whether the mood has all words of a term; false for a term that has none.
    func holds(_ term: Int, _ key: Int64) -> Bool {
        guard let bits = found[key]?.bits else { return false }
        let wanted = bitsOf(term)
        return wanted != 0 && bits & wanted == wanted
    }

    private func bitsOf(_ term: Int) -> UInt64 {
        words.indices.reduce(0) { words[$1].term == term ? $0 | 1 << UInt64($1) : $0 }
    }

    /// - Throws: ``StoreError``.
    mutating func look(in view: StackView) throws {
        if words.isEmpty { return }
        let gone = try lookAtMoods(in: view)
        try lookAtNames(in: view, except: gone)
    }

    /// Looks at some moods; at all where that must be.
    ///
    /// - Throws: ``StoreError``.
    mutating func look(at moods: [ManagedObjectID], in view: StackView) throws {
        guard let folder = try privacy.showsPaths ? Self.commonFolder(in: view) : 0 else {
            return try look(in: view)
        }
        let slash = UInt8(ascii: "/")
        for some in moods.parts(of: 512) {
            let rows = try view.fetchValues(
                FetchRequest<Mood>(Filter(\.row, isIn: some.map(MoodKey.init))), \.row, \.photo?.path,
                \.camera, \.day, \.dateSource, \.country?.name)
            for (row, path, camera, day, source, country) in rows {
                guard let id = row.id else { continue }
                let path = Array((path ?? "").utf8)
                let start = privacy.showsPaths ? folder : (path.lastIndex(of: slash) ?? -1) + 1
                let place = privacy.showsPlaces ? country.map { CountryTable.searchedName($0) } : nil
                let texts = [ShownText.of(path.dropFirst(start)), camera ?? "", place ?? ""]
                var bits = bitsOf(texts: texts.flatMap { SearchText.words($0) })
                if source.isDayTaken { bits |= bitsOf(day: Int64(day)) }
                found[id.key] = Found(id: id, bits: bits)
            }
        }
    }

    /// The length of the folder that all photos of lists lie in, with its slash, by the first and the last of
    /// their folders; nil where some paths may be written otherwise than others.
    private static func commonFolder(in view: StackView) throws -> Int? {
        let isListed = \Photo.mood != nil && \Photo.mood?.markedForDeletionDate == nil
        func end(_ order: (String, Collation?) -> SortKey) throws -> [UInt8]? {
            var request = FetchRequest<Photo>(isListed)
            request.sortKeys = ["folder", "name"].map { order($0, nil) }
            request.fetchLimit = 1
            return try view.fetchValues(request, \.folder).first.map { [UInt8]($0) }
        }
        guard let first = try end(SortKey.ascending), let last = try end(SortKey.descending), !first.isEmpty
        else { return 0 }
        let slash = UInt8(ascii: "/"), shared = lengthInCommon(first.span, last.span)
        var common = Array(first[..<shared])
        // Folders are sorted without a slash at their end: /a, /a-b, /a/c.
        let between = try Filter<Photo>(
            format: "folder > %@ AND folder < %@", Data(first), Data(first + [slash]))
        let isFolder =
            try shared == first.count
            && (shared == last.count
                || last[shared] == slash && view.fetchOne(FetchRequest(isListed && between)) == nil)
        if isFolder && common.last != slash {
            common.append(slash)
        } else {
            common = Array(common[..<((common.lastIndex(of: slash) ?? -1) + 1)])
        }
        return ShownText.of(common).utf8.elementsEqual(common) ? common.count : nil
    }

    /// Cameras and days; gives the moods that are left out of lists.
    private mutating func lookAtMoods(in view: StackView) throws -> Set<Int64> {
        var gone = Set<Int64>(), found = self.found
        var cameras: [[UInt8]: UInt64] = [:], last: (camera: [UInt8], bits: UInt64) = ([], 0),
            days: [Int64: UInt64] = [:]
        let (asksForDays, fileTime) = (words.contains(where: mayBeOfDay), Int64(DateSource.fileTime.rawValue))
        try view.scan(
            FetchRequest<Mood>(), \.row, \.markedForDeletionDate, \.camera, \.day, \.dateSource,
            inAnyOrder: true
        ) { row in
            if !row.isNull(1) {
                gone.insert(row.key(0))
                return
            }
            var bits: UInt64 = 0
            if !row.isNull(2) {
                let camera = row.utf8(2)
                if camera == last.camera {
                    bits = last.bits
                } else {
                    bits =
                        cameras[camera]
                        ?? bitsOf(texts: SearchText.words(String(decoding: camera, as: UTF8.self)))
                    cameras[camera] = bits
                    last = (camera, bits)
                }
            }
            if asksForDays && row.int(4) != fileTime {
                let day = row.int(3), own = days[day] ?? bitsOf(day: day)
                days[day] = own
                bits |= own
            }
            if bits != 0, let id = row.id(0) { found[id.key] = Found(id: id, bits: bits) }
        }
        self.found = found
        if privacy.showsPlaces { try lookAtCountries(in: view, except: gone) }
        return gone
    }

    /// Moods of the countries that have any of the words in their names.
    private mutating func lookAtCountries(in view: StackView, except gone: Set<Int64>)
        throws
    {
        var countries: [[UInt8]: UInt64] = [:]
        for name in try view.fetchValues(FetchRequest<Country>(), \.name) {
            let bits = bitsOf(texts: SearchText.words(CountryTable.searchedName(name)))
            if bits != 0 { countries[Array(name.utf8)] = bits }
        }
        if countries.isEmpty { return }
        var found = self.found
        try view.scan(FetchRequest<Mood>(), \.row, \.country?.name, inAnyOrder: true) { row in
            guard !row.isNull(1), let bits = countries[row.utf8(1)], !gone.contains(row.key(0)),
                let id = row.id(0)
            else { return }
            found[id.key, default: Found(id: id, bits: 0)].bits |= bits
        }
        self.found = found
    }

    /// What stands below the folder that all photos lie in.
    private mutating func lookAtNames(in view: StackView, except gone: Set<Int64>)
        throws
    {
        var common: [UInt8]?, candidates: [(id: ManagedObjectID, path: [UInt8])] = []
        let own = Set(words.filter { !$0.isDate }.map(\.bytes))
        if own.isEmpty { return }
        let wanted = WordBytes(own)
        try view.scan(FetchRequest<Photo>(), \.mood?.row, \.path, inAnyOrder: true) { row in
            if row.isNull(0) || !gone.isEmpty && gone.contains(row.key(0)) { return }
            let path = row.utf8(1)
            if let before = common {
                let same = Self.lengthInCommon(before.span, path.span)
                if same != before.count { common = Array(path[..<same]) }
            } else {
                common = path
            }
            if wanted.mayBe(in: path), let id = row.id(0) { candidates.append((id, path)) }
        }
        let slash = UInt8(ascii: "/"), folder = ((common ?? []).lastIndex(of: slash) ?? -1) + 1
        for (id, path) in candidates {
            let folder = privacy.showsPaths ? folder : (path.lastIndex(of: slash) ?? -1) + 1
            let bits = bitsOf(texts: SearchText.words(ShownText.of(path[folder...])))
            if bits != 0 { found[id.key, default: Found(id: id, bits: 0)].bits |= bits }
        }
    }

    private func bitsOf(texts own: [String]) -> UInt64 {
        words.indices.reduce(0) { bits, at in
            let word = words[at]
            let isThere = !word.isDate && own.contains { terms[word.term].holds(word.text, in: $0) }
            return isThere ? bits | 1 << UInt64(at) : bits
        }
    }

    private func bitsOf(day: Int64) -> UInt64 {
        guard let day = Day(Int32(truncatingIfNeeded: day)) else { return 0 }
        let own = day.words
        return words.indices.reduce(bitsOf(texts: own)) { bits, at in
            words[at].isDate && day.iso.hasPrefix(words[at].text) ? bits | 1 << UInt64(at) : bits
        }
    }

    /// Few words are the beginning of a year or a month.
    private func mayBeOfDay(_ word: Word) -> Bool {
        word.isDate || word.bytes.allSatisfy { (48...57).contains($0) }
            || (1...12).contains { Day(year: 1, month: $0).monthName.lowercased().hasPrefix(word.text) }
    }

    // MARK: Bytes

    private static func lengthInCommon(_ a: Span<UInt8>, _ b: Span<UInt8>) -> Int {
        var count = 0
        while count < a.count && count < b.count && a[count] == b[count] { count += 1 }
        return count
    }
}

/// Whether a name may have one of some words in it: a look at its bytes, before it is taken apart.
private struct WordBytes {
    private let words: [[UInt8]]
    /// Of each byte, whether a word begins with it, in small letters or capitals.
    private let begins: [Bool]

    /// The two words that are spelled in two ways.
    private static let folded: [[UInt8]] = [Array("gray".utf8), Array("colour".utf8)]

    /// - Parameter words: in small letters.
    init(_ words: Set<[UInt8]>) {
        let words = (words + Self.folded).filter { !$0.isEmpty }
        self.words = words
        begins = (UInt8.min...UInt8.max).map { byte in words.contains { $0[0] == Self.small(byte) } }
    }

    /// False only when none of the words can be one of the name's. Letters that are no ASCII may become
    /// others.
    func mayBe(in name: [UInt8]) -> Bool {
        let text = name.span, begins = begins.span
        for start in text.indices {
            let byte = text[start]
            if byte >= 128 { return true }
            if begins[Int(byte)], words.contains(where: { Self.stands($0.span, in: text, at: start) }) {
                return true
            }
        }
        return false
    }

    private static func stands(_ word: Span<UInt8>, in text: Span<UInt8>, at start: Int) -> Bool {
        if text.count - start < word.count { return false }
        for at in word.indices where small(text[start + at]) != word[at] { return false }
        return true
    }

    private static func small(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 32 : byte }
}
