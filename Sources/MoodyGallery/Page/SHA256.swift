/// The SHA-256 of a few kilobytes (FIPS 180-4), for the page's content security policy.
///
/// Ours, so that the room needs no cryptography package for two short texts. Not for secrets, not for speed.
func sha256(_ message: [UInt8]) -> [UInt8] {
    // Padding, section 5.1.1: a one bit, zeros, and the length in bits as 64 bits.
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    let bits = UInt64(message.count) * 8
    padded += (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * UInt64($0))) }

    var hash = initial
    for block in stride(from: 0, to: padded.count, by: 64) {
        var w = (0..<16).map { word in
            (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(padded[block + word * 4 + $1]) }
        }
        for t in 16..<64 {
            let s0 = w[t - 15].rotated(7) ^ w[t - 15].rotated(18) ^ w[t - 15] >> 3
            let s1 = w[t - 2].rotated(17) ^ w[t - 2].rotated(19) ^ w[t - 2] >> 10
            w.append(s1 &+ w[t - 7] &+ s0 &+ w[t - 16])
        }
        var v = hash
        for t in 0..<64 {
            let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
            let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
            let sum1 = v[4].rotated(6) ^ v[4].rotated(11) ^ v[4].rotated(25)
            let sum0 = v[0].rotated(2) ^ v[0].rotated(13) ^ v[0].rotated(22)
            let t1 = v[7] &+ sum1 &+ choice &+ constants[t] &+ w[t]
            v = [t1 &+ sum0 &+ majority, v[0], v[1], v[2], v[3] &+ t1, v[4], v[5], v[6]]
        }
        for i in 0..<8 { hash[i] &+= v[i] }
    }
    return hash.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
}

extension UInt32 {
    fileprivate func rotated(_ count: UInt32) -> UInt32 { self >> count | self << (32 - count) }
}

/// Section 5.3.3: the first 32 bits of the fractional parts of the square roots of the first 8 primes.
private let initial: [UInt32] = primes(8).map { fraction(Double($0).squareRoot()) }

/// Section 4.2.2: the same of the cube roots of the first 64 primes.
private let constants: [UInt32] = primes(64).map { fraction(cubeRoot(Double($0))) }

private func primes(_ count: Int) -> [Int] {
    var found: [Int] = []
    var candidate = 2
    while found.count < count {
        if found.allSatisfy({ candidate % $0 != 0 }) { found.append(candidate) }
        candidate += 1
    }
    return found
}

private func fraction(_ x: Double) -> UInt32 { UInt32((x - x.rounded(.down)) * 4_294_967_296) }

/// Newton's steps from above end at the nearest double or its neighbour; 32 bits of fraction need far less.
private func cubeRoot(_ x: Double) -> Double {
    var root = x
    for _ in 0..<60 { root -= (root * root * root - x) / (3 * root * root) }
    return root
}
