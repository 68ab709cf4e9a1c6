import Foundation
import Testing
import Texts

@testable import MoodyModel

/// Names of files as people see them, and as stores keep them.
@Suite struct ShownTextTests {
    @Test(
        arguments: [
            ([0x61, 0xC3, 0xA9, 0xFF, 0x62], "a\u{E9}\\xffb"), ([0xE2, 0x82], "\\xe2\\x82"),
            ([0xF0, 0x9F, 0x8E, 0xA8, 0x80], "\u{1F3A8}\\x80"), ([0x0A, 0x09, 0x0D, 0x1B], "\\n\\t\\r\\x1b"),
            ([0x01, 0x7F, 0xC2, 0x9B], "\\x01\\x7f\\x9b"), ([], ""),
            ([0x0B, 0x0C, 0x0E, 0x0F, 0x10], "\\x0b\\x0c\\x0e\\x0f\\x10"),
        ] as [([UInt8], String)])
    func `bytes that are no characters are escaped, each by itself`(bytes: [UInt8], text: String) {
        #expect(ShownText.of(bytes) == text)
    }

    /// Unicode, chapter 23.2: the two joiners are part of words and of emoji; the others only steer.
    @Test func `joiners stay, and what turns text round is escaped`() {
        #expect(
            ShownText.of(Array("\u{645}\u{200C}\u{627}\u{200D}".utf8)) == "\u{645}\u{200C}\u{627}\u{200D}")
        #expect(ShownText.of(Array("a\u{202E}b\u{2028}\u{FEFF}".utf8)) == "a\\u{202e}b\\u{2028}\\u{feff}")
    }

    @Test func `a file at the root has one slash before it`() {
        for (folder, path) in [("/", "/a"), ("/b", "/b/a"), ("/b/c", "/b/c/a")] {
            #expect(FileLocation(folder: Data(folder.utf8), name: Data("a".utf8)).path == path)
        }
        #expect(FileLocation(folder: Data("/".utf8), name: Data([0x61, 0xFF])).path == "/a\\xff")
        #expect(
            FileLocation(folder: Data(), name: Data("a".utf8)).path == "a", "of a record, without a folder")
    }
}
