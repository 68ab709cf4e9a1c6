/// The object behind the context that a C callback was given.
///
/// A class, because C holds a pointer to it while the library reads; the caller keeps it alive until the
/// library has returned.
@unsafe func receiver<Receiver: AnyObject>(
    _ type: Receiver.Type, at context: UnsafeMutableRawPointer?
) -> Receiver? {
    // SAFETY: every context is `passUnretained` of a `Receiver` that the call is wrapped in keeping alive.
    unsafe context.map { unsafe Unmanaged<Receiver>.fromOpaque($0).takeUnretainedValue() }
}

/// A copy of bytes that are valid during a callback.
@unsafe func copy(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    // SAFETY: the shim promises `count` readable bytes.
    unsafe Array(UnsafeBufferPointer(start: start, count: max(0, count)))
}
