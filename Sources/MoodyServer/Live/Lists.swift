#if Server
import DataStacks
import Dispatch
import ManagedObjects
import MoodyGallery
import NIOCore
import Synchronization

/// The live lists that somebody looks at, and the page's, which is always there.
final class Lists: Sendable {
    /// Which moods, in which order.
    struct Key: Hashable, Sendable {
        let condition: String
        let sort: String
        let section: String

        init(condition: String = "", sort: String = "date", section: String = "") {
            (self.condition, self.sort, self.section) = (condition, sort, section)
        }

        /// The list of a query with these parameters.
        init(_ values: [String: String]) {
            self.init(
                condition: values["where"] ?? "", sort: values["sort"] ?? "date",
                section: values["section"] ?? "")
        }

        /// The page's: newest first, by month.
        static let page = Key(section: MoodSection.month.rawValue)
    }

    /// A list and its viewers.
    final class Entry: Sendable {
        let list: LiveList
        let broadcast: Broadcast
        init(_ list: LiveList, _ broadcast: Broadcast) { (self.list, self.broadcast) = (list, broadcast) }
    }

    private let stack: DataStack
    /// Lists that callers ask for are followed on a reader of their own: what takes long there keeps the page
    /// from nothing.
    let asked: DataStack
    private let questions: Questions
    private let privacy: PagePrivacy
    private let limits: LiveList.Limits, most: Int
    private let onChange: @Sendable ([Int64]) -> Void
    private let state = Mutex<State>(State())
    /// Lists are read one after the other, by a thread that may wait.
    private let queue = DispatchQueue(label: "moody.lists")

    private struct State {
        var entries: [Key: Entry] = [:]
        var unusedSince: [Key: ContinuousClock.Instant] = [:]
        var isStopped = false
    }

    /// - Parameters:
    ///   - asked: the stack that all lists but the page's are followed on.
    ///   - onChange: told of the moods that changed or went.
    /// - Throws: ``StoreError``, when the page's list cannot be read.
    init(
        _ stack: DataStack, asked: DataStack, _ privacy: PagePrivacy, limits: LiveList.Limits, most: Int,
        questions: Questions,
        onChange: @escaping @Sendable ([Int64]) -> Void
    ) throws {
        (self.onChange, self.questions) = (onChange, questions)
        self.asked = asked
        (self.stack, self.privacy, self.limits, self.most) = (stack, privacy, limits, most)
        let page = try open(.page, MoodList.page)
        state.withLock { $0.entries[.page] = page }
    }

    /// The page's list.
    var page: Entry {
        state.withLock { state in
            guard let entry = state.entries[.page] else { preconditionFailure("made with the lists") }
            return entry
        }
    }

    /// Nil for a list that nobody looks at. One that is asked for stays for another minute: it is looked at
    /// next.
    func known(_ key: Key) -> Entry? {
        state.withLock { state in
            state.unusedSince[key] = nil
            return state.entries[key]
        }
    }

    /// A list that is looked at, or is now.
    ///
    /// - Parameter channel: the caller's: one who leaves ends what is opened for him.
    /// - Throws: ``Refusal`` 503 when there are too many lists, and for one that takes too long to find;
    ///   ``StoreError``.
    func entry(_ key: Key, _ list: MoodList, for channel: any Channel) async throws -> Entry {
        if let known = known(key) { return known }
        return try await questions.ask(for: channel, on: queue) { [self] in
            if let known = known(key) { return known }
            dropUnused()
            if state.withLock({ $0.entries.count }) >= most {
                throw Refusal(503, "too many different lists are being looked at", retryAfter: 60)
            }
            let made = try open(key, list)
            state.withLock { $0.entries[key] = made }
            return made
        }
    }

    /// A list that is looked at, with all that was committed so far; nil for others.
    func snapshot(_ key: Key) async throws -> LiveList.Snapshot? {
        guard let known = known(key) else { return nil }
        if key != .page {
            let reader = asked.reader
            try await queue.run { reader.performAndWait { _ in } }
        }
        return known.list.snapshot
    }

    private func open(_ key: Key, _ list: MoodList) throws -> Entry {
        let broadcast = Broadcast(), name = Mutex("")
        let isPage = key == .page
        let live = try LiveList(
            of: list, in: isPage ? stack : asked, privacy, limits: limits, keepsRows: isPage
        ) { [weak self] news in
            if isPage, case .frame(let frame) = news { self?.onChange(frame.touched) }
            broadcast.send(news, of: name.withLock { $0 })
            if case .broken = news { self?.renew(key, list) }
        }
        name.withLock { $0 = live.name }
        return Entry(live, broadcast)
    }

    /// Makes a list anew that went wrong; its viewers come back to the new one. A list other than the page's
    /// is opened by the first of them.
    private func renew(_ key: Key, _ list: MoodList) {
        queue.async { [self] in
            guard let old = state.withLock({ $0.isStopped ? nil : $0.entries[key] }) else { return }
            old.list.stop()
            if key != .page {
                state.withLock { $0.entries[key] = nil }
                return old.broadcast.end()
            }
            guard let made = try? open(key, list) else {
                // A store that is busy is asked again in a moment.
                queue.asyncAfter(deadline: .now() + 1) { [weak self] in self?.renew(key, list) }
                return
            }
            state.withLock { $0.entries[key] = made }
            old.broadcast.end()
        }
    }

    /// Lets go of lists that nobody has looked at for a minute.
    func dropUnused(at now: ContinuousClock.Instant = .now) {
        let gone = state.withLock { state -> [Entry] in
            var gone: [Entry] = []
            for (key, entry) in state.entries where key != .page {
                if entry.broadcast.count > 0 {
                    state.unusedSince[key] = nil
                } else if let since = state.unusedSince[key] {
                    if now - since < .seconds(60) { continue }
                    state.entries[key] = nil
                    state.unusedSince[key] = nil
                    gone.append(entry)
                } else {
                    state.unusedSince[key] = now
                }
            }
            return gone
        }
        for entry in gone {
            entry.list.stop()
            // One who asked for it a minute ago, and joins only now, comes again.
            entry.broadcast.end()
        }
    }

    var all: [Entry] { state.withLock { Array($0.entries.values) } }
    var viewers: Int { all.reduce(0) { $0 + $1.broadcast.count } }
    func stop() {
        state.withLock { $0.isStopped = true }
        for entry in all { entry.list.stop() }
    }
}

extension MoodList {
    /// The one list that the page shows.
    static var page: MoodList {
        var list = MoodList()
        list.section = .month
        return list
    }
}
#endif
