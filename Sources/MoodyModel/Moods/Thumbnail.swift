package import Foundation
package import ManagedObjects

/// A small picture of a mood's photo. In a table of its own: with it in the mood's row a scan of all moods
/// would read every picture too.
package final class Thumbnail: ManagedObject {
    /// 320 pixels on the long side, upright, sRGB; some 17 KB, in the row.
    @Attribute package private(set) var jpeg: Data
    @Relationship(inverse: \Mood.thumbnail, isOptional: false) package private(set) var mood: Mood?

    func set(jpeg: Data) { self.jpeg = jpeg }
}
