public import Foundation

/// Stores a value as a keyed archive of Foundation's classes: what Core Data's default transformers write, so
/// that programs of Apple's systems read it:
///
///     @Attribute(transformer: ArchiveTransformer<[String]>.self) var words: [String]?
///
/// ``FoundationObject`` is any such value. Wasteful in space; prefer ``CodableTransformer`` or one of your
/// own.
public enum ArchiveTransformer<Value: Archivable>: ValueTransforming {
    /// A value for objects without one.
    public static var placeholder: Value { Value.placeholder }

    /// Encodes a value as a binary property list.
    public static func encode(_ value: Value) -> Data {
        var writer = KeyedArchiveWriter()
        let root = writer.add(value.foundationObject)
        return Data(writer.encoded(root: root))
    }

    /// - Throws: an error that says what is wrong with the archive, or which class it is not allowed to have.
    public static func decode(_ data: Data) throws -> Value {
        guard let root = try KeyedArchive([UInt8](data)).root else {
            throw ArchiveError("an archive of nothing")
        }
        let object = try root.foundationObject(greatestSize: 1 << 20 + data.count)
        guard let value = Value(foundationObject: object) else {
            throw ArchiveError("an archive of something else than \(Value.self)")
        }
        return value
    }
}
