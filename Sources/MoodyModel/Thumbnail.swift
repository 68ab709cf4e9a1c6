public import Foundation
public import ManagedObjects

/// A small picture of a mood's photo. In a table of its own: with it in the mood's row a scan of all moods
/// would read every picture too.
public final class Thumbnail: ManagedObject {
    /// 320 pixels on the long side, upright, sRGB; some 17 KB, in the row.
    @Attribute public private(set) var jpeg: Data
    @Relationship(inverse: \Mood.thumbnail, isOptional: false) public private(set) var mood: Mood?

    func set(jpeg: Data) { self.jpeg = jpeg }
}
