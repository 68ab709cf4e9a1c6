import DataStacks
import Foundation
import ManagedObjects
import Testing

/// The order of a model's versions.
@Suite struct MigrationChainTests {
    @Test func `a line, a tree, and no chain at all`() {
        let line: MigrationChain = ["V1", "V2", "V3", "V4"]
        let pairs: MigrationChain = ["V1": "V2", "V2": "V3", "V3": "V4"]
        #expect(line == pairs)
        #expect(line.nextVersion(from: "V2") == "V3" && line.nextVersion(from: "V4") == nil)
        #expect(line.rootVersions == ["V1"] && line.leafVersions == ["V4"])
        let tree: MigrationChain = ["V1": "V3", "V2": "V4", "V3": "V4"]
        #expect(tree.nextVersion(from: "V1") == "V3" && tree.nextVersion(from: "V3") == "V4")
        #expect(tree.nextVersion(from: "V2") == "V4")
        #expect(tree.rootVersions == ["V1", "V2"] && tree.leafVersions == ["V4"])
        #expect(tree.contains("V3") && !tree.contains("V5") && tree.problem == nil)
        let none: MigrationChain = nil, array: MigrationChain = [], dictionary: MigrationChain = [:]
        #expect(none == array && array == dictionary)
        #expect(none.isEmpty && array.isEmpty && dictionary.isEmpty)
        let one: MigrationChain = "V1"
        #expect(one.isEmpty && one.contains("V1") && !one.contains("V2"))
        #expect(!line.isEmpty)
    }

    private static let contradictions: [(MigrationChain, String)] = [
        (["V1", "V2", "V1"], "version V1 is named twice"),
        (MigrationChain([("V1", "V2"), ("V1", "V3")]), "version V1 is named twice"),
        (MigrationChain([("V1", "V2"), ("V1", "V2")]), "version V1 is named twice"),
        (["V1": "V2", "V2": "V3", "V3": "V2"], "V2 → V3 → V2"), (["V1": "V1"], "V1 → V1"),
    ]

    @Test(arguments: contradictions)
    func `a chain that contradicts itself is told before any file is touched`(
        _ chain: MigrationChain, _ problem: String
    ) throws {
        #expect(chain.problem == problem)
        let logger = RecordingLogger()
        let history = try Versions().history(chain)
        #expect(throws: StackError.invalidChain(problem)) { try DataStack(history, logger: logger) }
        #expect(logger.assertions == ["the migration chain is invalid: \(problem)"])
        #expect(logger.entries[0].file.hasSuffix("MigrationChainTests.swift"))
    }

    @Test func `the end of the chain is the stack's model, else the last version`() throws {
        let versions = try Versions(), logger = RecordingLogger()
        #expect(try DataStack(versions.history(nil), logger: logger).modelVersion == "V4")
        let stack = try DataStack(versions.history(["V1", "V2"]), logger: logger)
        #expect(stack.modelVersion == "V2")
        #expect(stack.coordinator.managedObjectModel === versions.models[1])
        #expect(logger.entries.isEmpty)
        _ = try DataStack(versions.history(["V0", "V2"]), logger: logger)
        #expect(logger.entries.map(\.level) == [.warning])
        #expect(logger.entries[0].message.contains("V0"))
        #expect(throws: StackError.self) { try versions.history(["V1", "V9"]) }
    }

    @Test func `models without a version are numbered, and the last is an end of the chain`() throws {
        let models = try [Book1.self, Book2.self, Book3.self, Book4.self].map { (type: ManagedObject.Type) in
            try ManagedObjectModel(classes: [type], versionIdentifiers: [])
        }
        #expect(try SchemaHistory(models: models).currentVersion == "4")
        let chain: MigrationChain = ["1": "2", "3": "4"], logger = QuietLogger()
        #expect(try DataStack(SchemaHistory(models: models, migrationChain: chain)).modelVersion == "4")
        let ends = StackError.invalidChain("the chain ends in several versions: 2, 4")
        #expect(throws: ends) {
            try DataStack(SchemaHistory(models: Array(models[..<3]), migrationChain: chain), logger: logger)
        }
    }

    @Test func `a model file that is not there is no model`() throws {
        let file = try Scratch().file("M.xcdatamodel")
        let error = #expect(throws: StackError.self) { try SchemaHistory(modelFile: file) }
        guard case .noModel(let reason)? = error else { throw Refusal() }
        #expect(reason.contains("no such file"))
    }

    @Test func `a model file's versions are called by their files, and the chain wins over the mark`() throws
    {
        let scratch = try Scratch(), file = scratch.file("Model.xcdatamodeld")
        for (name, attributes) in [("Model", ["title"]), ("Model 2", ["title", "author"])] {
            try writeModel(file, version: name, entities: ["Book": attributes])
        }
        try markCurrent(file, "Model")
        let logger = QuietLogger()
        #expect(try DataStack(SchemaHistory(modelFile: file), logger: logger).modelVersion == "Model")
        let stack = try DataStack(
            SchemaHistory(modelFile: file, migrationChain: ["Model", "Model 2"]), logger: logger)
        #expect(stack.modelVersion == "Model 2")
        #expect(stack.coordinator.managedObjectModel.entity(named: "Book")?.properties.count == 2)
        let bundle = try #require(Bundle(path: scratch.url.path))
        let named = try DataStack(
            modelName: "Model", bundle: bundle, migrationChain: ["Model", "Model 2"], logger: logger)
        #expect(named.modelVersion == "Model 2")
        let error = #expect(throws: StackError.self) { try DataStack(modelName: "None", bundle: bundle) }
        guard case .noModel = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(throws: StackError.self) { try SchemaHistory(modelFile: scratch.file("None.xcdatamodeld")) }
    }

    @Test func `versions of a file are named in the order of their numbers`() throws {
        let scratch = try Scratch(), file = scratch.file("Shop.xcdatamodeld")
        for number in [10, 9, 2, 1] {
            try FileManager.default.createDirectory(
                at: file.appending(path: "Shop \(number).xcdatamodel"), withIntermediateDirectories: true)
        }
        let names = "Shop 1, Shop 2, Shop 9, Shop 10"
        #expect(
            throws: StackError.noModel("\(file.path): no version is marked as the current: \(names)")
        ) { try SchemaHistory(modelFile: file) }
    }
}

/// Writes a version of a model file, whose attributes are optional texts.
func writeModel(
    _ file: URL, version: String, entities: [String: [String]], configurations: [String: [String]] = [:]
) throws {
    let folder = file.appending(path: "\(version).xcdatamodel")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var lines = [
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
        "<model type=\"com.apple.IDECoreDataModeler.DataModel\">",
    ]
    for (entity, attributes) in entities.sorted(by: { $0.key < $1.key }) {
        lines.append("<entity name=\"\(entity)\">")
        for attribute in attributes {
            // NAME or NAME:TYPE, with a ! where a value is required.
            let parts = attribute.split(separator: ":").map(String.init)
            let type = parts.count > 1 ? parts[1] : "String", isRequired = type.hasSuffix("!")
            let name = type.hasSuffix("!") ? String(type.dropLast()) : type
            let optional = isRequired ? "" : " optional=\"YES\""
            lines.append("<attribute name=\"\(parts[0])\" attributeType=\"\(name)\"\(optional)/>")
        }
        lines.append("</entity>")
    }
    for (name, members) in configurations.sorted(by: { $0.key < $1.key }) {
        lines.append("<configuration name=\"\(name)\">")
        lines += members.map { "<memberEntity name=\"\($0)\"/>" }
        lines.append("</configuration>")
    }
    lines.append("</model>")
    try Data(lines.joined(separator: "\n").utf8).write(to: folder.appending(path: "contents"))
}

func markCurrent(_ file: URL, _ version: String) throws {
    let list = try PropertyListEncoder().encode(["_XCCurrentVersionName": "\(version).xcdatamodel"])
    try list.write(to: file.appending(path: ".xccurrentversion"))
}
