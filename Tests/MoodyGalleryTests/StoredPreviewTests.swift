import DataStacks
import Foundation
import ManagedObjects
import MoodyGallery
import MoodyModel
import Palettes
import Testing

@Suite struct StoredPreviewTests {
    /// 16 moods are read at a time: the last of them, and one before them, are lost.
    @Test func `a lost preview is told from one that never was, wherever in the list`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "moody-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let stack = DataStack(model: try .moody())
        try stack.addStorage(sqlite: folder.appending(path: "a.moody"))
        let files = folder.appending(path: ".a_SUPPORT/_EXTERNAL_DATA")
        for number in 1...20 {
            // Every other has one, those too large for their row in a file.
            let size = number % 2 == 0 ? 0 : number % 5 == 0 ? 50 : 200_000
            try stack.keep(number, preview: size == 0 ? nil : Data(repeating: UInt8(number), count: size))
            guard number == 3 || number == 19 else { continue }
            for file in try FileManager.default.contentsOfDirectory(atPath: files.path) {
                let path = files.appending(path: file)
                if try Data(contentsOf: path).first == UInt8(number) {
                    try FileManager.default.removeItem(at: path)
                }
            }
        }
        var found: [String] = []
        try MoodList(by: .id, isDescending: false).forEachPictured(in: stack, PagePrivacy()) {
            row, preview, _ in
            switch preview {
            case .none: found.append("none")
            case .lost: found.append("lost")
            case .jpeg(let bytes):
                #expect(bytes.allSatisfy { Int64($0) == row.id })
                found.append("\(bytes.count)")
            }
            #expect(row.thumbnail == [7])
        }
        let wanted = (1...20).map { number in
            number == 3 || number == 19
                ? "lost" : number % 2 == 0 ? "none" : number % 5 == 0 ? "50" : "200000"
        }
        #expect(found == wanted)
        // Who does not take the error has it at the end of the read.
        let error = #expect(throws: StackError.self) {
            try stack.read { try $0.fetchAll(FetchRequest<Mood>()).compactMap(\.preview).count }
        }
        guard case .store(.file) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try stack.close()
    }
}

extension DataStack {
    fileprivate func keep(_ number: Int, preview: Data?) throws {
        let mood = MoodSource(
            palette: Palette(entries: [.init(color: .white, share: 1)]),
            request: PaletteRequest(mode: .area, count: 5),
            facts: CaptureInfo(
                taken: CivilDate(year: 2024, month: 6, day: 28), offset: nil, source: .original, width: 4,
                height: 3),
            thumbnail: Data([7]), preview: try preview.map { try coordinator.stage($0) })
        let name = "\(number).jpg"
        let source = PhotoImport(
            location: FileLocation(
                folder: Data("/photos".utf8), name: Data(name.utf8), path: "/photos/" + name),
            file: FileStamp(size: 1, mtimeNs: 2, inode: 3), contentHash: nil,
            seen: Date(timeIntervalSince1970: 0), result: .kept(mood))
        try performAndWait { _ = try $0.importUniqueObject(Photo.self, from: source) }
    }
}
