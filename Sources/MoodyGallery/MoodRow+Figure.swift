extension MoodRow {
    /// The photo, its palette and its facts: whole without a script, which only folds the lists away.
    var figure: HTML {
        """
        <figure id="m\(id)" class="\(aspectClass)">
        <a href="#m\(id)">\(picture)</a>
        \(strip)
        <figcaption><bdi title="\(name)">\(name)</bdi>\(date)</figcaption>
        \(list)\(facts)</figure>

        """
    }

    private var picture: HTML {
        if thumbnail.isEmpty { return "<span class=\"blank\">\(name)</span>" }
        return "<img src=\"data:image/jpeg;base64,\(base64: thumbnail)\" alt=\"\(name)\" decoding=\"async\">"
    }

    private var strip: HTML {
        if swatches.isEmpty { return "<p class=\"strip none\">No palette</p>" }
        var rects: HTML = ""
        for (swatch, piece) in zip(swatches, Strip(shares: swatches.map(\.share)).pieces) {
            rects += """
                <rect x="\(decimal(piece.start))%" width="\(decimal(piece.width))%" height="100%" fill="\(swatch.hex)"/>
                """
        }
        return "<svg class=\"strip\" aria-hidden=\"true\">\(rects)</svg>"
    }

    private var date: HTML {
        guard let day = Day(day) else { return "" }
        return "<time datetime=\"\(day.iso)\(time.isEmpty ? "" : "T" + time)\">\(day.short)</time>"
    }

    private var list: HTML {
        if swatches.isEmpty { return "" }
        var items: HTML = ""
        for swatch in swatches {
            let name = swatch.name.isEmpty ? "" : " " + swatch.name
            items += "<li>\(swatch.hex)\(name), \(percent(swatch.share))</li>"
        }
        return "<ol>\(items)</ol>\n"
    }

    private var facts: HTML {
        var items: HTML = ""
        func add(_ term: HTML, _ text: String) {
            if !text.isEmpty { items += "<dt>\(term)<dd><bdi>\(text)</bdi>" }
        }
        add("Place", place)
        add("Camera", camera)
        if width > 0, height > 0 { add("Size", "\(width) × \(height)") }
        add("File", path)
        for note in notes { add("Note", note) }
        return "<dl>\(items)</dl>\n"
    }

    /// Width over height in steps of 0.05, 0.5...3: a class, for a `style` attribute would need a weaker policy.
    private var aspectClass: String {
        let aspect = width > 0 && height > 0 ? Double(width) / Double(height) : 1.5
        return "a\(Int((min(max(aspect, 0.5), 3) * 20).rounded()) * 5)"
    }
}

/// A share as people say it: "41 %", and what is there but rounds to nothing as "< 1 %".
func percent(_ share: Double) -> String {
    let whole = (share * 100).rounded()
    if whole >= 1 { return "\(Int(min(whole, 100))) %" }
    return share > 0 ? "< 1 %" : "0 %"
}
