import DataStacks
import ManagedObjects
import MoodyModel
import Palettes

/// What the version of a stored palette says of a photo.
enum PaletteVersion {
    /// The version before AVIF was read by libavif: its other palettes are today's.
    private static let wrongForAVIF: Int16 = 8

    /// Whether a palette of this version is the one that would be found today.
    ///
    /// - Parameter name: of the photo's file.
    static func isCurrent(_ version: Int16, named name: [UInt8]) -> Bool {
        version == Palette.algorithmVersion || version == wrongForAVIF && !isAVIF(name)
    }

    /// Versions whose palettes are today's for files of some names.
    static let usable = [wrongForAVIF, Palette.algorithmVersion]

    /// Whether the store has palettes of an older version.
    static func areSomeOlder(in stack: DataStack) throws -> Bool {
        let older = FetchRequest<Mood>(\Mood.algorithm == wrongForAVIF)
        return try stack.read { try $0.fetchCount(older) } > 0
    }

    /// Whether a file's name ends as that of an AVIF.
    static func isAVIF(_ name: [UInt8]) -> Bool {
        name.suffix(5).map { $0 | 0x20 } == Array(".avif".utf8)
    }
}
