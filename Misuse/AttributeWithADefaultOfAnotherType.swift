// refused: no column holds this type: it wants a transformer, or is an AttributeEnumeration
import ManagedObjects

enum Kind: Int { case plain }
final class Note: ManagedObject { @Attribute var kind: Kind = .plain }
