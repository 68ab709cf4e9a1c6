// What is beside what, by names alone.
extension Sidecar {
    private static let endings = [".xmp", ".XMP", ".Xmp"]

    /// Whether a file has the name of a sidecar: `.xmp` in any case.
    package static func isNamedSo(_ name: [UInt8]) -> Bool {
        name.count > 4 && name.suffix(4).elementsEqual(".xmp".utf8) { $0 | 0x20 == $1 }
    }

    /// The paths of a photo's sidecars without `.xmp`: its own, and that of all photos of the same stem.
    static func stems(of photo: BytePath) -> [BytePath] {
        let name = photo.name
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { return [photo] }
        return [photo, BytePath(photo.bytes.dropLast(name.count - dot))]
    }

    /// The path of a sidecar without `.xmp`.
    static func stem(of sidecar: BytePath) -> BytePath { BytePath(sidecar.bytes.dropLast(4)) }

    /// The paths that a sidecar of a photo may have.
    static func paths(for photo: BytePath) -> [BytePath] {
        stems(of: photo).flatMap { stem in endings.map { BytePath(stem.bytes + $0.utf8) } }
    }

    /// The files that may be the sidecar of a photo: its own, and that of its stem.
    static func files(for photo: BytePath) -> [BytePath] { stems(of: photo).compactMap(file) }

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
