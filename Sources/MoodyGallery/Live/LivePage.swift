import Digests
import Foundation
import MoodyModel

extension GalleryPage {
    /// The use of a page.
    enum Kind: Equatable {
        /// To be opened from a disk, with its rows in it.
        case export
        /// To be served, with rows that come and change. `maxUpload`: bytes of a photo.
        case live(isReadOnly: Bool, maxUpload: Int)
    }

    /// The live page as it is sent to each browser: without rows, which come from the server.
    package struct Live: Sendable {
        package let html: [UInt8]
        /// For the field `Content-Security-Policy`: only there it can forbid framing.
        package let policy: String
    }

    package static func live(title: String, isReadOnly: Bool, maxUpload: Int) -> Live {
        var page = GalleryPage(title: title, rows: [], pictures: .beside)
        page.kind = .live(isReadOnly: isReadOnly, maxUpload: maxUpload)
        var html: [UInt8] = []
        page.write { html += Array($0.utf8) }
        return Live(html: html, policy: livePolicy)
    }

    private static let livePolicy = """
        default-src 'none'; img-src 'self' blob:; connect-src 'self'; media-src 'self' blob:; \
        style-src 'sha256-\(Data(sha256(liveStyle)).base64EncodedString())'; \
        script-src 'sha256-\(Data(sha256(liveScript)).base64EncodedString())'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """

    static let liveNoscript: HTML = """
        <noscript><p class="empty">This page is live and needs scripts; <code>moody export html</code> \
        writes one that does not.</p></noscript>

        """

    private var takesPhotos: Bool {
        if case .live(isReadOnly: false, _) = kind { true } else { false }
    }

    /// Behind the orders: what adds photos, and a line for what the server is doing.
    var liveHeader: HTML {
        if kind == .export { return "" }
        let adds: HTML = """
            <div id="adds"><button class="do" name="add" type="button">Add</button>\
            <button class="do" name="camera" type="button">Camera</button></div>

            """
        return """
            \(takesPhotos ? adds : "")<details id="problems" hidden><summary></summary><ul></ul></details>
            <div id="state"><p id="progress" hidden><span></span><i></i></p>\
            <p id="lost" role="status"></p></div>

            """
    }

    var liveDelete: HTML { takesPhotos ? "<button name=\"delete\">Delete</button>" : "" }

    var liveFoot: HTML {
        if kind == .export { return "" }
        return """
            <ul id="uploads" aria-label="Photos on their way" hidden></ul>
            <div id="notes" role="status"></div>
            <input type="file" id="picker" multiple accept="image/*" aria-label="Photos to add" hidden>
            <input type="file" id="capture" accept="image/*" capture="environment" \
            aria-label="Photo to take" hidden>
            <dialog id="camera" aria-label="Camera"><video autoplay playsinline muted></video><div>\
            <button name="close" type="button">Close</button>\
            <button name="shoot" type="button" autofocus aria-label="Take a photo"></button>\
            <button name="flip" type="button" hidden>Flip</button></div></dialog>

            """
    }

    /// The fields that only the script of a live page reads.
    var liveData: [(String, JSON)] {
        guard case .live(let isReadOnly, let maxUpload) = kind else { return [] }
        return [
            ("live", true), ("readOnly", .bool(isReadOnly)), ("maxUpload", .number(Int64(maxUpload))),
        ]
    }
}
