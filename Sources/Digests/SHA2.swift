import Clibmd

/// The SHA-256 of a message, 32 bytes: FIPS 180-4, by the system's libmd. Linear.
package func sha256(_ message: some Sequence<UInt8>) -> [UInt8] {
    var state = SHA2_CTX()
    unsafe SHA256Init(&state)
    let bytes = Array(message)
    unsafe SHA256Update(&state, bytes, bytes.count)
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    // SAFETY: the digest has the 32 bytes that the call writes.
    unsafe SHA256Final(&digest, &state)
    return digest
}

/// The SHA-512 of a message, 64 bytes: FIPS 180-4, by the system's libmd. Linear.
package func sha512(_ message: some Sequence<UInt8>) -> [UInt8] {
    var state = SHA2_CTX()
    unsafe SHA512Init(&state)
    let bytes = Array(message)
    unsafe SHA512Update(&state, bytes, bytes.count)
    var digest = [UInt8](repeating: 0, count: Int(SHA512_DIGEST_LENGTH))
    // SAFETY: the digest has the 64 bytes that the call writes.
    unsafe SHA512Final(&digest, &state)
    return digest
}
