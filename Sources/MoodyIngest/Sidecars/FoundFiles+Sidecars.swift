extension FoundFiles {
    /// These files, and the sidecars beside those that were named.
    var withSidecarsOfNamedFiles: FoundFiles {
        let named = files.filter(\.isNamed)
        if named.isEmpty { return self }
        var all = self
        var paths = Set(files.map(\.path))
        for photo in named where !Sidecar.isNamedSo(photo.name) {
            for path in Sidecar.files(for: photo.path) + Sidecar.takeoutFiles(for: photo.path)
            where paths.insert(path).inserted {
                guard let file = (try? FileStatus(at: path))?.file else { continue }
                all.files.append(
                    FoundFile(folder: photo.folder, name: path.name, file: file, isNamed: false))
            }
        }
        return all
    }
}
