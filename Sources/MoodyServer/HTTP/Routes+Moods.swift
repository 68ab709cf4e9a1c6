#if Server
import DataStacks
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import ManagedObjects
import MoodyGallery
import MoodyIngest
import MoodyModel
import NIOCore
import Palettes

extension Routes {
    private static let lines = "application/x-ndjson"

    /// The page's list at one generation: a head, then the first rows, a row per line.
    func list(_ head: RequestHead, _ context: Context) async throws -> Response {
        let values = try parameters(head, ["as", "limit"])
        if let kind = values["as"], kind != "rows" { throw Refusal(400, "as is rows") }
        let limit = try number(values["limit"], "limit") ?? .max
        let seat = try server.takeSnapshot()
        let list = server.lists.page.list, snapshot = list.snapshot, server = server
        var fields = HTTPFields()
        fields[.contentType] = Self.lines
        // A browser that has this list at this generation is spared it.
        fields[.cacheControl] = "private, no-cache"
        let tag = "\"\(snapshot.list)-\(snapshot.generation)-\(min(limit, snapshot.rows.count))\""
        fields[.eTag] = tag
        if head.knows(tag) {
            return Response(status: .notModified, headers: fields)
        }
        return Response(
            status: .ok, headers: fields,
            body: ResponseBody { writer in
                defer { withExtendedLifetime(seat) {} }
                var body = PacedBody(writer, to: context.channel, server.options.limits)
                try await body.write(ByteBuffer(string: snapshot.head.text + "\n"))
                for moods in Array(snapshot.rows.prefix(limit)).parts(of: 256) {
                    var buffer = ByteBuffer()
                    for row in try await server.reads.run({ try list.rows(of: moods) }) {
                        buffer.writeBytes(row)
                        buffer.writeInteger(UInt8(ascii: "\n"))
                    }
                    try await body.write(buffer)
                }
                try await body.finish()
            })
    }

    /// Which moods a query asks for.
    ///
    /// - Throws: ``Refusal`` 400.
    func list(_ values: [String: String]) throws(Refusal) -> MoodList {
        var list = MoodList()
        if let sort = values["sort"] {
            guard let sorted = MoodList(sort: sort) else {
                throw Refusal(400, "sort is date, path or id, with :asc or :desc behind it")
            }
            if sorted.key == .path { try checkTells(["path"]) }
            list = sorted
        }
        if let name = values["section"] {
            guard let section = MoodSection(rawValue: name) else {
                throw Refusal(400, "section is \(MoodSection.names)")
            }
            if list.key == .id { throw Refusal(400, "section wants moods sorted by date or path") }
            if section == .folder { try checkTells(["path"]) }
            if section == .country { try checkTells(["country"]) }
            list.section = section
        }
        if let text = values["where"] {
            guard text.utf8.count <= server.options.limits.condition else {
                throw Refusal(400, "where is longer than \(server.options.limits.condition) bytes")
            }
            do throws(FetchError) { list.filter = try MoodFilter(text, allowsMatches: false) } catch {
                switch error {
                case .unknownKey:
                    throw Refusal(
                        400, "where: unknown key; keys: \(MoodFilter.keys.joined(separator: ", "))")
                case .format(_, let offset, let reason):
                    throw Refusal(400, "where: cannot be read from character \(offset + 1) on: \(reason)")
                default: throw Refusal(400, "where: \(error)")
                }
            }
            try checkTells(list.filter?.names ?? [])
        }
        return list
    }

    /// Who may ask in halves where a photo was taken is told in the end.
    ///
    /// - Throws: ``Refusal`` 403 for properties that callers are not told.
    private func checkTells(_ names: Set<String>) throws(Refusal) {
        let privacy = server.options.privacy
        let hidden =
            (privacy.showsPaths ? [] : ["path", "folder"])
            + (privacy.showsPlaces ? [] : ["latitude", "longitude", "country", "continent"])
        guard let name = hidden.first(where: names.contains) else { return }
        let kind = name == "path" || name == "folder" ? "folders" : "places"
        throw Refusal(403, "this server does not tell \(kind)")
    }

    private func number(_ text: String?, _ name: String) throws(Refusal) -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), number > 0 else { throw Refusal(400, "\(name) is at least 1") }
        return number
    }

    private func real(_ text: String?, _ name: String, _ range: ClosedRange<Double>) throws(Refusal)
        -> Double?
    {
        guard let text else { return nil }
        guard let number = Double(text), number.isFinite, range.contains(number) else {
            throw Refusal(400, "\(name) is \(Int(range.lowerBound))...\(Int(range.upperBound))")
        }
        return number
    }

    /// Answers with the output of `moody list --json`.
    func moods(_ head: RequestHead, _ context: Context) async throws -> Response {
        let values = try parameters(head, ["where", "sort", "section", "limit", "missing"])
        var list = try list(values)
        list.limit = try number(values["limit"], "limit")
        if let missing = values["missing"] {
            guard ["", "1", "true"].contains(missing) else { throw Refusal(400, "missing is 1 or not there") }
            list.isMissingOnly = true
        }
        let isWhole = values["limit"] == nil && values["missing"] == nil
        if isWhole, let followed = try await server.lists.snapshot(.init(values)) {
            return moods(of: followed, isSectioned: list.section != nil, context)
        }
        let wanted = list, questions = server.questions
        if wanted.section == nil {
            let ids = try await questions.answer(for: context.channel) { try wanted.ids(in: $0) }
            return records([(nil, ids.map(\.key))], context)
        }
        let snapshot = try await questions.answer(for: context.channel) {
            try MoodSnapshot(of: wanted, in: $0)
        }
        var start = 0
        let parts = (snapshot.sections ?? []).enumerated().map { index, section in
            defer { start += section.count }
            return (
                head: section.json(at: index).text as String?,
                numbers: snapshot.ids[start..<start + section.count].map(\.key)
            )
        }
        return records(parts, context)
    }

    /// A list that is followed, at one generation: the same as the store's, and where it stands.
    private func moods(of snapshot: LiveList.Snapshot, isSectioned: Bool, _ context: Context) -> Response {
        var rest = snapshot.rows[...]
        let parts = snapshot.sections.enumerated().map { index, section in
            let ids = rest.prefix(section.count)
            rest = rest.dropFirst(section.count)
            let shown = MoodSnapshot.Section(name: section.name, count: section.count)
            return (head: isSectioned ? shown.json(at: index).text : nil, numbers: Array(ids))
        }
        var response = records(parts, context, keepsPlaces: true)
        if let name = HTTPField.Name("Moody-List") {
            response.headers[name] = "\(snapshot.list)-\(snapshot.generation)"
        }
        return response
    }

    /// Lines of records, some hundred read at a time, each part below its own line.
    ///
    /// - Parameter keepsPlaces: whether a mood that went meanwhile has a line, with its number alone.
    private func records(
        _ parts: [(head: String?, numbers: [Int64])], _ context: Context, keepsPlaces: Bool = false
    ) -> Response {
        var fields = HTTPFields()
        fields[.contentType] = Self.lines
        fields[.cacheControl] = "no-store"
        let server = server
        return Response(
            status: .ok, headers: fields,
            body: ResponseBody { writer in
                var body = PacedBody(writer, to: context.channel, server.options.limits)
                for part in parts {
                    if let head = part.head { try await body.write(ByteBuffer(string: head + "\n")) }
                    for start in stride(from: 0, to: part.numbers.count, by: 256) {
                        let numbers = Array(part.numbers[start..<min(start + 256, part.numbers.count)])
                        let lines = try await server.reads.run {
                            try Self.lines(of: numbers, server, keepsPlaces: keepsPlaces)
                        }
                        try await body.write(ByteBuffer(string: lines))
                    }
                }
                try await body.finish()
            })
    }

    private static func lines(
        of numbers: [Int64], _ server: GalleryServer, keepsPlaces: Bool
    ) throws -> String {
        let privacy = server.options.privacy, stack = server.stack
        var lines: [Int64: String] = [:]
        var order: [Int64] = []
        try MoodList.forEach(of: numbers.compactMap { stack.moodID($0) }, in: stack) { records in
            for record in records {
                lines[record.id] = record.json(privacy).text
                order.append(record.id)
            }
        }
        if keepsPlaces { order = numbers }
        return order.map { (lines[$0] ?? "{\"v\":1,\"id\":\($0)}") + "\n" }.joined()
    }

    func mood(_ id: Int64, _ head: RequestHead) async throws -> Response {
        _ = try parameters(head, [])
        let body = Array((try await record(id).json(server.options.privacy).text + "\n").utf8)
        return .tagged(
            ContentDigits.of(body), of: head, type: "application/json", cache: "no-cache", body: body)
    }

    /// Answers with the output of `moody export FORMAT ID`, for formats that are templates.
    func text(_ id: Int64, _ format: String, _ head: RequestHead) async throws -> Response {
        let values = try parameters(head, ["variant"])
        guard let variant = Theme.Variant(rawValue: values["variant"] ?? "dark") else {
            throw Refusal(400, "variant is dark or light")
        }
        guard let template = ShippedTemplate.named(format) else {
            throw Refusal(404, "there is no such format; moody template lists them")
        }
        let record = try await record(id)
        var photo = TemplatePhoto(record)
        if !server.options.privacy.showsPaths { photo.path = record.name }
        if !server.options.privacy.showsPlaces { photo.country = "" }
        let body = Array(try template.format.text([photo], variant).utf8)
        return .tagged(
            ContentDigits.of(body), of: head, type: "text/plain; charset=utf-8", cache: "no-cache",
            body: body)
    }

    /// Answers with the moods that are like one, nearest first, each as a line of `list --similar --json`
    /// without its group.
    func similar(_ id: Int64, _ head: RequestHead, _ context: Context) async throws -> Response {
        let values = try parameters(head, ["kind", "limit"])
        guard let kind = SimilarGroups.Kind(rawValue: values["kind"] ?? "copies") else {
            throw Refusal(400, "kind is copies, crops, or series")
        }
        let limit = min(try number(values["limit"], "limit") ?? 50, 1000)
        let own = try await record(id).objectID
        let members = try await server.questions.answer(for: context.channel) { stack in
            Array(try SimilarGroups.members(like: own, kind, in: stack).prefix(limit))
        }
        let server = server
        let lines = try await server.reads.run {
            let byID = Dictionary(uniqueKeysWithValues: members.map { ($0.id, $0) })
            var lines = ""
            try MoodList.forEach(of: members.map(\.id), in: server.stack) { records in
                for record in records {
                    guard let member = byID[record.objectID] else { continue }
                    lines += member.json(of: record.json(server.options.privacy)).text + "\n"
                }
            }
            return lines
        }
        var fields = HTTPFields()
        fields[.contentType] = Self.lines
        fields[.cacheControl] = "no-store"
        return Response(status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(string: lines)))
    }

    /// - Throws: ``Refusal``: 404 for a mood that is not there, 410 for one that was deleted.
    private func record(_ id: Int64) async throws -> MoodRecord {
        let server = server
        guard let mood = try await server.reads.run({ try server.stack.mood(id) }) else {
            if server.marks?.isPurged(id) == true { throw Refusal(410, "the mood was deleted") }
            throw Refusal(404, "there is no such mood")
        }
        if mood.isMarked { throw Refusal(410, "the mood was deleted") }
        return mood.record
    }

    /// Answers with the output of `moody find --json`.
    func find(_ head: RequestHead, _ context: Context) async throws -> Response {
        let values = try parameters(head, ["q", "like", "within", "share", "limit"])
        let query = values["q"] ?? ""
        guard query.utf8.count <= server.options.limits.query else {
            throw Refusal(400, "q is longer than \(server.options.limits.query) bytes")
        }
        if query.allSatisfy(\.isWhitespace), values["like"] == nil {
            throw Refusal(400, "name a color, q=teal, or a mood, like=12")
        }
        let within = try real(values["within"], "within", 0...100) ?? 10
        if within == 0 { throw Refusal(400, "within is above 0") }
        let share = try real(values["share"], "share", 0...100) ?? 0
        let limit = try number(values["limit"], "limit") ?? 50
        let (text, inQuery) = MoodFinder.likes(in: query)
        guard text.split(whereSeparator: \.isWhitespace).count <= server.options.limits.words else {
            throw Refusal(400, "q has more than \(server.options.limits.words) words")
        }
        var likes: [Int64] = []
        for number in inQuery + [values["like"]].compactMap(\.self) {
            guard let id = Int64(number), id > 0 else { throw Refusal(400, "like is the number of a mood") }
            likes.append(id)
        }
        let numbers = likes
        let privacy = server.options.privacy
        let ids = try await server.questions.answer(for: context.channel) { stack in
            var finder = MoodFinder(query: text, within: within, share: share / 100, limit: limit)
            finder.privacy = privacy
            for number in numbers {
                guard let mood = try stack.mood(number), !mood.isMarked else {
                    throw Refusal(404, "there is no such mood")
                }
                finder.excepts.insert(mood.record.objectID)
                finder.likes.append(mood.record.palette)
            }
            let found = try finder.find(in: stack)
            return found + (try finder.findFarther(than: found, in: stack))
        }
        return records([(nil, ids.map(\.key))], context)
    }

    func delete(_ id: Int64) async throws -> Response {
        let marks = try server.writable()
        switch try await marks.mark(id) {
        case .marked(let until):
            let undo = until.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
            return .json(.object([("v", 1), ("id", .number(id)), ("undoUntil", .string(undo))]))
        case .tooLate, .restored: throw Refusal(410, "the mood was deleted")
        case .unknown: throw Refusal(404, "there is no such mood")
        }
    }

    func restore(_ id: Int64) async throws -> Response {
        let marks = try server.writable(), server = server
        switch try await marks.restore(id) {
        case .restored:
            guard let mood = try await server.reads.run({ try server.stack.mood(id) }) else {
                throw Refusal(404, "there is no such mood")
            }
            return .json(mood.record.json(server.options.privacy))
        case .tooLate, .marked:
            throw Refusal(410, "too late: the mood was deleted; moody ingest --restore brings photos back")
        case .unknown: throw Refusal(404, "there is no such mood")
        }
    }
}
#endif
