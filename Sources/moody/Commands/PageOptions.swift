import ArgumentParser
import MoodyGallery

/// Options of the contents of a page.
struct PageOptions: ParsableArguments {
    @Flag(help: "html: show the folder of each photo, not only its name.")
    var withPaths = false

    @Flag(help: "html: show where each photo was taken.")
    var withPlaces = false

    @Option(
        help: ArgumentHelp(
            "html: size of the pictures, in pixels on the long side: 320 (the store's own) to 1600, read "
                + "from the photos (default: 640).",
            valueName: "pixels"))
    var thumbnail = 640

    func validate() throws {
        if !(320...1600).contains(thumbnail) {
            throw UsageError("--thumbnail must be 320...1600, not \(thumbnail).")
        }
    }

    func content(title: String) -> PageContent {
        PageContent(
            title: title, privacy: PagePrivacy(showsPaths: withPaths, showsPlaces: withPlaces),
            thumbnail: thumbnail)
    }
}
