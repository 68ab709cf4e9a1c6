import CLinux
import Dispatch
import Glibc
import Synchronization

/// Tells when something is mounted or unmounted, anywhere.
///
/// - Source: proc(5): a change of /proc/self/mountinfo is an exceptional condition for poll(2) and epoll(7).
///   Dispatch asks for bytes to read, which the file always has: so it asks an epoll instance of its own,
///   which has something to read when the file has the condition.
final class MountNews: Sendable {
    /// Closed when the dispatch source has let go of them.
    private struct Files {
        let table: Int32
        let epoll: Int32
    }

    /// @unchecked Sendable: a dispatch source may be used from any thread, and this one is only kept and
    /// ended.
    private struct Source: @unchecked Sendable { let source: any DispatchSourceRead }

    private let source: Source
    private let hasChanged: Atomic<Bool>

    /// - Parameter bell: rung when there is news.
    /// - Throws: ``FileError`` where the kernel has no such table.
    init(bell: WakeupSignal) throws(FileError) {
        let table = try MountTable.openMountInfo()
        let epoll = epoll_create1(O_CLOEXEC)
        var event = unsafe epoll_event()
        unsafe event.events = EPOLLPRI.rawValue | EPOLLERR.rawValue
        guard epoll >= 0, unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, table, &event) == 0 else {
            let error = FileError(code: errno)
            close(table)
            if epoll >= 0 { close(epoll) }
            throw error
        }
        let files = Files(table: table, epoll: epoll)
        let queue = DispatchQueue(label: "moody.mounts")
        let source = DispatchSource.makeReadSource(fileDescriptor: epoll, queue: queue)
        self.source = Source(source: source)
        hasChanged = Atomic(false)
        source.setEventHandler { [weak self] in
            // Dispatch's own look took the condition away, so that there may be nothing left: it is only
            // taken off the list.
            var event = unsafe epoll_event()
            _ = unsafe epoll_wait(files.epoll, &event, 1, 0)
            self?.hasChanged.store(true, ordering: .relaxed)
            bell.ring()
        }
        source.setCancelHandler {
            close(files.epoll)
            close(files.table)
        }
        source.resume()
    }

    /// Whether something changed since the last call.
    func consumeNews() -> Bool { hasChanged.exchange(false, ordering: .relaxed) }

    deinit { source.source.cancel() }
}
