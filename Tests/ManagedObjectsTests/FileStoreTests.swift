import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores that are one file, read and written whole: XML, binary, and a format of one's own.
@Suite struct FileStoreTests {
    static let kinds = [StoreKind.xml, .binary, .lines]

    private func open(_ kind: StoreKind, _ url: URL, isReadOnly: Bool = false) throws -> ManagedObjectContext
    {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try coordinator.addPersistentStore(ofType: kind.type, at: url, isReadOnly: isReadOnly)
        return ManagedObjectContext(persistentStoreCoordinator: coordinator)
    }

    private func titles(_ context: ManagedObjectContext) throws -> [String] {
        try context.performAndWait { context in
            try context.fetch(FetchRequest<Mood>(sortedBy: .ascending(\.date))).map(\.title)
        }
    }

    @Test(arguments: kinds) func `a draft of a killed process is removed, and no other file`(kind: StoreKind)
        throws
    {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "moods")
        _ = try open(kind, url)
        let draft = folder.url.appending(path: ".moods.\(UUID().uuidString)")
        let notes = folder.url.appending(path: ".moods.notes")
        for file in [draft, notes] { try Data("draft".utf8).write(to: file) }
        _ = try open(kind, url)
        #expect(!FileManager.default.fileExists(atPath: draft.path))
        #expect(FileManager.default.fileExists(atPath: notes.path))
    }

    /// Runs what a test wants while a document is encoded.
    private struct HookedFormat: StoreFormat {
        final class Hook: Sendable {
            let body = Mutex<(@Sendable () -> Void)?>(nil)
        }
        let hook: Hook
        var name: String { BinaryStoreFormat().name }
        func document(from data: Data, model: ManagedObjectModel) throws -> StoreDocument {
            try BinaryStoreFormat().document(from: data, model: model)
        }
        func data(of document: StoreDocument, model: ManagedObjectModel) throws -> Data {
            let body = hook.body.withLock { body in
                defer { body = nil }
                return body
            }
            body?()
            return try BinaryStoreFormat().data(of: document, model: model)
        }
    }

    private func hooked(_ url: URL, _ hook: HookedFormat.Hook) throws -> ManagedObjectContext {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
        try coordinator.addPersistentStore(ofType: .file(HookedFormat(hook: hook)), at: url)
        return ManagedObjectContext(persistentStoreCoordinator: coordinator)
    }

    @Test func `a save while metadata are written stays`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "moods"),
            hook = HookedFormat.Hook()
        let context = try hooked(url, hook), ended = DispatchSemaphore(value: 0)
        hook.body.withLock {
            $0 = {
                DispatchQueue.global().async {
                    try? context.performAndWait { context in
                        _ = Mood.insert(into: context, title: "fog", date: day(1))
                        try context.save()
                    }
                    ended.signal()
                }
                usleep(200_000)
            }
        }
        try context.persistentStoreCoordinator.setMetadata(["key": "value"])
        ended.wait()
        let again = try hooked(url, HookedFormat.Hook())
        #expect(try titles(again) == ["fog"])
        #expect(try again.persistentStoreCoordinator.metadata("key") == "value")
    }

    @Test func `a save while another program's file is looked at is refused, and nobody's rows go`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "moods"),
            hook = HookedFormat.Hook()
        let context = try hooked(url, hook), ended = DispatchSemaphore(value: 0)
        hook.body.withLock {
            $0 = {
                do {
                    let other = try self.hooked(url, HookedFormat.Hook())
                    try other.performAndWait { context in
                        _ = Mood.insert(into: context, title: "theirs", date: day(2))
                        try context.save()
                    }
                } catch { Issue.record(error) }
                DispatchQueue.global().async {
                    _ = try? context.persistentStoreCoordinator.changesByOthers()
                    ended.signal()
                }
                usleep(200_000)
            }
        }
        #expect(throws: StoreError.changedByOthers) {
            try context.performAndWait { context in
                _ = Mood.insert(into: context, title: "mine", date: day(1))
                try context.save()
            }
        }
        ended.wait()
        #expect(try titles(try hooked(url, HookedFormat.Hook())) == ["theirs"])
        try context.performAndWait { _ = try $0.save() }
        #expect(try titles(try hooked(url, HookedFormat.Hook())) == ["mine", "theirs"])
    }

    /// Apple's layout, read by a parser that is not ours.
    @Test func `an XML store is what Core Data's are`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "moods.xml")
        let context = try open(.xml, url)
        try context.performAndWait { context throws -> Void in
            let country = Country.insert(into: context, code: 250, name: "Fr<a>n & \"ce\"")
            let mood = Mood.insert(into: context, title: "caf\u{E9}", date: day(1))
            mood.country = country
            mood.latitude = -0.0
            try context.save()
        }
        let said = try shell(
            """
            python3 - '\(url.path)' <<'PY'
            import sys, plistlib, xml.etree.ElementTree as E
            root = E.parse(sys.argv[1]).getroot()
            info = root.find('databaseInfo')
            print(root.tag, info.find('nextObjectID').text, len(info.find('UUID').text))
            plist = plistlib.loads(E.tostring(info.find('metadata').find('plist')))
            print(sorted(plist['NSStoreModelVersionHashes']), len(plist['NSStoreModelVersionHashesDigest']))
            for o in root.iter('object'):
                print(o.get('type'), o.get('id'))
                for a in o: print(' ', a.tag, sorted(a.attrib.items()), a.text or '')
            PY
            """)
        #expect(
            said == """
                database 2 36
                ['Country', 'Mood', 'Swatch'] 88
                COUNTRY z1
                  attribute [('name', 'code'), ('type', 'int16')] 250
                  attribute [('name', 'name'), ('type', 'string')] Fr<a>n & "ce"
                  relationship [('destination', 'MOOD'), ('idrefs', 'z2'), ('name', 'moods'), \
                ('type', '0/0')] \n\
                MOOD z2
                  attribute [('name', 'date'), ('type', 'date')] 86400.0
                  attribute [('name', 'colors'), ('type', 'binary')] AQID
                  attribute [('name', 'title'), ('type', 'string')] caf\u{E9}
                  attribute [('name', 'rating'), ('type', 'int16')] 3
                  attribute [('name', 'latitude'), ('type', 'double')] -0.0
                  relationship [('destination', 'COUNTRY'), ('idrefs', 'z1'), ('name', 'country'), \
                ('type', '0/1')] \n\
                  relationship [('destination', 'SWATCH'), ('name', 'swatches'), ('type', '0/0')] \n
                """)
    }

    @Test(arguments: kinds)
    func `values come back as they were, whatever they are`(kind: StoreKind) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store")
        let texts = [
            "", "\r\n\t ", "a\u{0}b".replacing("\u{0}", with: "\u{1}"), "]]>&<!--", "\u{1F600}\u{FFFE}",
            " x ",
        ]
        let numbers = [0.0, -0.0, .infinity, Double.leastNonzeroMagnitude, 0.1, -1.7976931348623157e308]
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let context = try open(kind, url)
        let ids = try context.performAndWait { context in
            let moods = zip(texts, numbers).map { text, number in
                let mood = Mood.insert(into: context, title: text, date: day(number.isFinite ? 1 : 2))
                mood.latitude = number
                return mood
            }
            moods[0].preview = bytes
            try context.save()
            try context.persistentStoreCoordinator.setMetadata(["key": "<value>"])
            return moods.map(\.objectID)
        }
        let again = try open(kind, url)
        try again.performAndWait { context throws -> Void in
            let moods = try context.objects(Mood.self, with: ids)
            #expect(moods.map { Array($0.title.utf8) } == texts.map { Array($0.utf8) })
            #expect(moods.map { $0.latitude?.bitPattern } == numbers.map(\.bitPattern))
            #expect(moods[0].preview == bytes)
            #expect(moods[1].preview == nil)
            let note = try again.persistentStoreCoordinator.metadata("key")
            #expect(note == "<value>")
            // A deleted object's key is nobody's again.
            context.delete(moods[5])
            try context.save()
        }
        let last = try open(kind, url).performAndWait { context in
            let mood = Mood.insert(into: context, title: "new", date: day(3))
            try context.save()
            return mood.objectID
        }
        #expect(!ids.contains(last))
    }

    @Test(arguments: kinds)
    func `somebody else's save is not overwritten, and can be taken in`(kind: StoreKind) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store")
        let (a, b) = (try open(kind, url), try open(kind, url))
        try a.performAndWait { context throws -> Void in
            _ = Mood.insert(into: context, title: "fog", date: day(1))
            try context.save()
        }
        b.performAndWait { context in _ = Mood.insert(into: context, title: "rain", date: day(2)) }
        #expect(throws: StoreError.changedByOthers) { try b.performAndWait { _ = try $0.save() } }
        #expect(try titles(try open(kind, url, isReadOnly: true)) == ["fog"])
        try b.performAndWait { context throws -> Void in
            try context.mergeChanges(byOthers: context.persistentStoreCoordinator.changesByOthers())
            try context.save()
        }
        #expect(try titles(b) == ["fog", "rain"])
        try a.performAndWait { context throws -> Void in
            let fog = try #require(try context.fetch(FetchRequest<Mood>()).first)
            fog.title = "mist"
            try context.mergeChanges(byOthers: context.persistentStoreCoordinator.changesByOthers())
            try context.save()
        }
        #expect(try titles(try open(kind, url)) == ["mist", "rain"])
        #expect(folder.names == ["store"], "nothing else is left beside it")
    }

    @Test(arguments: kinds)
    func `what is changed on both sides is a conflict`(kind: StoreKind) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store")
        let (a, b) = (try open(kind, url), try open(kind, url))
        try a.performAndWait { context throws -> Void in
            _ = Mood.insert(into: context, title: "fog", date: day(1))
            try context.save()
        }
        let id = try b.performAndWait { context in
            try context.mergeChanges(byOthers: context.persistentStoreCoordinator.changesByOthers())
            let fog = try #require(try context.fetch(FetchRequest<Mood>()).first)
            fog.title = "mist"
            return fog.objectID
        }
        try a.performAndWait { context throws -> Void in
            try #require(try context.fetch(FetchRequest<Mood>()).first).title = "smog"
            try context.save()
        }
        #expect(throws: StoreError.conflict(id)) {
            try b.performAndWait { context throws -> Void in
                try context.mergeChanges(byOthers: context.persistentStoreCoordinator.changesByOthers())
                try context.save()
            }
        }
        #expect(try titles(try open(kind, url)) == ["smog"])
    }

    @Test(arguments: kinds)
    func `a key that two programs gave away is no reason to lose a row`(kind: StoreKind) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store")
        let (a, b) = (try open(kind, url), try open(kind, url))
        let id = try b.performAndWait { context in
            let mine = Mood.insert(into: context, title: "mine", date: day(2))
            try context.obtainPermanentIDs(for: [mine])
            return mine.objectID
        }
        try a.performAndWait { context throws -> Void in
            _ = Mood.insert(into: context, title: "theirs", date: day(1))
            try context.save()
        }
        #expect(throws: StoreError.conflict(id)) {
            try b.performAndWait { context throws -> Void in
                try context.mergeChanges(byOthers: context.persistentStoreCoordinator.changesByOthers())
                try context.save()
            }
        }
        #expect(try titles(try open(kind, url)) == ["theirs"])
    }

    /// A store whose every cut and every turned byte is an error or rows, and no file is touched by looking.
    @Test(arguments: kinds)
    func `a damaged file is an error that says why, and keeps its bytes`(kind: StoreKind) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store")
        try open(kind, url).performAndWait { context throws -> Void in
            fillWithMoods(context)
            try context.save()
        }
        let whole = try Data(contentsOf: url)
        var random = SplitMix64(seed: 1), refused = 0
        for round in 0..<300 {
            var data = whole
            if round < 150 {
                data = data.prefix(1 + Int(random.next() % UInt64(whole.count - 1)))
            } else {
                data[Int(random.next() % UInt64(whole.count))] ^= UInt8(1 + random.next() % 255)
            }
            try data.write(to: url)
            do {
                let count = try open(kind, url, isReadOnly: true).performAndWait { context in
                    try context.fetch(FetchRequest<Mood>()).count
                }
                #expect(count <= 5)
            } catch let error as StoreError {
                #expect(!"\(error)".isEmpty)
                refused += 1
            }
            #expect(try Data(contentsOf: url) == data)
        }
        #expect(refused > 100)
        #expect(throws: StoreError.file("nothing", errno: ENOENT)) {
            try open(kind, folder.url.appending(path: "nothing"), isReadOnly: true)
        }
        #expect(throws: StoreError.file(folder.url.lastPathComponent, errno: EISDIR)) {
            try open(kind, folder.url)
        }
        let other = PersistentStoreCoordinator(managedObjectModel: try referenceSchema())
        try whole.write(to: url)
        #expect(throws: StoreError.self) { try other.addPersistentStore(ofType: kind.type, at: url) }
    }

    /// XML 1.0, production 2: U+FFFE, U+FFFF, and most of what is below a space are no characters.
    @Test func `whatever texts it holds, an XML store is XML for another reader`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "moods.xml")
        let odd = [
            "\u{FFFE}", "a\u{FFFF}", "\u{0B}", "]]>&<\u{1F}", "\u{FFFD}\u{E000}\u{10FFFF}", "\u{85}\u{2028}",
        ]
        let context = try open(.xml, url)
        try context.performAndWait { context in
            for title in odd { Mood.insert(into: context, title: title, date: day(1)) }
            try context.save()
        }
        try context.persistentStoreCoordinator.setMetadata(["odd": odd.joined()])
        try context.persistentStoreCoordinator.close()
        let count = try shell(
            "python3 -c \"import xml.etree.ElementTree as E; "
                + "print(len(list(E.parse('\(url.path)').iter('object'))))\"")
        #expect(count == "\(odd.count)\n")
        let read = try open(.xml, url)
        #expect(Set(try titles(read).map { Array($0.utf8) }) == Set(odd.map { Array($0.utf8) }))
        #expect(try read.persistentStoreCoordinator.metadata("odd") == odd.joined())
    }

    /// As a program on a Mac may have put them there: a number, a truth, bytes, a date, and a list.
    @Test func `metadata that are no texts go through saves and copies`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "moods.xml")
        try open(.xml, url).persistentStoreCoordinator.close()
        let others = """
            <key>count</key><integer>7</integer><key>isOld</key><true/><key>bytes</key><data>AQL/</data>\
            <key>marked</key><data>77u/YQ==</data>\
            <key>day</key><date>2001-02-03T04:05:06Z</date>\
            <key>words</key><array><string>a</string><real>1.5</real></array>
            """
        let text = try String(contentsOf: url, encoding: .utf8)
        let key = "<key>NSPersistenceFrameworkVersion</key>"
        #expect(text.contains(key))
        try Data(text.replacing(key, with: others + key).utf8).write(to: url)
        /// The names and values of a store's metadata that are not Core Data's, as another reader has them.
        func told(_ url: URL) throws -> String {
            try shell(
                """
                python3 - '\(url.path)' <<'PY'
                import plistlib, re, sqlite3, sys
                data = open(sys.argv[1], 'rb').read()
                if data.startswith(b'<?xml'):
                    p = re.search(b'<plist.*</plist>', data, re.S)[0]
                    p = plistlib.loads(b'<?xml version="1.0"?>' + p)
                elif data.startswith(b'SQLite'):
                    row = sqlite3.connect(sys.argv[1]).execute('SELECT Z_PLIST FROM Z_METADATA').fetchone()
                    p = plistlib.loads(row[0])
                else:
                    p = plistlib.loads(data)
                    p = p['metadata'] | p['otherMetadata']
                print(sorted((k, v) for k, v in p.items() if not k.startswith(('NS', '_NS'))))
                PY
                """)
        }
        let before = try told(url)
        #expect(
            before
                == "[('bytes', b'\\x01\\x02\\xff'), ('count', 7), "
                + "('day', datetime.datetime(2001, 2, 3, 4, 5, 6)), "
                + "('isOld', True), ('marked', b'\\xef\\xbb\\xbfa'), ('words', ['a', 1.5])]\n")
        let context = try open(.xml, url), coordinator = context.persistentStoreCoordinator
        try context.performAndWait { context in
            Mood.insert(into: context, title: "fog", date: day(1))
            try context.save()
        }
        #expect(try told(url) == before)
        let kinds: [StoreKind] = [.sqlite, .binary, .xml]
        var last = coordinator
        for kind in kinds {
            let copy = folder.url.appending(path: "copy.\(kind)")
            try last.copyStore(to: copy, ofType: kind.type)
            try last.close()
            #expect(try told(copy) == before, "\(kind)")
            last = try open(kind, copy).persistentStoreCoordinator
        }
        // Texts that XML has no characters for are found in lists, too.
        let nested = PropertyListValue.dictionary(["a": .list([.text("\u{1}"), .number(1)])])
        try last.stores[0].changeMetadata { $0["nested"] = nested }
        try last.close()
        last = try open(.xml, folder.url.appending(path: "copy.xml")).persistentStoreCoordinator
        #expect(try last.stores[0].allMetadata()["nested"] == nested)
        // A text takes the place of a number, and none that of bytes.
        try last.setMetadata(["count": "seven", "bytes": nil])
        try last.close()
        let after = try told(folder.url.appending(path: "copy.xml"))
        #expect(after.contains("('count', 'seven')") && !after.contains("bytes") && after.contains("isOld"))
        let odd = try open(.xml, folder.url.appending(path: "copy.xml")).persistentStoreCoordinator
        let error = #expect(throws: StoreError.self) { try odd.setMetadata(["a\u{1}": "b"]) }
        #expect("\(try #require(error))".contains(#""a\u{01}""#))
        #expect(try told(folder.url.appending(path: "copy.xml")) == after)
    }

    @Test func `a save that cannot be written loses nothing`() throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store")
        let context = try open(.xml, url)
        try context.performAndWait { context throws -> Void in
            _ = Mood.insert(into: context, title: "fog", date: day(1))
            try context.save()
        }
        let before = try Data(contentsOf: url)
        let reader = try open(.xml, url, isReadOnly: true)
        reader.performAndWait { context in _ = Mood.insert(into: context, title: "rain", date: day(2)) }
        #expect(throws: StoreError.readOnly) { try reader.performAndWait { _ = try $0.save() } }
        #expect(try Data(contentsOf: url) == before)
        // Two stores in one save: when the second cannot be written, the first is not.
        #expect(try titles(context) == ["fog"])
    }

    /// No file of the process may be longer than the store is: what a full disk does, for a user who is root.
    @Test(arguments: [StoreKind.xml, .binary])
    func `a save for which there is no room leaves the store as it is, and nothing beside it`(kind: StoreKind)
        async throws
    {
        let folder = try ScratchFolder(), path: String = folder.url.appending(path: "store").path
        let name: String = kind.rawValue
        await #expect(processExitsWith: .success) { [path = path as String, name = name as String] in
            let kind = try #require(StoreKind(rawValue: name)), url = URL(filePath: path)
            let coordinator = PersistentStoreCoordinator(managedObjectModel: try testModel())
            try coordinator.addPersistentStore(ofType: kind.type, at: url)
            let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
            try context.performAndWait { context throws -> Void in
                Mood.insert(into: context, title: "fog", date: day(1))
                try context.save()
            }
            let before = try Data(contentsOf: url)
            _ = signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: rlim_t(before.count), rlim_max: rlim_t(before.count))
            precondition(unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            context.performAndWait { context in
                Mood.insert(into: context, title: String(repeating: "rain", count: 9_999), date: day(2))
                do {
                    try context.save()
                    preconditionFailure("saved")
                } catch {
                    precondition("\(error)" == "\(StoreError.file("store", errno: EFBIG))", "\(error)")
                }
            }
            let after = try Data(contentsOf: url)
            precondition(after == before)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["store"])
    }

    @Test(
        arguments: ["a\rb", "a\r\nb", "\u{1}", "\u{FFFE}", "<&>]]>\"'", " x ", "\n\t", "", "e\u{301}\u{E9}"],
        StoreKind.allCases.filter { $0 != .memory })
    func `metadata come back as they were, and the store can be read`(text: String, kind: StoreKind) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "moods")
        let context = try open(kind, url)
        try context.performAndWait { context in
            Mood.insert(into: context, title: text, date: day(1))
            try context.save()
        }
        try context.persistentStoreCoordinator.setMetadata(["key": text, "other": nil])
        try context.persistentStoreCoordinator.close()
        let again = try open(kind, url)
        #expect(
            try again.persistentStoreCoordinator.metadata("key").map { Array($0.utf8) } == Array(text.utf8))
        #expect(try again.persistentStoreCoordinator.metadata("other") == nil)
        #expect(try titles(again).map { Array($0.utf8) } == [Array(text.utf8)])
    }

    /// One of them would have the other's values in the file.
    @Test(arguments: [
        (["Thing"], ["aB", "ab"], "Thing.aB and Thing.ab"), (["THing", "Thing"], ["a"], "THing and Thing"),
    ])
    func `names that case alone tells apart cannot be kept in XML`(
        entities: [String], properties: [String], reason: String
    ) throws {
        let model = try ManagedObjectModel(
            entities: entities.map { name in
                EntityDeclaration(
                    name,
                    properties: properties.map {
                        .attribute(AttributeDescription($0, .string, isOptional: true))
                    })
            })
        let folder = try ScratchFolder(), url = folder.url.appending(path: "things.xml")
        let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
        let error = #expect(throws: StoreError.self) {
            try coordinator.addPersistentStore(ofType: .xml, at: url)
        }
        #expect("\(try #require(error))".contains(reason))
        #expect(!FileManager.default.fileExists(atPath: url.path))
        try coordinator.addPersistentStore(ofType: .binary, at: url)
    }

    @Test(arguments: kinds)
    func `an empty file becomes a store, and a draft that somebody writes stays`(kind: StoreKind) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "moods")
        try Data().write(to: url)
        let draft = folder.url.appending(path: ".moods.\(UUID().uuidString)")
        try Data("draft".utf8).write(to: draft)
        // Locked as by the process that writes it.
        let file = unsafe Glibc.open(draft.path, O_RDONLY)
        #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
        let context = try open(kind, url)
        #expect(try context.persistentStoreCoordinator.report().counts["Mood"] == 0)
        #expect(FileManager.default.fileExists(atPath: draft.path))
        close(file)
        _ = try open(kind, url)
        #expect(!FileManager.default.fileExists(atPath: draft.path))
        #expect(throws: StoreError.self) {
            try open(kind, folder.url.appending(path: "nothing"), isReadOnly: true)
        }
    }

    @Test(arguments: kinds)
    func `metadata that somebody else saved are taken in with the rows`(kind: StoreKind) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "store")
        let (a, b) = (try open(kind, url), try open(kind, url))
        try b.persistentStoreCoordinator.setMetadata(["who": "Ada"])
        try b.performAndWait { context throws -> Void in
            _ = Mood.insert(into: context, title: "fog", date: day(1))
            try context.save()
        }
        try a.performAndWait { context throws -> Void in
            try context.mergeChanges(byOthers: context.persistentStoreCoordinator.changesByOthers())
        }
        #expect(try titles(a) == ["fog"] && a.persistentStoreCoordinator.metadata("who") == "Ada")
    }

    @Test(arguments: kinds)
    func `another store in the place of ours is told, and metadata are known at once`(kind: StoreKind) throws
    {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "moods")
        let other = folder.url.appending(path: "others"), ours = try open(kind, url)
        let coordinator = ours.persistentStoreCoordinator
        try coordinator.setMetadata(["who": "Ada"])
        #expect(try coordinator.metadata("who") == "Ada")
        try coordinator.setMetadata(["who": nil, "what": "moods"])
        #expect(try coordinator.metadata("who") == nil && coordinator.metadata("what") == "moods")
        _ = try open(kind, other)
        #expect(try coordinator.changesByOthers().isEmpty)
        try FileManager.default.removeItem(at: url)
        try FileManager.default.copyItem(at: other, to: url)
        #expect(throws: StoreError.replaced) { try coordinator.changesByOthers() }
        ours.performAndWait { context in _ = Mood.insert(into: context, title: "x", date: day(1)) }
        #expect(throws: StoreError.changedByOthers) { try ours.performAndWait { _ = try $0.save() } }
        #expect(try Data(contentsOf: url) == Data(contentsOf: other))
        // Nobody sees what could not be written.
        let count = try ManagedObjectContext(persistentStoreCoordinator: coordinator).performAndWait {
            try $0.count(FetchRequest<Mood>())
        }
        #expect(count == 0)
    }

    /// Keys that were given away and are in no file yet are not given again after another program's save.
    @Test(arguments: kinds)
    func `keys that were given away before another's save are not given again`(kind: StoreKind) throws {
        let folder = try ScratchFolder(), url = folder.url.appending(path: "moods")
        let (a, b) = (try open(kind, url), try open(kind, url))
        let first = try a.performAndWait { context in
            let moods = (1...5).map { Mood.insert(into: context, title: "a\($0)", date: day(Double($0))) }
            try context.obtainPermanentIDs(for: moods)
            let ids = moods.map(\.objectID)
            context.rollback()
            return ids
        }
        try b.performAndWait { context in
            Mood.insert(into: context, title: "b", date: day(1))
            try context.save()
        }
        let second = try a.performAndWait { context in
            try context.mergeChanges(byOthers: a.persistentStoreCoordinator.changesByOthers())
            let moods = (1...5).map { Mood.insert(into: context, title: "c\($0)", date: day(Double($0))) }
            try context.obtainPermanentIDs(for: moods)
            try context.save()
            return moods.map(\.objectID)
        }
        #expect(Set(first + second).count == 10)
        #expect(try titles(open(kind, url)).count == 6)
    }

    /// Another program brought the store to its next version: ours cannot take that in, nor write over it.
    @Test(arguments: kinds, [true, false])
    func `a store that another program migrated is not overwritten`(kind: StoreKind, hasRows: Bool) throws {
        func model(_ names: [String]) throws -> ManagedObjectModel {
            try ManagedObjectModel(entities: [
                EntityDeclaration(
                    "Thing",
                    properties: names.map {
                        .attribute(AttributeDescription($0, .string, isOptional: true))
                    })
            ])
        }
        let folder = try ScratchFolder(), url = folder.url.appending(path: "things")
        let models = try [model(["a", "b"]), model(["a"])]
        let coordinator = PersistentStoreCoordinator(managedObjectModel: models[0])
        try coordinator.addPersistentStore(ofType: kind.type, at: url)
        let context = ManagedObjectContext(persistentStoreCoordinator: coordinator)
        try context.performAndWait { context in
            if hasRows { try context.insert(entityNamed: "Thing").setValue("old", forKey: "a") }
            try context.save()
        }
        try Migration(versions: models).migrateStore(at: url, ofType: kind.type)
        let bytes = try Data(contentsOf: url)
        for _ in 0..<2 {
            #expect(throws: StoreError.modelChanged) { try coordinator.changesByOthers() }
            try context.performAndWait { context in
                try context.insert(entityNamed: "Thing").setValue("new", forKey: "b")
                #expect(throws: StoreError.changedByOthers) { try context.save() }
                context.rollback()
            }
        }
        #expect(try Data(contentsOf: url) == bytes)
        // A file that is broken is not overwritten either.
        try Data("broken".utf8).write(to: url)
        #expect(throws: StoreError.self) { try coordinator.changesByOthers() }
        try context.performAndWait { context in
            _ = try context.insert(entityNamed: "Thing")
            #expect(throws: StoreError.changedByOthers) { try context.save() }
        }
        #expect(try Data(contentsOf: url) == Data("broken".utf8))
    }
}
