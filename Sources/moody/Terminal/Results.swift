import MoodyIngest

/// Where results go: standard output, or a file that is put in its place when it is whole.
struct Results {
    private let file: OutputFile?

    /// - Parameter path: nil and "-" are standard output.
    /// - Throws: ``OutputError``, also for a file that is somebody else's.
    init(_ path: BytePath?, overwrite: Bool) throws {
        file = try path.flatMap { $0 == .standard ? nil : try OutputFile($0, overwrite: overwrite) }
    }

    var isFile: Bool { file != nil }

    /// Nobody reads any more.
    var isClosed: Bool { file == nil && StandardOutput.shared.isClosed }

    func write(_ text: String) {
        if let file { file.write(text) } else { StandardOutput.shared.write(text) }
    }

    func write(_ bytes: [UInt8]) {
        if let file { file.write(bytes) } else { StandardOutput.shared.write(bytes) }
    }

    func line(_ text: String) { write(text + "\n") }

    /// - Throws: ``OutputError``.
    func finish() throws {
        if let file { try file.finish() } else { try StandardOutput.shared.flush() }
    }
}
