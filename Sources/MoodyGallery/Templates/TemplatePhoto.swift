package import MoodyModel
package import Palettes

/// A photo and its palette, as templates know it. What is not known is empty.
package struct TemplatePhoto: Sendable {
    /// The last part of the path.
    package var name: String
    /// What the photo is called where several stand one behind the other; its name unless set.
    package var title: String
    /// The elements that a style sheet's rule for the photo is for.
    package var selector = ":root"
    package var palette: Palette
    package var path = ""
    /// "2024-06-28T14:03:07", "2024-06-28"
    package var date = "", day = ""
    package var camera = ""
    package var width = "", height = ""
    package var country = ""
    /// The mood's number.
    package var id = ""
    /// The user's own names of colors.
    package var names: NearestNames?

    package init(name: String, palette: Palette) {
        self.name = name
        title = name
        self.palette = palette
    }
}

extension TemplatePhoto {
    package init(_ record: MoodRecord) {
        self.init(name: record.name, palette: record.palette)
        selector = ".mood-\(record.id)"
        path = record.photoPath.text ?? record.photoPath.shown
        if record.isDated {
            date = record.dateText
            day = record.dayText
        }
        camera = record.camera ?? ""
        width = String(record.width)
        height = String(record.height)
        country = record.country?.name ?? ""
        id = String(record.id)
    }

    /// Takes what a photo says of itself.
    package mutating func set(_ facts: CaptureInfo) {
        if facts.dateSource.isDayTaken {
            let shown = ShownDate(date: facts.date, offset: facts.timeZoneOffset, day: facts.day)
            date = shown.text
            day = shown.dayText
        }
        camera = facts.camera ?? ""
        width = String(facts.width)
        height = String(facts.height)
        if let latitude = facts.latitude, let longitude = facts.longitude {
            country = CountryTable.country(latitude: latitude, longitude: longitude)?.name ?? ""
        }
    }
}
