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

    /// A page that tells a person why there is no gallery, with a field for the token where that is missing.
    package static func refusal(title: String, reason: String, asksForToken: Bool) -> Live {
        let style = """
            body{max-width:32rem;margin:4rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif;\
            color-scheme:light dark}
            """
        let form: HTML = """
            <p>The address that moody serve prints has it.
            <form method="get"><label>Token <input name="token" type="password" required autofocus></label>
            <button>Enter</button></form>
            """
        let html: HTML = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width,initial-scale=1">
            <title>\(title)</title>
            <style>\(.resource(Array(style.utf8)))</style>
            <main><h1>\(title)</h1>
            <p>\(reason.prefix(1).uppercased() + reason.dropFirst()).
            \(asksForToken ? form : "")</main>
            </html>

            """
        let policy = """
            default-src 'none'; style-src 'sha256-\(Data(sha256(style.utf8)).base64EncodedString())'; \
            form-action 'self'; base-uri 'none'; frame-ancestors 'none'
            """
        return Live(html: Array(html.text.utf8), policy: policy)
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

    /// Ends of files that a browser knows no kind of, and would hide when photos are picked.
    private static let rawEnds = [
        "3fr", "arw", "cr2", "cr3", "crw", "dcr", "dng", "erf", "iiq", "kdc", "mef", "mos", "mrw", "nef",
        "nrw", "orf", "pef", "raf", "raw", "rw2", "rwl", "sr2", "srf", "srw", "x3f", "heic", "avif", "jxl",
    ].map { "." + $0 }.joined(separator: ",")

    var liveFoot: HTML {
        if kind == .export { return "" }
        return """
            <section id="uploads" aria-label="Photos on their way" hidden>\
            <p><progress aria-label="Photos sent"></progress><span></span>\
            <button name="retry" type="button" hidden>Retry all</button>\
            <button name="cancel" type="button" hidden>Cancel</button>\
            <button name="close" type="button" hidden>Close</button></p><ul></ul></section>
            <div id="notes" role="status"></div>
            <input type="file" id="picker" multiple accept="image/*,\(Self.rawEnds)" \
            aria-label="Photos to add" hidden>
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
