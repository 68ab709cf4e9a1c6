// refused: compare a transformed value with nil by text: Filter(format: "tags == nil")
import ManagedObjects

final class Note: ManagedObject {
    @Attribute(transformer: CodableTransformer<[String]>.self) var tags: [String]?
}
func misuse() -> Filter<Note> { \.tags == nil }
