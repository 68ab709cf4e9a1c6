internal import CSandbox
internal import Synchronization

/// Where photos are decoded that C libraries read: in this process, or in workers that can do nothing else.
///
/// A program that calls nothing of this decodes in its own process. One that calls
/// ``begin(_:executable:onNote:)`` must answer the argument ``verb`` with ``DecodingServer/run()`` before it
/// begins any thread.
public enum Confinement {
    /// How decoders are confined.
    public enum Mode: String, Sendable, CaseIterable {
        /// By all layers that this kernel has. What is missing is told once.
        case auto
        /// Not without seccomp.
        case require
        /// Not at all: in this process.
        case off
    }

    /// The argument by which a program knows that it is to be the server of workers.
    public static let verb = "decoding-server"

    /// The layers that confine the decoders of this process, or `off`.
    public static var summary: String { current.withLock { $0?.layers.description } ?? "off" }

    /// The workers of this process; nil while it decodes itself.
    static var workers: DecodingWorkers? { current.withLock { $0 } }

    private static let current = Mutex<DecodingWorkers?>(nil)

    /// Lets workers decode from now on. None is started before the first photo that needs one.
    ///
    /// - Parameters:
    ///   - executable: the program that serves workers: this one.
    ///   - onNote: gets a sentence, once each, about a layer that this kernel lacks.
    /// - Throws: ``Missing``, when the mode is ``Mode/require`` and there is no seccomp.
    public static func begin(
        _ mode: Mode, executable: String = "/proc/self/exe",
        onNote: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(Missing) {
        if mode == .off {
            current.withLock { $0 = nil }
            return
        }
        if mode == .require, !layers.hasSeccomp { throw Missing() }
        let workers = DecodingWorkers(executable: executable, mode: mode, onNote: onNote)
        current.withLock { $0 = workers }
    }

    /// This kernel offers no seccomp.
    public struct Missing: Error, CustomStringConvertible {
        public var description: String {
            "decoders cannot be confined: this system offers no seccomp (--sandbox auto does without)"
        }
    }

    /// The layers that hold on this system, tried in a child.
    public static var layers: Layers { Layers(csandbox_probe()) }

    /// What keeps a worker from doing anything but decode.
    public struct Layers: Sendable, Equatable, CustomStringConvertible {
        /// Calls of the kernel are filtered.
        public let hasSeccomp: Bool
        /// The version of Landlock; nil: there is none.
        public let landlock: Int?

        init(_ layers: csandbox_layers) {
            self.init(hasSeccomp: layers.seccomp, landlock: Int(layers.landlock))
        }

        init(hasSeccomp: Bool, landlock: Int) {
            self.hasSeccomp = hasSeccomp
            self.landlock = landlock > 0 ? landlock : nil
        }

        /// `seccomp, landlock 7`, or `none`.
        public var description: String {
            let names = [hasSeccomp ? "seccomp" : nil, landlock.map { "landlock \($0)" }].compactMap(\.self)
            return names.isEmpty ? "none" : names.joined(separator: ", ")
        }
    }
}
