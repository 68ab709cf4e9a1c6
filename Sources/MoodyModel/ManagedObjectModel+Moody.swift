package import ManagedObjects

extension ManagedObjectModel {
    /// Creates Moody's model: version 1.
    package static func moody() throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(
            Photo.self, Mood.self, Thumbnail.self, Swatch.self, Country.self, Continent.self)
    }
}
