// refused: name the other side: @Relationship(inverse: "notes"), or inverse: nil where there is none
import ManagedObjects

final class Folder: ManagedObject { @Relationship(inverse: "folder") var notes: Set<Note> }
final class Note: ManagedObject { @Relationship var folder: Folder? }
