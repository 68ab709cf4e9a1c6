// What is beside what, by names alone.
extension Sidecar {
    private static let endings = [".xmp", ".XMP", ".Xmp"]

    private static let takeoutEnding = Array(".json".utf8)

    /// Whether a file has the name of a sidecar: `.xmp` in any case, or `.json`.
    package static func isNamedSo(_ name: [UInt8]) -> Bool {
        name.count > 4 && name.suffix(4).elementsEqual(".xmp".utf8) { $0 | 0x20 == $1 }
            || isNamedTakeout(name)
    }

    static func isNamedTakeout(_ name: [UInt8]) -> Bool {
        name.count > takeoutEnding.count && name.suffix(takeoutEnding.count).elementsEqual(takeoutEnding)
    }

    /// The paths of a photo's sidecars without `.xmp` and `.json`.
    static func stems(of photo: BytePath) -> [BytePath] { xmpStems(of: photo) + takeoutStems(of: photo) }

    private static func takeoutStems(of photo: BytePath) -> [BytePath] {
        Takeout.names(for: photo.name).map { photo.folder.appending($0.name) }
    }

    /// The files of Takeout that a photo may have, with the titles in them.
    static func takeouts(for photo: BytePath) -> [(path: BytePath, title: String)] {
        Takeout.names(for: photo.name).map { (photo.folder.appending($0.name + takeoutEnding), $0.title) }
    }

    static func takeoutFiles(for photo: BytePath) -> [BytePath] {
        takeouts(for: photo).map(\.path).filter { (try? FileStatus(at: $0))?.kind == .regular }
    }

    /// The paths of a photo's XMP files without `.xmp`: its own, and that of all photos of the same stem.
    static func xmpStems(of photo: BytePath) -> [BytePath] {
        let name = photo.name
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return [photo] }
        return [photo, BytePath(photo.bytes.dropLast(name.count - dot))]
    }

    /// The path of a sidecar without `.xmp` or `.json`.
    static func stem(of sidecar: BytePath) -> BytePath {
        BytePath(sidecar.bytes.dropLast(isNamedTakeout(sidecar.name) ? takeoutEnding.count : 4))
    }

    /// The paths that a sidecar of a photo may have.
    static func paths(for photo: BytePath) -> [BytePath] {
        xmpStems(of: photo).flatMap { stem in endings.map { BytePath(stem.bytes + $0.utf8) } }
            + takeouts(for: photo).map(\.path)
    }

    /// The XMP files that may tell of a photo: its own, and that of its stem.
    package static func files(for photo: BytePath) -> [BytePath] { xmpStems(of: photo).compactMap(file) }

    /// The sidecar of a photo in a folder of sidecars: it lies there as the photo does in the root folder.
    package static func path(of photo: BytePath, in folder: BytePath) -> BytePath {
        BytePath(folder.appending(Array(photo.bytes.drop { $0 == slash })).bytes + endings[0].utf8)
    }

    /// The sidecar that words of a photo go to: the one that tells of it, else a new one of its own.
    ///
    /// - Throws: ``SidecarRefusal`` for one that tells of other photos too.
    package static func place(for photo: BytePath) throws -> BytePath {
        let stems = xmpStems(of: photo)
        guard file(of: stems[0]) == nil, stems.count > 1, let shared = file(of: stems[1]),
            tells(shared, of: photo)
        else { return file(of: stems[0]) ?? BytePath(photo.bytes + endings[0].utf8) }
        let photos = photos(beside: [shared]).filter {
            $0 == photo || isNamedAsPhoto($0.name) && file(of: $0) == nil && tells(shared, of: $0)
        }
        if photos.count > 1 {
            let names = photos.map { BytePath($0.name).description }.sorted().joined(separator: ", ")
            let name = BytePath(shared.name).description
            throw SidecarRefusal(description: "\(name) is of \(photos.count) photos: \(names)")
        }
        return shared
    }

    static func file(of stem: BytePath) -> BytePath? {
        endings.lazy.map { BytePath(stem.bytes + $0.utf8) }
            .first { (try? FileStatus(at: $0))?.kind == .regular }
    }

    /// The files that sidecars among these paths may tell of, whether the sidecars are there or not.
    static func photos(beside paths: [BytePath]) -> Set<BytePath> {
        let stems = Set(paths.filter { isNamedSo($0.name) }.map(stem))
        let files = Set(stems.map(\.folder)).flatMap { folder in
            ((try? folder.entries()) ?? []).filter { !isNamedSo($0) }.map(folder.appending)
        }
        return Set(files.filter { Self.stems(of: $0).contains(where: stems.contains) })
    }
}
