import Digests
import Foundation

extension GalleryPage {
    /// Nothing from anywhere, but the pictures in the page and the one style and the one script whose texts
    /// have these hashes. Content Security Policy Level 3, section 2.3.1.
    var policy: String {
        """
        default-src 'none'; img-src \(pictures == .inside ? "data:" : "'self' data:"); \
        \(similar.isEmpty ? Self.texts : Self.similarTexts); \
        base-uri 'none'; form-action 'none'
        """
    }

    private static let texts = texts(script)
    private static let similarTexts = texts(similarScript)

    private static func texts(_ script: [UInt8]) -> String {
        """
        style-src 'sha256-\(Data(sha256(style)).base64EncodedString())'; \
        script-src 'sha256-\(Data(sha256(script)).base64EncodedString())'
        """
    }

    static let style = EmbeddedFile.bytes("page.css")
    static let liveStyle = EmbeddedFile.bytes("page.css") + EmbeddedFile.bytes("live.css")
    /// The scripts that need no page: search, and palettes as files.
    static let searchScript =
        EmbeddedFile.bytes("colors.js") + EmbeddedFile.bytes("search.js") + EmbeddedFile.bytes("files.js")
    private static let pageScripts = [
        EmbeddedFile.bytes("photos.js"), EmbeddedFile.bytes("strips.js"), EmbeddedFile.bytes("rows.js"),
        EmbeddedFile.bytes("scrubber.js"), EmbeddedFile.bytes("query.js"), EmbeddedFile.bytes("view.js"),
        EmbeddedFile.bytes("share.js"), EmbeddedFile.bytes("pick.js"), EmbeddedFile.bytes("board.js"),
        EmbeddedFile.bytes("begin.js"),
    ]
    /// The additional scripts of a live page; the last one starts the page.
    private static let liveScripts = [
        EmbeddedFile.bytes("sections.js"), EmbeddedFile.bytes("stream.js"), EmbeddedFile.bytes("live.js"),
        EmbeddedFile.bytes("deleting.js"), EmbeddedFile.bytes("exif.js"), EmbeddedFile.bytes("adding.js"),
        EmbeddedFile.bytes("camera.js"),
    ]
    /// All scripts as one text, so that the policy needs one hash.
    static let script = Array("'use strict';\n".utf8) + searchScript + pageScripts.joined()
    /// That of a page with photos that show the same.
    private static let similarScript =
        Array("'use strict';\n".utf8) + searchScript + pageScripts.dropLast().joined()
        + EmbeddedFile.bytes("similar.js") + EmbeddedFile.bytes("begin.js")
    static let liveScript =
        Array("'use strict';\n".utf8) + searchScript + pageScripts.dropLast().joined() + liveScripts.joined()
        + EmbeddedFile.bytes("begin.js")

    var head: HTML {
        let dated = Section.areDated(rows)
        return """
            <!doctype html>
            <html lang="en">
            \(kind == .export ? mark : "")\
            <meta charset="utf-8">
            \(kind == .export ? metaPolicy : "")\
            <meta name="viewport" content="width=device-width,initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="generator" content="moody">
            <title>\(title)</title>
            \(kind == .export ? preview : "")
            <style>\(.resource(kind == .export ? Self.style : Self.liveStyle))</style>
            <header>
            <h1><bdi>\(title)</bdi></h1>
            <form role="search"><input type="search" name="q" autocomplete="off" spellcheck="false" \
            placeholder="Color, name or month" aria-label="Search by color, such as teal or #3366cc, name \
            or month">\
            </form>
            \(ColorBar(of: rows).html)
            <div id="refine" role="group" aria-label="Refine the search" hidden>\
            <label id="within">Tolerance<input type="range" min="2" max="20" step="1" value="10">\
            <output>10</output></label>\
            <label id="share">At least<input type="range" min="0" max="60" step="5" value="0">\
            <output>0 %</output></label></div>
            <p id="count" role="status">\(rows.count == 1 ? "1 photo" : "\(rows.count) photos")</p>
            <label class="format">Copy as<select name="format"></select></label>
            <div role="group" aria-label="Order" id="order">\
            <button aria-pressed="false" value="match" hidden>Match</button>\
            \(dated ? "" : asGiven)\
            <button aria-pressed="\(dated)" value="date">Date</button>\
            <button aria-pressed="false" value="hue">Hue</button>\
            <button aria-pressed="false" value="lightness">Lightness</button></div>
            \(liveHeader)\
            </header>
            <nav id="scrubber" aria-label="Sections" hidden></nav>
            <main\(dated ? "" : mixed)>

            """
    }

    private var mark: HTML { "<!-- Written by moody, which may replace this file. -->\n" }
    private var metaPolicy: HTML {
        "<meta http-equiv=\"Content-Security-Policy\" content=\"\(policy)\">\n"
    }

    /// What a program shows of a page that it was sent the address of: how many photos, of which years, the
    /// first photo where it lies beside the page, and an icon of the colors that there are.
    private var preview: HTML {
        let photos = rows.count == 1 ? "1 photo" : "\(rows.count) photos"
        let years = rows.filter(Section.isDated).compactMap { Day($0.day)?.year }
        let (first, last) = (years.min() ?? 0, years.max() ?? 0)
        let when = first == 0 ? "" : first == last ? ", \(first)" : ", \(first) to \(last)"
        let words = "\(photos)\(when), with their palettes"
        var html: HTML = """
            <meta name="description" content="\(words)">
            <meta property="og:title" content="\(title)">
            <meta property="og:description" content="\(words)">
            <meta property="og:type" content="website">
            """
        if pictures == .beside, let row = rows.first(where: { !$0.swatches.isEmpty }) {
            let name = row.hasLarge ? row.largeName : row.hasSharp ? row.sharpName : row.pictureName
            html += """

                <meta property="og:image" content="\(name)">
                <meta name="twitter:card" content="summary_large_image">
                """
        }
        let hexes = ColorBar(of: rows).entries.prefix(4).map(\.hex)
        let bars = hexes.enumerated().map { at, hex in
            "%3Crect x='\(at * 4)' width='4' height='16' fill='%23\(hex.dropFirst())'/%3E"
        }
        let icon =
            "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 "
            + "\(max(1, hexes.count) * 4) 16' preserveAspectRatio='none'%3E\(bars.joined())%3C/svg%3E"
        html += """

            <link rel="icon" href="\(icon)">
            """
        return html
    }

    /// Up to the data.
    var foot: HTML {
        """
        </main>
        <dialog id="view" tabindex="-1" aria-labelledby="view-name">
        <div class="bar"><span class="at"></span>\
        <span role="group" aria-label="Ground" class="grounds"><button name="ground" \
        value="page">Page</button>\
        <button name="ground" value="light">Light</button><button name="ground" value="grey">Gray</button>\
        <button name="ground" value="dark">Dark</button></span>\
        <span class="under" role="status"></span>\
        <button name="pick" aria-pressed="false" title="Read colors of the photo (P)">Pick</button>\
        <button name="board" aria-pressed="false" title="Put it on the board (S)">Board</button>\
        <button name="alone" title="Photo alone (F)">Full</button>\
        \(liveDelete)<button name="previous">Previous</button><button name="next">Next</button><button \
        name="close">Close</button></div>
        <div class="photo"></div>
        <figure class="foot"></figure>
        <div class="about"><h2 id="view-name"><bdi></bdi></h2><p class="when"></p>
        <p class="nothing">No palette: nothing in this picture is opaque.</p><ol></ol>
        <div class="pairs"></div>
        <p class="all"><button name="css">Copy all as CSS</button><button name="like">Photos like \
        this</button>\
        <label class="format">Copy as<select name="format"></select></label></p>
        <p class="all saves">Save </p>
        <p class="all cards">Card <button name="card" value="portrait">Portrait</button><button \
        name="card" value="wide">Wide</button><button name="card" value="copy">Copy</button></p>\
        <dl></dl></div>
        </dialog>
        <aside id="board" aria-label="Board" hidden></aside>
        <output id="said"></output>
        \(liveFoot)\
        <script type="application/json" id="data">
        """
    }

    private var scripts: [UInt8] {
        kind != .export ? Self.liveScript : similar.isEmpty ? Self.script : Self.similarScript
    }

    /// Behind the data.
    var end: HTML {
        """
        </script>
        <script>\(.resource(scripts))</script>
        </html>

        """
    }
}

/// The order of rows that do not go by date; the others are called by what they are.
private let asGiven: HTML = "<button aria-pressed=\"true\" value=\"given\">As given</button>"

/// Days without a month above them are written with their year.
private let mixed: HTML = " class=\"mixed\""
