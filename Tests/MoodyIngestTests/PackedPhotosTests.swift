import MoodyModel
import TestSupport
import Testing

@testable import MoodyIngest

/// The columns that hold found files and stored photos, compared with plain arrays.
@Suite struct PackedPhotosTests {
    private static let folders = ["/a", "/a/b", "/a-b", "/", "/b"].map { BytePath($0) }

    /// Few names, so that some are the beginning of others and some paths come twice.
    private static func photo(_ random: inout SplitMix64) -> PhotoCatalog.Known {
        let states: [PhotoState] = [.kept, .failed, .notPicture, .missing, .removed]
        let name = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            UInt8.random(in: 97...103, using: &random)
        }
        let number = Int64.random(in: 0..<1000, using: &random)
        return PhotoCatalog.Known(
            folder: folders.randomElement(using: &random) ?? folders[0], name: name,
            seen: FileStamp(size: number, mtimeNs: -number, inode: number * 3),
            state: states.randomElement(using: &random) ?? .kept,
            paletteHash: Bool.random(using: &random)
                ? ContentHash(words: (UInt64(number) % 5, UInt64(number) % 7)) : nil,
            hasMood: Bool.random(using: &random), isAsAsked: Bool.random(using: &random))
    }

    private static func text(_ photo: PhotoCatalog.Known) -> String { "\(photo)" }

    @Test func `photos come out as they went in, in the order of folders and names, each path once`() {
        var random = SplitMix64(seed: 41)
        for count in [0, 1, 2, 50, 700, 9_000] {
            let all = (0..<count).map { _ in Self.photo(&random) }
            var packed = PackedPhotos()
            for photo in all { packed.append(photo) }
            let ranges = packed.sort()
            var first: [BytePath: PhotoCatalog.Known] = [:]
            for photo in all where first[photo.path] == nil { first[photo.path] = photo }
            let wanted = first.values.sorted {
                $0.folder == $1.folder
                    ? $0.name.lexicographicallyPrecedes($1.name)
                    : $0.folder.bytes.lexicographicallyPrecedes($1.folder.bytes)
            }
            #expect(packed.map(Self.text) == wanted.map(Self.text))
            #expect(Set(ranges.keys) == Set(all.map(\.folder)))
            for (folder, range) in ranges {
                #expect(Array(range) == wanted.indices.filter { wanted[$0].folder == folder })
                for name in [[UInt8](), [97], [98, 99], [103, 103, 103, 103]] {
                    let index = packed.index(of: name, in: range)
                    let behind = range.first { !wanted[$0].name.lexicographicallyPrecedes(name) }
                    #expect(index == behind ?? range.upperBound)
                }
            }
            for index in wanted.indices {
                #expect(packed.folder(at: index) == wanted[index].folder)
                #expect(packed.hash(at: index) == wanted[index].paletteHash)
                #expect(packed.state(at: index) == wanted[index].state)
                #expect(packed.stamp(at: index) == wanted[index].seen)
                #expect(packed.hasName(wanted[index].name, at: index))
                #expect(!packed.hasName(wanted[index].name + [97], at: index))
                let isUnchanged = wanted[index].state == .kept && wanted[index].isAsAsked
                #expect(packed.isUnchanged(index, wanted[index].seen) == isUnchanged)
                var other = wanted[index].seen
                other.inode += 1
                #expect(!packed.isUnchanged(index, other))
            }
        }
    }

    @Test func `found files come out as they went in`() {
        var random = SplitMix64(seed: 7), list = FoundFileList(), wanted: [String] = []
        let folders = Self.folders.map { FoundFolder(path: $0, shown: BytePath("shown\($0)")) }
        for number in 0..<10_000 {
            // A folder comes again behind another one.
            let folder = folders[number / 30 % folders.count]
            let file = FoundFile(
                folder: folder, name: Self.photo(&random).name,
                file: FileStamp(size: Int64(number), mtimeNs: 1, inode: 2), isNamed: number % 7 == 0)
            list.append(file)
            wanted.append("\(file.path) \(file.shown) \(file.file) \(file.isNamed)")
        }
        #expect(list.map { "\($0.path) \($0.shown) \($0.file) \($0.isNamed)" } == wanted)
        for _ in 0..<1_000 {
            let index = Int.random(in: 0..<wanted.count, using: &random), file = list[index]
            #expect("\(file.path) \(file.shown) \(file.file) \(file.isNamed)" == wanted[index])
        }
        #expect(FoundFileList().isEmpty)
    }
}
