internal import CImage

/// Settings of the C library's allocator for a program that reads photo after photo.
public enum WorkingMemory {
    /// Keeps freed memory for the next photo: up to 64 MB, in blocks of up to 16 MB.
    ///
    /// Each photo asks for the same few megabytes. Giving them back to the system in between costs a page
    /// fault for every 4 KB, a twentieth of the time of an ingest. For the whole process, before any other
    /// thread begins.
    public static func keep() { cimage_keep_memory(64 << 20, 16 << 20) }
}
