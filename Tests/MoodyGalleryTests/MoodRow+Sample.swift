import MoodyGallery

extension MoodRow {
    /// A landscape photo with a two-color palette; each test changes what it is about.
    static func sample(
        id: Int64 = 1, name: String = "lake.jpg", day: Int32 = 20_240_628, shares: [Double] = [0.75, 0.25]
    ) -> MoodRow {
        MoodRow(
            id: id, name: name, path: "trip/\(name)", day: day, time: "14:03", width: 3000, height: 2000,
            swatches: shares.enumerated().map { index, share in
                Swatch(red: UInt8(index), green: 25, blue: 112, share: share, name: "midnight blue")
            },
            thumbnail: [0xFF, 0xD8, 0xFF], place: "Iceland", camera: "Canon EOS 5D", notes: ["no EXIF date"])
    }
}

func written(_ page: GalleryPage) -> String {
    var text = ""
    page.write { text += $0 }
    return text
}
