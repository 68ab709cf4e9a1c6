#if Server
import DataStacks
import Foundation
import Glibc
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import Testing

@testable import MoodyServer

/// What is kept of pictures. The moods are deleted behind the desk's back: what it still gives, it kept.
@Suite struct PictureDeskTests {
    private func deleteAll(_ stack: DataStack) throws {
        try stack.performAndWait { transaction in
            for mood in try transaction.fetchAll(FetchRequest<Mood>()) { transaction.delete(mood) }
        }
    }

    @Test func `of pictures that do not all have room the least recently used goes`() async throws {
        let server = try await TestServer(photos: [
            "a.png": TestServer.png(200), "b.png": TestServer.png(120), "c.png": TestServer.png(40),
        ])
        let sizes = try (1...3).map { try #require(try server.stack.pictures($0)).thumbnail.count }
        var limits = ServerLimits()
        limits.pictureBytes = sizes.reduce(-1, +)
        let desk = PictureDesk(server.stack, limits: limits)
        var versions: [Int64: String] = [:]
        for id in [1, 2] as [Int64] {
            let picture = try #require(try await desk.picture(.pictures, id, version: nil))
            versions[id] = LiveRow.version(of: picture.tag)
        }
        // Used again: the second is now the one that was not used for longest.
        _ = try await desk.picture(.pictures, 1, version: versions[1])
        _ = try await desk.picture(.pictures, 3, version: nil)
        try deleteAll(server.stack)
        let first = try await desk.picture(.pictures, 1, version: versions[1])
        let second = try await desk.picture(.pictures, 2, version: versions[2])
        #expect(first != nil && second == nil)
        try await server.end()
    }

    @Test func `a picture that is asked for again and again takes its room once`() async throws {
        let server = try await TestServer(photos: [
            "a.png": TestServer.png(200), "b.png": TestServer.png(120),
        ])
        let sizes = try (1...2).map { try #require(try server.stack.pictures($0)).thumbnail.count }
        var limits = ServerLimits()
        limits.pictureBytes = sizes.reduce(0, +)
        let desk = PictureDesk(server.stack, limits: limits)
        var versions: [Int64: String] = [:]
        for id in [2, 1, 1, 1, 1] as [Int64] {
            let picture = try #require(try await desk.picture(.pictures, id, version: nil))
            versions[id] = LiveRow.version(of: picture.tag)
        }
        try deleteAll(server.stack)
        for id in [1, 2] as [Int64] {
            #expect(try await desk.picture(.pictures, id, version: versions[id]) != nil, "\(id)")
        }
        try await server.end()
    }

    @Test func `nothing is kept of a mood that changed or went, in any size`() async throws {
        let samples = URL(filePath: #filePath).appending(path: "../../../Samples/Photos").standardizedFileURL
        func sample(_ name: String) throws -> [UInt8] {
            [UInt8](try Data(contentsOf: samples.appending(path: name)))
        }
        let server = try await TestServer(photos: [
            "a.jpg": try sample("valley.jpg"), "b.jpg": try sample("receipt.jpg"),
        ])
        let desk = PictureDesk(server.stack, limits: ServerLimits())
        let kinds: [Route.Picture] = [.pictures, .sharp, .large]
        var version = "", sizes: [Int64: [Int]] = [:]
        for kind in kinds {
            for id in [1, 2] as [Int64] {
                let picture = try #require(try await desk.picture(kind, id, version: nil))
                #expect(picture.isExact)
                if id == 2 { version = LiveRow.version(of: picture.tag) }
                sizes[id, default: []].append(picture.jpeg.count)
            }
        }
        // Each kind is larger than the one before, also when that was asked for first.
        #expect(sizes.values.allSatisfy { $0 == $0.sorted() && Set($0).count == 3 }, "\(sizes)")
        let first = LiveRow.version(of: try server.stack.pictures(1)?.tag)
        desk.forget([1])
        try deleteAll(server.stack)
        for kind in kinds {
            let gone = try await desk.picture(kind, 1, version: first)
            let kept = try await desk.picture(kind, 2, version: version)
            #expect(gone == nil && kept != nil, "\(kind)")
        }
        try await server.end()
    }

    @Test func `a disk, a quota, and a size that are full are one answer, other errors another`() {
        func status(_ code: Int32) -> Int { Refusal(of: FileError(code: code)).status }
        #expect([ENOSPC, EDQUOT, EFBIG].map(status) == [507, 507, 507])
        #expect([EACCES, EIO, EROFS].map(status) == [500, 500, 500])
    }
}
#endif
