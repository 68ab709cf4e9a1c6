package import Images
package import MoodyModel

extension CaptureInfo {
    /// Creates the facts of a photo.
    ///
    /// The sidecar's word first, then the photo's own, then the file's name, then its time, which is taken as
    /// Greenwich's: the same photo gets the same day on every machine.
    ///
    /// - Parameter fileDate: the date of a photo that says none of its own.
    package init(
        _ photo: PhotoMetadata, beside sidecar: Sidecar?, dated fileDate: FileDate, width: Int, height: Int,
        notes: [String]
    ) {
        var metadata = photo
        sidecar?.apply(to: &metadata)
        var date = (fileDate.taken, offset: Int?.none, source: fileDate.source)
        if let taken = metadata.captured {
            let civil = CivilDate(
                year: taken.year, month: taken.month, day: taken.day, hour: taken.hour, minute: taken.minute,
                second: taken.second, nanosecond: taken.nanosecond)
            let source: DateSource =
                switch taken.source {
                case .sidecar: .sidecar
                case .original: .original
                case .digitized: .digitized
                case .gps: .gps
                case .xmp: .xmp
                case .iptc: .iptc
                case .modified: .modified
                }
            if civil.isValid { date = (civil, taken.offsetMinutes, source) }
        }
        self.init(
            taken: date.0, offset: date.offset, source: date.source, width: width, height: height,
            latitude: metadata.latitude, longitude: metadata.longitude,
            camera: metadata.camera, rating: metadata.rating.map { Int16($0) },
            notes: notes + (sidecar?.notes(photo) ?? []))
    }
}
