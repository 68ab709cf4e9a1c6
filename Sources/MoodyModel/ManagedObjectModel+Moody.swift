package import ManagedObjects

extension ManagedObjectModel {
    /// Creates Moody's model: version 2. Version 1 lacks what is added here.
    package static func moody() throws(ModelError) -> ManagedObjectModel {
        try ManagedObjectModel(
            Photo.self, Mood.self, Thumbnail.self, Swatch.self, Country.self, Continent.self,
            adding: [["Mood": ["pictureHash"], "Photo": ["rating"]]])
    }
}
