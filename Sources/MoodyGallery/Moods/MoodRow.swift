import Texts

/// The values of a mood that a page shows: plain values, so that a page can be written without a store.
///
/// Texts are as people know them, not escaped: `HTML` does that where they are written.
package struct MoodRow: Sendable, Equatable {
    /// A color of the palette and how much of the photo it stands for.
    package struct Swatch: Sendable, Equatable {
        /// sRGB, 0...255 a channel.
        package var red, green, blue: UInt8
        /// Share of the photo's opaque pixels, 0...1.
        package var share: Double
        /// The color in words, "midnight blue"; empty when it has none.
        package var name: String
        /// As CSS writes it, where sRGB has not the color; else empty.
        package var displayP3 = ""

        package init(red: UInt8, green: UInt8, blue: UInt8, share: Double, name: String = "") {
            self.red = red
            self.green = green
            self.blue = blue
            self.share = share
            self.name = name
        }
    }

    /// The number by which `moody list` knows the mood; unique on a page, where it is the address of the
    /// photo.
    package var id: Int64
    /// The file's name. May be long, right-to-left, or look like markup.
    package var name: String
    /// Shown with the photo's facts, and searched; empty on pages that keep it for themselves.
    package var path: String
    /// The photo's own day as yyyymmdd, 20240628; 0 when unknown.
    package var day: Int32
    /// Whether `day` is the photo's own; false for its file's time, under which no photo stands as taken.
    package var isDated = true
    /// The photo's own time of day, "14:03"; empty when unknown.
    package var time: String
    /// Pixels of the photo, upright; 0 when unknown.
    package var width, height: Int
    /// Largest share first; empty for a picture without opaque pixels.
    package var swatches: [Swatch]
    /// A JPEG of about 320 pixels on its long side; empty when there is none.
    package var thumbnail: [UInt8]
    /// A picture of twice the thumbnail's size lies at ``sharpName``.
    package var hasSharp = false
    /// A larger picture lies at ``largeName``.
    package var hasLarge = false
    package var place: String, camera: String
    /// Notes about the photo, one sentence each.
    package var notes: [String]

    package init(
        id: Int64, name: String, path: String, day: Int32 = 0, time: String = "",
        width: Int, height: Int, swatches: [Swatch], thumbnail: [UInt8],
        place: String = "", camera: String = "", notes: [String] = []
    ) {
        self.id = id
        self.name = name
        self.path = path
        self.day = day
        self.time = time
        self.width = width
        self.height = height
        self.swatches = swatches
        self.thumbnail = thumbnail
        self.place = place
        self.camera = camera
        self.notes = notes
    }
}

extension MoodRow.Swatch {
    /// "#191970": what a click copies.
    var hex: String { "#" + Hexadecimal.text([red, green, blue]) }
}
