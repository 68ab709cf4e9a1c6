import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// What handlers are told of XML, beside Python's use of the same library: whole, in its order, in pieces
/// that are put together, with its errors.
@Suite struct XMLReaderTests {
    /// What a document says, in lines that Python can print too.
    private final class Teller: XMLHandler {
        var said: [String] = [], pending = ""
        func flush() {
            if !pending.isEmpty { said.append("t" + Data(pending.utf8).base64EncodedString()) }
            pending = ""
        }
        func start(_ name: String, _ attributes: [String: String], line: Int) {
            flush()
            let pairs = attributes.map { "\($0)=\(Data($1.utf8).base64EncodedString())" }.sorted()
            said.append((["s\(name)"] + pairs).joined(separator: ","))
        }
        func text(_ text: String) { pending += text }
        func end(_ name: String) {
            flush()
            said.append("e\(name)")
        }
    }

    private func told(_ data: Data) -> String {
        let teller = Teller()
        do { try XMLReader.read(data, to: teller) } catch { return "broken" }
        return teller.said.joined(separator: " ")
    }

    private static let whole = """
        <?xml version="1.0" standalone="yes"?>
        <!DOCTYPE database SYSTEM "file:///CoreData.dtd" [ <!ELEMENT a (#PCDATA)> ]>
        <!-- a comment -->
        <database a:b='"x" &amp; &#65;&#x1F600;&#x10FFFD;' c = "1\t2
        3">
          <a/> <b  k="&lt;&gt;&quot;&apos;">te&amp;xt<![CDATA[ <raw> & ]]>tail\r\nline\r</b>
          <c.d-e_f>\u{E9}\u{4E2D}</c.d-e_f >
          <?target data?><deep><deeper><deepest x="">z</deepest></deeper></deep>
        </database>

        """

    @Test func `documents, cut, changed and spoiled, are what another reader says`() throws {
        let folder = try ScratchFolder()
        var random = SplitMix64(seed: 7), documents = [Data(Self.whole.utf8)]
        let bytes = Array(Self.whole.utf8), spices = Array("<>&;\"'/=! ?-[]ax\n#".utf8)
        for round in 0..<1_500 {
            var copy = bytes
            let position = Int(random.next() % UInt64(copy.count)),
                spice = spices[Int(random.next() % UInt64(spices.count))]
            switch round % 4 {
            case 0: copy[position] = spice
            case 1: copy.insert(spice, at: position)
            case 2: copy.remove(at: position)
            default: copy.removeSubrange(position..<min(copy.count, position + Int(random.next() % 60)))
            }
            documents.append(Data(copy))
        }
        for (number, document) in documents.enumerated() {
            try document.write(to: folder.url.appending(path: "\(number)"))
        }
        let lines = try shell(
            """
            python3 - '\(folder.url.path)' \(documents.count) <<'PY'
            import sys, base64, xml.parsers.expat as X
            b = lambda t: base64.b64encode(t.encode()).decode()
            for n in range(int(sys.argv[2])):
                said, text = [], []
                def flush():
                    if text: said.append('t' + b(''.join(text))); text.clear()
                def start(name, a): flush(); said.append(','.join(['s' + name] + sorted(k + '=' + b(v) for \
                k, v in a.items())))
                def end(name): flush(); said.append('e' + name)
                p = X.ParserCreate()
                p.StartElementHandler, p.EndElementHandler, p.CharacterDataHandler = start, end, text.append
                try: p.Parse(open(sys.argv[1] + '/' + str(n), 'rb').read(), True); print(' '.join(said))
                except X.ExpatError: print('broken')
            PY
            """
        ).split(separator: "\n").map(String.init)
        #expect(lines.count == documents.count)
        #expect(lines[0] != "broken")
        var broken = 0
        for (document, line) in zip(documents, lines) {
            let ours = told(document)
            if ours == "broken" { broken += 1 }
            #expect(ours == line, "\(String(decoding: document, as: UTF8.self))")
        }
        #expect(broken > 300)
    }

    @Test func `what could grow or go deep, or ends no section, is refused`() {
        let bomb = "<!DOCTYPE a [<!ENTITY x \"xxxxxxxx\">]><a>&x;</a>"
        #expect(told(Data(bomb.utf8)) == "broken")
        let deep = String(repeating: "<a>", count: 100_000)
        #expect(told(Data(deep.utf8)) == "broken")
        for (depth, isRead) in [(256, true), (257, false)] {
            let tags = ["<a>", "</a>"].map { String(repeating: $0, count: depth) }.joined()
            #expect((told(Data(tags.utf8)) != "broken") == isRead, "\(depth)")
        }
        #expect(told(Data([0x3C, 0x61, 0xFF, 0x2F, 0x3E])) == "broken")
        #expect(told(Data()) == "broken")
        // XML 1.0, production 14: `]]>` ends a section, and is no text; in a value it is.
        for text in ["<a>]]></a>", "<a>x]]]>y</a>"] { #expect(told(Data(text.utf8)) == "broken", "\(text)") }
        for text in ["<a b=\"]]>\">]]</a>", "<a>]] ></a>", "<a>]]&gt;</a>", "<a><![CDATA[]]]]></a>"] {
            #expect(told(Data(text.utf8)) != "broken", "\(text)")
        }
    }

    /// As a program on Windows may have written it.
    @Test func `a document in UTF-16 or Latin-1 is read`() throws {
        let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><a b=\"Zürich\">mööd</a>"
        let latin = text.replacing("UTF-16", with: "ISO-8859-1")
        let expected = told(Data("<a b=\"Zürich\">mööd</a>".utf8))
        #expect(expected != "broken")
        #expect(told(try #require(text.data(using: .utf16))) == expected)
        #expect(told(try #require(latin.data(using: .isoLatin1))) == expected)
    }

    /// A document type elsewhere may say what it is; nobody reads that.
    @Test func `a name that only another file explains is refused`() {
        let text = "<!DOCTYPE a SYSTEM \"a.dtd\"><a>&fog;</a>"
        let error = #expect(throws: XMLError.self) { try XMLReader.read(Data(text.utf8), to: Teller()) }
        #expect(error?.reason == "&fog; stands for nothing")
    }

    @Test func `an error names the line`() {
        let error = #expect(throws: XMLError.self) {
            try XMLReader.read(Data("<a>\n<b>\n</c></a>".utf8), to: Teller())
        }
        #expect(error?.line == 3)
        #expect(error?.reason == "mismatched tag")
    }
}
