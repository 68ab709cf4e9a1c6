import CResources

/// A file of a Resources folder, in the program itself: scripts, styles, templates.
///
/// SwiftPM's own way to embed files makes array literals of them, whose numbers the optimizer looks at one by
/// one: half a minute of each build.
package enum EmbeddedFile {
    /// - Parameter name: the path in the folder, as `page.css`.
    package static func bytes(_ name: String) -> [UInt8] {
        // SAFETY: a resource has that many bytes, and stays.
        let file = unsafe moody_resource(name)
        guard let start = unsafe file.bytes else {
            preconditionFailure("no resource \(name): scripts/generate/resources")
        }
        return unsafe [UInt8](UnsafeBufferPointer(start: start, count: file.count))
    }
}
