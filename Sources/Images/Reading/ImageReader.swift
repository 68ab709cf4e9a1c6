/// A reader of one format: the file's bytes in, the stored pixels and the metadata out.
protocol ImageReader {
    init(bytes: [UInt8], options: DecodingOptions)

    /// Reads the file's picture.
    ///
    /// - Parameters:
    ///   - metadata: set to what the file tells of the photo. Left alone by formats without metadata.
    ///   - notes: gets a note for each thing that was wrong and could be left out.
    func read(_ metadata: inout PhotoMetadata, notes: inout [String]) throws(ImageError) -> StoredPixels
}
