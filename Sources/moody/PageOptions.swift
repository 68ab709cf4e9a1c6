import ArgumentParser
import MoodyGallery

/// Options of the contents of a page.
struct PageOptions: ParsableArguments {
    @Flag(help: "html: show where each file lies. Without it a page has the names of files alone.")
    var withPaths = false

    @Flag(help: "html: show where each photo was taken.")
    var withPlaces = false

    @Option(
        help: ArgumentHelp(
            "html: pixels on the long side of its pictures, 320...1600, read from the photos; 320 are the "
                + "store's own. Default: 640.",
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
