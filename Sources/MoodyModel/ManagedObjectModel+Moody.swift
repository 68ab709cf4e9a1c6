public import ManagedObjects

extension ManagedObjectModel {
    /// Creates Moody's model: version 1.
    public static func moody() throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(
            Photo.self, Mood.self, Thumbnail.self, Swatch.self, Country.self, Continent.self)
    }
}
