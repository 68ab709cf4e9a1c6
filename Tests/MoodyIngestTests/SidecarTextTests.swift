import Foundation
import FoundationXML
import TestSupport
import Testing

@testable import MoodyIngest

/// Words that are put into sidecars of other programs and taken out again.
@Suite struct SidecarTextTests {
    private static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    private static let keywords = SidecarKeywords(
        words: ["blue", "gray"], colors: ["#3366cc 0.412 azure", "#808080 0.300 gray"])

    /// A sidecar as some program may have written it.
    private static func sidecar(_ seed: Int) -> String {
        var random = SplitMix64(seed: UInt64(seed))
        func pick<Value>(_ values: Value...) -> Value {
            values[Int.random(in: values.indices, using: &random)]
        }
        let quote = pick("\"", "'"), line = pick("\n", "\r\n", "\n", "")
        let prefix = pick("rdf", "rdf", "r", ""), dot = prefix.isEmpty ? "" : prefix + ":"
        let attributes = prefix.isEmpty ? "a" : prefix
        func name(_ key: String, _ uri: String) -> String {
            " " + (key.isEmpty ? "xmlns" : "xmlns:\(key)") + "=\(quote)\(uri)\(quote)"
        }
        let about = " \(attributes):about=\(quote)\(pick("", "uuid:1&amp;2", "a b"))\(quote)"
        let space = line.isEmpty ? "" : line + pick(" ", "\t", "   ", "")
        func list(_ name: String, _ uri: String, _ kind: String, _ words: [String]) -> String {
            let key = pick("lr", "digiKam", "q")
            let items = words.map { word in
                let text = pick(word, "<![CDATA[\(word)]]>", word, " \(word) ")
                return space + "  "
                    + pick(
                        "<\(dot)li>\(text)</\(dot)li>", "<\(dot)li\n>\(text)</\(dot)li >",
                        "<!-- moody|blue --><\(dot)li>\(text)</\(dot)li>")
            }.joined()
            let inside =
                words.isEmpty
                ? pick(
                    "<\(dot)\(kind)/>", "<\(dot)\(kind)></\(dot)\(kind)>", "<\(dot)\(kind) />",
                    "<\(dot)\(kind)>\(space)</\(dot)\(kind)>")
                : "<\(dot)\(kind)>\(items)\(space)</\(dot)\(kind)>"
            return "<\(key):\(name)\(Self.name(key, uri, quote))>\(space)\(inside)\(space)</\(key):\(name)>"
        }
        var properties: [String] = []
        let words = pick(
            [], ["Family|Bob"], ["Places|moody|blue", "moody|happy", "moody"], ["a/b", "moodyish/blue"])
        if Bool.random(using: &random) {
            properties.append(
                list("hierarchicalSubject", "http://ns.adobe.com/lightroom/1.0/", pick("Bag", "Seq"), words))
        }
        if Bool.random(using: &random) {
            properties.append(list("TagsList", "http://www.digikam.org/ns/1.0/", pick("Seq", "Bag"), words))
        }
        properties.append(
            "<dc:subject\(name("dc", "http://purl.org/dc/elements/1.1/"))>"
                + "<\(dot)Bag><\(dot)li>blue</\(dot)li>"
                + "</\(dot)Bag></dc:subject>"
        )
        properties.append("<xmp:Rating xmlns:xmp=\(quote)http://ns.adobe.com/xap/1.0/\(quote)>4</xmp:Rating>")
        properties.shuffle(using: &random)
        func description(_ inside: [String]) -> String {
            let date =
                name("exif", "http://ns.adobe.com/exif/1.0/")
                + " exif:DateTimeOriginal=\(quote)2011-02-03T04:05:06\(quote)"
            let head = "<\(dot)Description\(about)\(prefix.isEmpty ? name("a", rdf) : "")\(pick("", date))"
            if inside.isEmpty { return space + head + pick("/>", " />", "></\(dot)Description>") }
            return space + head + ">" + inside.map { space + " " + $0 }.joined() + space
                + "</\(dot)Description>"
        }
        let descriptions = pick([properties], properties.map { [$0] }, [[], properties], [[]], []).map(
            description)
        let comment = pick("", "", "<!-- <rdf:RDF> -->", "<?a moody|blue?>")
        let inside = descriptions.joined(separator: comment)
        var text = "<\(dot)RDF\(name(prefix, rdf))"
        text +=
            inside.isEmpty
            ? pick("/>", " />", "></\(dot)RDF>", ">\(line)</\(dot)RDF>")
            : ">\(comment)\(inside)\(line)</\(dot)RDF>"
        if pick(true, true, false) {
            text = "<x:xmpmeta\(name("x", "adobe:ns:meta/"))>\(line)\(text)\(line)</x:xmpmeta>"
        }
        text =
            pick(
                "", "<?xml version=\(quote)1.0\(quote)?>\(line)",
                "<?xpacket begin=\(quote)\u{FEFF}\(quote) "
                    + "id=\(quote)W5M0MpCehiHzreSzNTczkc9d\(quote)?>\(line)"
            ) + text
        text = pick("", "", "\u{FEFF}") + text
        return text + pick("", line, "\(line)<?xpacket end=\(quote)w\(quote)?>", "\n    \n<!-- end -->\n")
    }

    private static func name(_ key: String, _ uri: String, _ quote: String) -> String {
        " xmlns:\(key)=\(quote)\(uri)\(quote)"
    }

    /// Whether all bytes of one are in the other, in their order.
    private func isInside(_ old: [UInt8], _ new: [UInt8]) -> Bool {
        var at = 0
        for byte in new where at < old.count && old[at] == byte { at += 1 }
        return at == old.count
    }

    @Test(arguments: 0..<400) func `other programs' bytes stay as they are`(seed: Int) throws {
        let old = Array(Self.sidecar(seed).utf8)
        let new = try SidecarText(old).with(Self.keywords)
        #expect(new.count > old.count && isInside(old, new))
        #expect(try SidecarText(new).foreign == old)
        // Twice is once.
        #expect(try SidecarText(new).with(Self.keywords) == new)
        let other = SidecarKeywords(words: ["teal"], colors: ["#008080 1.000 teal"])
        let changed = try SidecarText(new).with(other)
        #expect(try changed == SidecarText(old).with(other))
        #expect(try SidecarText(changed).foreign == old)
        #expect(try SidecarText(new).with(SidecarKeywords()) == old)
        // Foundation's parser takes it, and knows the words by their names.
        let reader = Reader()
        let parser = XMLParser(data: Data(new))
        parser.shouldProcessNamespaces = true
        parser.delegate = reader
        #expect(parser.parse())
        let own = reader.entries.filter {
            $0.hasSuffix("|blue") || $0.hasSuffix("/blue") || $0.hasSuffix("gray")
        }
        #expect(own.contains("hierarchicalSubject moody|blue") && own.contains("TagsList moody/gray"))
        #expect(reader.entries.contains("colors #3366cc 0.412 azure"))
        #expect(!reader.entries.contains { $0.hasPrefix("subject") && $0.contains("moody") })
    }

    private final class Reader: NSObject, XMLParserDelegate {
        var entries: [String] = []
        private var names: [String] = []
        private var text = ""

        func parser(
            _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
            qualifiedName: String?, attributes: [String: String]
        ) {
            names.append(name)
            text = ""
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
        func parser(_ parser: XMLParser, foundCDATA block: Data) {
            text += String(decoding: block, as: UTF8.self)
        }

        func parser(
            _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
        ) {
            if name == "li", names.count > 2 { entries.append("\(names[names.count - 3]) \(text)") }
            names.removeLast()
            text = ""
        }
    }

    @Test(arguments: [
        ("<a/>", "no rdf:RDF in it"), ("", "line 1: no element found"),
        ("<a>\n<b></a>", "line 2: mismatched tag"),
        ("<!DOCTYPE a>\n<a/>", "line 1: a document type"),
        (
            "<rdf:RDF xmlns:rdf=\"\(rdf)\"><rdf:Description xmlns:lr=\"http://ns.adobe.com/lightroom/1.0/\">"
                + "<lr:hierarchicalSubject>a</lr:hierarchicalSubject></rdf:Description></rdf:RDF>",
            "lr:hierarchicalSubject is no list (rdf:Bag or rdf:Seq)"
        ),
        (
            "<rdf:RDF xmlns:rdf=\"\(rdf)\"><rdf:Description xmlns:d=\"http://www.digikam.org/ns/1.0/\" "
                + "d:TagsList=\"a\"/></rdf:RDF>", "digiKam:TagsList is no list (rdf:Bag or rdf:Seq)"
        ),
        (
            "<rdf:RDF xmlns:rdf=\"\(rdf)\"><rdf:Description xmlns:d=\"http://www.digikam.org/ns/1.0/\">"
                + "<d:TagsList><rdf:Alt><rdf:li>a</rdf:li></rdf:Alt></d:TagsList></rdf:Description>"
                + "</rdf:RDF>",
            "digiKam:TagsList is no list (rdf:Bag or rdf:Seq)"
        ),
    ]) func `what cannot be changed safely is refused`(text: String, reason: String) throws {
        let error = #expect(throws: (any Error).self) {
            _ = try SidecarText(Array(text.utf8)).with(Self.keywords)
        }
        #expect(error.map { "\($0)" } == reason)
    }

    @Test func `UTF-16 is refused, with and without a mark`() throws {
        for start in [[0xFF, 0xFE], []] as [[UInt8]] {
            let bytes = start + Self.sidecar(1).utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
            let error = #expect(throws: SidecarRefusal.self) { _ = try SidecarText(bytes) }
            #expect(error?.description.hasPrefix("UTF-16") == true)
        }
    }

    @Test func `a new sidecar without moody's words says nothing`() throws {
        let new = try SidecarText.new(Self.keywords)
        #expect(SidecarText.saysNothing(try SidecarText(new).foreign))
        #expect(!SidecarText.saysNothing(new))
    }

    @Test func `words below moody that are none of its own stay`() throws {
        let old = """
            <rdf:RDF xmlns:rdf="\(Self.rdf)"><rdf:Description><lr:hierarchicalSubject \
            xmlns:lr="http://ns.adobe.com/lightroom/1.0/"><rdf:Bag><rdf:li>moody|happy</rdf:li>\
            <rdf:li>moody|blue</rdf:li></rdf:Bag></lr:hierarchicalSubject></rdf:Description></rdf:RDF>
            """
        let foreign = String(decoding: try SidecarText(Array(old.utf8)).foreign, as: UTF8.self)
        #expect(foreign == old.replacing("<rdf:li>moody|blue</rdf:li>", with: ""))
    }

    @Test func `a file that changed meanwhile, a link, and a folder are left alone`() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/moody-sidecar-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func write(_ text: String, _ name: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
        }
        try write("one", "a.xmp")
        let file = try SidecarFile(BytePath("\(folder)/a.xmp"))
        try write("other", "a.xmp")
        #expect(throws: SidecarRefusal.self) { try file.write(Array("moody".utf8)) }
        #expect(throws: SidecarRefusal.self) { try file.remove() }
        let new = try SidecarFile(BytePath("\(folder)/b.xmp"))
        try write("theirs", "b.xmp")
        #expect(throws: SidecarRefusal.self) { try new.write(Array("moody".utf8)) }
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/c.xmp", withDestinationPath: "a.xmp")
        let link = try SidecarFile(BytePath("\(folder)/c.xmp"))
        #expect(link.bytes == Array("other".utf8))
        #expect(throws: SidecarRefusal.self) { try link.write(Array("moody".utf8)) }
        #expect(throws: FileError.self) { _ = try SidecarFile(BytePath(folder)) }
        // Nothing of a try is left.
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(names == ["a.xmp", "b.xmp", "c.xmp"])
        #expect(try String(contentsOfFile: "\(folder)/a.xmp", encoding: .utf8) == "other")
        #expect(try String(contentsOfFile: "\(folder)/b.xmp", encoding: .utf8) == "theirs")
    }
}
