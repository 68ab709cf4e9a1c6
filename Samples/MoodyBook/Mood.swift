package import Foundation
package import ManagedObjects
package import MoodyIngest
package import Palettes

/// The book's mood: the colors of a picture, and when it was taken. Read-only to everybody else.
package final class Mood: ManagedObject, Managed {
    @Attribute(.indexed) package private(set) var date: Date
    @Attribute(transformer: ColorsTransformer.self) package private(set) var colors: [RGB]

    package static var defaultSortDescriptors: [SortDescriptor<Mood>] { [.descending(\.date)] }

    /// A mood of a picture that is taken now.
    @discardableResult
    package static func insert(into context: isolated ManagedObjectContext, image: ExtractedPalette) -> Mood {
        let mood = context.insert(Mood.self)
        mood.colors = image.palette.entries.map(\.color)
        mood.date = Date()
        return mood
    }
}

/// Three bytes a color.
enum ColorsTransformer: ValueTransforming {
    static var placeholder: [RGB] { [] }

    static func encode(_ colors: [RGB]) -> Data { Data(colors.flatMap { [$0.red, $0.green, $0.blue] }) }

    static func decode(_ data: Data) -> [RGB] {
        let bytes = [UInt8](data)
        return stride(from: 0, to: bytes.count - 2, by: 3).map {
            RGB(red: bytes[$0], green: bytes[$0 + 1], blue: bytes[$0 + 2])
        }
    }
}
