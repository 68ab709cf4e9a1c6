// The entry point libFuzzer calls for models and values that strangers archived; `scripts/fuzz` builds the
// program. What is no archive is refused, and nothing traps, hangs or takes much memory.

import Foundation

@testable import ManagedObjects

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // SAFETY: libFuzzer hands over `count` readable bytes for the time of the call.
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    if let model = try? ManagedObjectModel(archived: input) {
        let again = try? ManagedObjectModel(archived: ModelArchive.bytes(model))
        precondition(again?.entities.count == model.entities.count, "a model that was read can be written")
    }
    _ = ArchivedObject.text(of: Data(input))
    if let bytes = try? Deflate.decompress(input) { _ = try? ManagedObjectModel(archived: bytes) }
    let packed = Deflate.compress(input)
    precondition((try? Deflate.decompress(packed)) == input, "what was compressed is the same again")
    return 0
}
