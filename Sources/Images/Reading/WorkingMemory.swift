internal import CImage

/// Settings of the C library's allocator for a program that reads photo after photo.
public enum WorkingMemory {
    /// Keeps freed memory for the next photo: up to 64 MB, in blocks of up to 16 MB.
    ///
    /// Each photo asks for the same few megabytes. Giving them back to the system in between costs a page
    /// fault for every 4 KB, a twentieth of the time of an ingest. For the whole process, before any other
    /// thread begins.
    public static func keep() { cimage_keep_memory(64 << 20, 16 << 20) }

    /// Keeps blocks of up to 4 MB from now on: for photos that workers decode.
    ///
    /// Their bytes and their pictures, both of some 12 MB, leave gaps in what is kept: a third of the memory
    /// of a folder of PNGs.
    static func keepSmallBlocks() { cimage_keep_memory(64 << 20, 4 << 20) }
}
