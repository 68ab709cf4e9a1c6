import Testing

@testable import MoodyGallery

@Suite struct SHA256Tests {
    // FIPS 180-2, appendices B.1 and B.2; the empty message from NIST's CAVP vectors.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `the standard's messages have the standard's hashes`(message: String, hash: String) {
        let hex = sha256(Array(message.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(hex == hash)
    }

    // RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `base64 is that of the RFC`(plain: String, encoded: String) {
        #expect(base64Text(of: Array(plain.utf8)) == encoded)
    }

    @Test func `the policy names the hashes of what the page holds`() {
        for resource in [GalleryPage.style, GalleryPage.script] {
            #expect(
                GalleryPage(title: "x", rows: []).policy.contains(
                    "'sha256-\(base64Text(of: sha256(resource)))'"))
            #expect(
                written(GalleryPage(title: "x", rows: [])).contains(String(decoding: resource, as: UTF8.self))
            )
            // A browser hashes the text after its newlines were made one kind.
            #expect(!resource.contains(13))
        }
        let script = String(decoding: GalleryPage.script, as: UTF8.self).lowercased()
        #expect(!script.contains("</script") && !script.contains("<!--"))
        #expect(!String(decoding: GalleryPage.style, as: UTF8.self).lowercased().contains("</style"))
    }
}
