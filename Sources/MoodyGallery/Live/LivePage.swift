extension GalleryPage {
    /// The live page as it is sent to each browser: without rows, which come from the server.
    package struct Live: Sendable {
        package let html: [UInt8]
        /// For `Content-Security-Policy`.
        package let policy: String
    }

    package static func live(title: String, isReadOnly: Bool) -> Live {
        let page = GalleryPage(title: title, rows: [], pictures: .beside)
        var html: [UInt8] = []
        page.write { html += Array($0.utf8) }
        return Live(html: html, policy: page.policy)
    }
}
