import Foundation

/// Finds the archive of a compiled model: a `.mom`, or the one of a `.momd` that is asked for.
enum CompiledModel {
    /// - Returns: nil for a model that is not compiled.
    /// - Throws: ``ModelFileError``.
    static func bytes(of url: URL, _ version: String?) throws(ModelFileError) -> [UInt8]? {
        if url.pathExtension == "momd" { return try bytes(of: try current(url, version)) }
        return url.pathExtension == "mom" ? try bytes(of: url) : nil
    }

    private static func bytes(of url: URL) throws(ModelFileError) -> [UInt8] {
        guard let data = try? Data(contentsOf: url) else {
            throw ModelFileError(url.path, "no such file, or it cannot be read")
        }
        if data.starts(with: Array("momv2$".utf8)) {
            throw ModelFileError(url.path, "an optimized model (.omo); the .mom beside it can be read")
        }
        return [UInt8](data)
    }

    private static func current(_ folder: URL, _ version: String?) throws(ModelFileError) -> URL {
        let names = ManagedObjectModel.versionNames(inFileAt: folder)
        let marked = version ?? markedVersion(of: folder)
        guard let name = marked ?? (names.count == 1 ? names[0] : nil) else {
            throw ModelFileError(
                folder.path, "no version is marked as the current: \(names.joined(separator: ", "))")
        }
        guard names.contains(name) else {
            throw ModelFileError(
                folder.path, "there is no version \(name); there are: \(names.joined(separator: ", "))")
        }
        return folder.appending(path: name + ".mom")
    }

    private static func markedVersion(of folder: URL) -> String? {
        let file = folder.appending(path: "VersionInfo.plist")
        guard let data = try? Data(contentsOf: file) else { return nil }
        let info = try? PropertyListValue(decoding: data).dictionary
        return info?["NSManagedObjectModel_CurrentVersionName"]?.text
    }
}
