import Foundation

/// Stores that Apple's Core Data wrote, which the tests of ManagedObjects keep.
enum Fixtures {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "ManagedObjectsTests/Fixtures")
    static let stores = [
        "SampleModel_V1.sqlite", "SampleModel_V2.sqlite", "SampleModel2_V2.sqlite", "SampleModel3_V1.sqlite",
        "Bookmarks_V1.sqlite", "photosgraph.graphdb",
    ]

    static func store(_ name: String) -> URL { folder.appending(path: "Stores/\(name)") }

    /// Runs a command line of the shell.
    static func shell(_ line: String) throws -> String {
        let process = Process(), pipe = Pipe()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", line]
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
