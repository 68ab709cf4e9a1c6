import Digests
import Foundation
import Testing

@testable import MoodyGallery

@Suite struct PagePolicyTests {
    @Test func `the policy names the hashes of what the page holds`() {
        for resource in [GalleryPage.style, GalleryPage.script] {
            let hash = Data(sha256(resource)).base64EncodedString()
            #expect(GalleryPage(title: "x", rows: []).policy.contains("'sha256-\(hash)'"))
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

    // RFC 4648, section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func `pictures stand in the page in the RFC's base64`(plain: String, encoded: String) {
        let html: HTML = "<img src=\"data:,\(base64: Array(plain.utf8))\">"
        #expect(html.text == "<img src=\"data:,\(encoded)\">")
    }
}
