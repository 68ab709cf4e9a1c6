extension MoodRow {
    /// Beside a page with its pictures beside it: thumbnails, and larger pictures for the large view.
    package static let pictureFolder = "pictures", sharpFolder = "sharp", largeFolder = "large"

    /// "pictures/12.jpg": where a page with its pictures beside it looks for this row's thumbnail.
    package var pictureName: String { "\(Self.pictureFolder)/\(id).jpg" }

    /// "sharp/12.jpg": where it looks for a picture of twice that size, if ``hasSharp``.
    package var sharpName: String { "\(Self.sharpFolder)/\(id).jpg" }

    /// "large/12.jpg": where its large view looks for a larger picture, if ``hasLarge``.
    package var largeName: String { "\(Self.largeFolder)/\(id).jpg" }

    /// The photo, its palette and its facts: whole without a script, which only folds the lists away.
    func figure(_ pictures: GalleryPage.Pictures) -> HTML {
        """
        <figure id="m\(id)" class="\(aspectClass)">
        <a href="#m\(id)">\(image(pictures))</a>
        \(palette)
        <figcaption><bdi title="\(name)">\(name)</bdi>\(date)</figcaption>
        \(list)\(facts)</figure>

        """
    }

    private func image(_ pictures: GalleryPage.Pictures) -> HTML {
        if pictures == .beside {
            let sharp: HTML =
                hasSharp ? " srcset=\"\(pictureName) 320w, \(sharpName) 640w\" sizes=\"24rem\"" : ""
            return "<img src=\"\(pictureName)\" alt=\"\(name)\" loading=\"lazy\" decoding=\"async\"\(sharp)>"
        }
        if thumbnail.isEmpty { return "<span class=\"blank\">\(name)</span>" }
        return "<img src=\"data:image/jpeg;base64,\(base64: thumbnail)\" alt=\"\(name)\" decoding=\"async\">"
    }

    private var palette: HTML {
        swatches.isEmpty ? "<p class=\"strip none\">No palette</p>" : strip(of: swatches, class: "strip")
    }

    private var date: HTML {
        guard isDated, let day = Day(day) else { return "" }
        return """
            <time datetime="\(day.iso)\(time.isEmpty ? "" : "T" + time)">\(day.day)\
            <span> \(day.monthName)</span><span> \(day.year)</span></time>
            """
    }

    private var list: HTML {
        if swatches.isEmpty { return "" }
        var items: HTML = ""
        for swatch in swatches {
            let name = swatch.name.isEmpty ? "" : " " + swatch.name
            items += "<li><b>\(swatch.hex)</b>\(name), \(percent(swatch.share))</li>"
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

    /// Width over height in steps of 0.05, 0.5...3: a class, for a `style` attribute would need a weaker
    /// policy. And whether it is taller than wide: then its caption has little room.
    private var aspectClass: String {
        let aspect = aspect
        let steps = Int((min(max(aspect, 0.5), 3) * 20).rounded())
        return "a\(steps * 5)" + (steps < 20 ? " tall" : "")
    }
}

extension MoodRow {
    /// Width over height; 1.5 when that is not known.
    var aspect: Double { width > 0 && height > 0 ? Double(width) / Double(height) : 1.5 }
}

/// A share as people say it: "41 %", and what is there but rounds to nothing as "< 1 %".
func percent(_ share: Double) -> String {
    let whole = (share * 100).rounded()
    if whole >= 1 { return "\(Int(min(whole, 100))) %" }
    return share > 0 ? "< 1 %" : "0 %"
}
