import ArgumentParser
import Foundation
import ManagedObjects
import MoodyIngest
import MoodyModel
import StoreTools

/// A store that any program of Core Data or SwiftData made, and only read.
struct StoreArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A store of Core Data or SwiftData (default: $MOODY_STORE, else Moody.moody).",
            valueName: "file"))
    var file: BytePath?

    /// As the user would write it.
    var path: BytePath {
        var options = StoreOptions()
        options.store = file
        return options.path
    }

    /// - Throws: ``StoreProblem``, which names the file and says why.
    func contents() throws -> StoreContents { try StoreSource.contents(of: path) }

    /// Like ``contents()``, but an XML store is shown, too.
    func shown() throws -> any ShownStore { try StoreSource.shown(path) }
}

enum StoreSource {
    /// Opens a store by the model that it holds; one of Moody's first releases, which holds none, by Moody's.
    ///
    /// - Throws: ``StoreProblem``.
    static func contents(of path: BytePath) throws -> StoreContents {
        do {
            try checkFile(path)
            let url = try StoreOptions.location(of: path)
            if XMLShownStore.isXML(url) {
                throw StoreProblem(
                    "\(path): an XML store: it has no tables; info, dump, model and convert read it")
            }
            let model = try ManagedObjectModel(ofStoreAt: url)
            if model.isInferred, let own = try? StoreContents(url, .moody()) { return own }
            return try StoreContents(url, model)
        } catch let problem as StoreProblem { throw problem } catch { throw StoreProblem(path, error) }
    }

    /// Like ``contents(of:)``, but an XML store is shown, too.
    ///
    /// - Throws: ``StoreProblem``.
    static func shown(_ path: BytePath) throws -> any ShownStore {
        do {
            try checkFile(path)
            let url = try StoreOptions.location(of: path)
            if XMLShownStore.isXML(url) { return try XMLShownStore(url) }
        } catch let problem as StoreProblem { throw problem } catch { throw StoreProblem(path, error) }
        return try contents(of: path)
    }

    /// A model of a store, a compiled model, or a file of Xcode's editor.
    ///
    /// - Throws: ``StoreProblem``.
    static func model(of path: BytePath, version: String?) throws -> ManagedObjectModel {
        do {
            let url = try StoreOptions.location(of: path)
            let isFolder = try FileStatus(at: path).kind == .folder
            if isFolder, !["xcdatamodeld", "xcdatamodel", "momd"].contains(url.pathExtension) {
                throw FileError(code: EISDIR)
            }
            if !isFolder { try checkFile(path) }
            let model = try ModelSource.model(at: url, version: version)
            if model.isInferred, let own = try? StoreContents(url, .moody()) { return own.model }
            return model
        } catch let problem as StoreProblem { throw problem } catch let error as ModelFileError {
            // It names its file.
            throw StoreProblem("\(path)\(error.line.map { ":\($0)" } ?? ""): \(error.reason)")
        } catch { throw StoreProblem(path, error) }
    }

    /// Whether a store is Moody's own.
    static func isMoody(_ path: BytePath, ofType type: PersistentStoreCoordinator.StoreType = .sqlite) -> Bool
    {
        guard let url = try? StoreOptions.location(of: path), let model = try? ManagedObjectModel.moody(),
            (try? Migration(versions: model.earlierVersions + [model]).version(
                ofStoreAt: url, ofType: type, configuration: nil)) != nil
        else { return false }
        return true
    }

    /// Refuses what SQLite would wait for, or would not explain.
    private static func checkFile(_ path: BytePath) throws {
        let status: FileStatus
        do throws(FileError) {
            status = try FileStatus(at: path)
            if status.kind == .folder { throw FileError(code: EISDIR) }
            if status.kind != .regular { throw .notRegular }
        } catch { throw StoreProblem(path, error) }
        if status.file.size == 0 { throw StoreProblem("\(path): empty, and so no Core Data store") }
    }
}

/// How a listing is printed.
enum ListingFormat: String, ExpressibleByArgument, CaseIterable { case text, json, csv }
