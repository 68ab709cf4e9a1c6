import DataStacks
import Foundation
import MoodyGallery
import MoodyIngest
import Palettes

/// `moody export kitty` and the like: texts that templates make of moods.
struct TemplateExport {
    let templates: TemplateSet
    let list: MoodList
    let variant: Theme.Variant
    /// A file per photo, in the folder `output`.
    let each: Bool
    /// One palette of all photos; nil for a palette per photo.
    let combined: PaletteSize?
    let output: BytePath?
    let overwrite: Bool
    /// The user's own names of colors.
    var names: NearestNames?

    /// - Throws: ``StoreError``, ``OutputError``, ``TemplateError``.
    func write(_ stack: DataStack, _ messages: Messages) throws {
        if each { return try writeEach(stack, messages) }
        var photos: [TemplatePhoto] = []
        if let combined {
            var all = CombinedPalette()
            try list.forEach(in: stack) { for record in $0 { all.add(record.palette) } }
            var options = PaletteOptions()
            options.size = combined
            photos = [TemplatePhoto(name: "palette", palette: all.palette(options))]
        } else {
            try list.forEach(in: stack) { photos += $0.map { TemplatePhoto($0) } }
        }
        for index in photos.indices { photos[index].names = names }
        for photo in photos where templates.isTheme && photo.palette.entries.isEmpty {
            messages.note(TemplateSet.grayNote(photo.name))
        }
        try templates.check(
            photos: photos.count, advice: ", or use --combined, or --each with --output DIR")
        try templates.write(photos, variant, to: output, overwrite: overwrite)
    }

    private func writeEach(_ stack: DataStack, _ messages: Messages) throws {
        guard let output, let template = templates.members.first else { return }
        let folder = try SwatchFolder(output)
        try list.forEach(in: stack) { records in
            for record in records {
                var photo = TemplatePhoto(record)
                photo.selector = ":root"
                photo.names = names
                let text = try template.format.text([photo], variant)
                try folder.write(Array(text.utf8), named: record.photoPath.bytes, end: template.ending)
            }
        }
        let count = try folder.finish()
        messages.note("moody: wrote \(output): \(count) \(count == 1 ? "file" : "files")")
    }
}
