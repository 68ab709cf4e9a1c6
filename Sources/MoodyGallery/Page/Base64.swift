private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

/// Base64 with padding, RFC 4648 section 4. Linear; ours because Foundation's would be the room's only use of it.
func base64Text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let second = start + 1 < bytes.count ? bytes[start + 1] : 0
        let third = start + 2 < bytes.count ? bytes[start + 2] : 0
        let bits = Int(bytes[start]) << 16 | Int(second) << 8 | Int(third)
        text.append(alphabet[bits >> 18])
        text.append(alphabet[bits >> 12 & 63])
        text.append(alphabet[bits >> 6 & 63])
        text.append(alphabet[bits & 63])
    }
    let padding = (3 - bytes.count % 3) % 3
    text.replaceSubrange((text.count - padding)..., with: repeatElement(UInt8(ascii: "="), count: padding))
    return String(decoding: text, as: UTF8.self)
}
