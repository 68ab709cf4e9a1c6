// refused: no column holds this type: it wants a transformer, or is an AttributeEnumeration
import ManagedObjects

final class Note: ManagedObject { @Attribute var tags: [String] }
