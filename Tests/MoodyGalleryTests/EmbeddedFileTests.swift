import Foundation
import Testing

@testable import MoodyGallery

@Suite struct EmbeddedFileTests {
    /// A file that came or went wants `scripts/generate/resources`.
    @Test(arguments: ["MoodyGallery", "MoodyServer"])
    func `each file of the folder is in the program as it is`(module: String) throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/\(module)/Resources").standardizedFileURL
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { $0.contains(".") }
        #expect(!names.isEmpty)
        for name in names {
            let file = try Data(contentsOf: folder.appending(path: name))
            #expect(Data(EmbeddedFile.bytes(name)) == file, "\(name)")
        }
    }
}
