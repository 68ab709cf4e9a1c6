public import Foundation

extension ManagedObjectModel {
    /// The model in a file of Xcode's editor: a `.xcdatamodeld` of several versions, one `.xcdatamodel`, or
    /// its `contents`; or a compiled one: a `.momd` of several versions, or a `.mom`.
    ///
    /// - Parameters:
    ///   - version: the name of a version, as `Moody 2`; without one that which is marked as the current, or
    ///     the only one.
    ///   - classes: Swift classes of entities, by their names. Entities without one have values by name.
    /// - Throws: ``ModelFileError`` with file, line and reason; ``ModelError`` of the classes.
    public convenience init(
        contentsOf url: URL, version: String? = nil, classes: [ManagedObject.Type] = []
    ) throws {
        if let compiled = try CompiledModel.bytes(of: url, version) {
            if !classes.isEmpty {
                throw ModelFileError(url.path, "a compiled model, whose entities take no classes")
            }
            do { try self.init(archived: compiled) } catch { throw ModelFileError(url.path, "\(error)") }
            return
        }
        let reader = try ModelReader(try Self.contents(of: url, version))
        var declarations = reader.entities
        for objectClass in classes {
            let description = try ClassDescription.describing(objectClass)
            guard let index = declarations.firstIndex(where: { $0.name == description.name }) else {
                throw ModelFileError(reader.file, "no entity \(description.name) for the class")
            }
            declarations[index].binding = try description.entity(among: classes).binding
        }
        do {
            try self.init(
                entities: declarations, configurations: reader.configurations,
                versionIdentifiers: reader.versionIdentifiers, fetchRequestTemplates: reader.templates)
        } catch {
            let line = error.entityName.flatMap { reader.lines[$0] }
            throw ModelFileError(reader.file, line: line, "\(error)")
        }
        for objectClass in classes {
            let description = try ClassDescription.describing(objectClass)
            for name in description.names where entity(named: description.name)?.slot(of: name) == nil {
                throw ModelError.unknownProperty(entity: description.name, property: name)
            }
        }
    }

    /// All the models at these places in one; nil where there is none.
    ///
    /// - Parameter bundles: the main bundle without them.
    /// - Throws: ``ModelFileError``; ``ModelError/differentEntity(_:)``.
    public static func merged(from bundles: [Bundle]? = nil) throws -> ManagedObjectModel? {
        try merged(inFolders: (bundles ?? [.main]).compactMap(\.resourceURL))
    }

    /// Merges the models in folders and their subfolders.
    public static func merged(inFolders folders: [URL]) throws -> ManagedObjectModel? {
        var found: Set<String> = []
        for folder in folders {
            let names = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            while let url = names?.nextObject() as? URL {
                guard ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) else { continue }
                names?.skipDescendants()
                found.insert(url.standardizedFileURL.path)
            }
        }
        if found.isEmpty { return nil }
        return try ManagedObjectModel(
            merging: found.sorted().map { try ManagedObjectModel(contentsOf: URL(fileURLWithPath: $0)) })
    }

    /// The file with the XML.
    private static func contents(of url: URL, _ version: String?) throws -> URL {
        switch url.pathExtension {
        case "xcdatamodeld": return try contents(of: current(url, version), nil)
        case "xcdatamodel":
            let contents = url.appending(path: "contents"), files = FileManager.default
            if !files.fileExists(atPath: contents.path),
                files.fileExists(atPath: url.appending(path: "elements").path)
            {
                throw ModelFileError(url.path, "of Xcode 3, whose files are no XML; save it with a later one")
            }
            return contents
        default: return url
        }
    }

    /// The names of the versions in a folder of them, as ``init(contentsOf:version:classes:)`` takes them.
    ///
    /// - Returns: none for a model of one version.
    public static func versionNames(inFileAt url: URL) -> [String] {
        guard ["xcdatamodeld", "momd"].contains(url.pathExtension) else { return [] }
        let all = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
        let end = url.pathExtension == "momd" ? ".mom" : ".xcdatamodel"
        return all.filter { $0.hasSuffix(end) }.map { String($0.dropLast(end.count)) }.sorted()
    }

    /// The name of the file that an `.xcdatamodeld` marks as its current version, with `.xcdatamodel`; nil
    /// where none is marked.
    package static func markedVersion(inFileAt url: URL) -> String? {
        guard let data = try? Data(contentsOf: url.appending(path: ".xccurrentversion")) else { return nil }
        return try? PropertyListValue(decoding: data).dictionary?["_XCCurrentVersionName"]?.text
    }

    private static func current(_ bundle: URL, _ version: String?) throws -> URL {
        guard let all = try? FileManager.default.contentsOfDirectory(atPath: bundle.path) else {
            throw ModelFileError(bundle.path, "no such folder, or it cannot be read")
        }
        let versions = all.filter { $0.hasSuffix(".xcdatamodel") }.sorted()
        let listed = versions.map { $0.dropLast(".xcdatamodel".count) }.sorted().joined(separator: ", ")
        let marked = version.map { $0 + ".xcdatamodel" } ?? markedVersion(inFileAt: bundle)
        guard let name = marked ?? (versions.count == 1 ? versions[0] : nil) else {
            throw ModelFileError(bundle.path, "no version is marked as the current: \(listed)")
        }
        guard versions.contains(name) else {
            throw ModelFileError(bundle.path, "there is no version \(name); there are: \(listed)")
        }
        return bundle.appending(path: name)
    }
}
