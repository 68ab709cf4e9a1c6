import Digests
import Foundation

extension GalleryPage {
    /// Nothing from anywhere, but the pictures in the page and the one style and the one script whose texts
    /// have these hashes. Content Security Policy Level 3, section 2.3.1.
    var policy: String {
        """
        default-src 'none'; img-src \(pictures == .inside ? "data:" : "'self'"); \(Self.texts); \
        base-uri 'none'; form-action 'none'
        """
    }

    private static let texts = """
        style-src 'sha256-\(Data(sha256(style)).base64EncodedString())'; \
        script-src 'sha256-\(Data(sha256(script)).base64EncodedString())'
        """

    static let style = PackageResources.page_css
    static let searchScript = PackageResources.search_js
    static let script = PackageResources.page_js

    var head: HTML {
        let dated = Section.areDated(rows)
        return """
            <!doctype html>
            <html lang="en">
            <!-- Written by moody, which may replace this file. -->
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="\(policy)">
            <meta name="viewport" content="width=device-width,initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="generator" content="moody">
            <title>\(title)</title>
            <style>\(.resource(Self.style))</style>
            <header>
            <h1><bdi>\(title)</bdi></h1>
            <form role="search"><input type="search" name="q" autocomplete="off" spellcheck="false" \
            placeholder="Name, month or colour" aria-label="Search by name, month or colour, such as teal or #3366cc">\
            </form>
            <p id="count" role="status">\(rows.count == 1 ? "1 photo" : "\(rows.count) photos")</p>
            <div role="group" aria-label="Order" id="order">\
            \(dated ? "" : asGiven)\
            <button aria-pressed="\(dated)" value="date">Date</button>\
            <button aria-pressed="false" value="hue">Hue</button>\
            <button aria-pressed="false" value="lightness">Lightness</button></div>
            </header>
            <main\(dated ? "" : mixed)>

            """
    }

    var foot: HTML {
        """
        </main>
        <dialog id="view" aria-labelledby="view-name">
        <div class="bar"><span class="at"></span><button name="previous">Previous</button>\
        <button name="next">Next</button><button name="close">Close</button></div>
        <div class="photo"></div>
        <div class="about"><h2 id="view-name"><bdi></bdi></h2><p class="when"></p>
        <p class="nothing">No palette: nothing in this picture is opaque.</p><ol></ol>
        <p class="all"><button name="css">Copy all as CSS</button></p><dl></dl></div>
        </dialog>
        <output id="said"></output>
        <script>\(.resource(Self.script))</script>
        </html>

        """
    }
}

/// The order of rows that do not go by date; the others are called by what they are.
private let asGiven: HTML = "<button aria-pressed=\"true\" value=\"given\">As given</button>"

/// Days without a month above them are written with their year.
private let mixed: HTML = " class=\"mixed\""
