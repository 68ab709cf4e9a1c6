import Foundation
import ManagedObjects
import Palettes

/// Three bytes a colour: red, green, blue; the largest share first.
enum ColorsTransformer: ValueTransforming {
    static var placeholder: [RGB] { [] }

    static func encode(_ colors: [RGB]) -> Data { Data(colors.flatMap { [$0.red, $0.green, $0.blue] }) }

    /// Bytes after the last whole colour are left out.
    static func decode(_ data: Data) -> [RGB] {
        let bytes = [UInt8](data)
        return stride(from: 0, to: bytes.count - bytes.count % 3, by: 3).map {
            RGB(red: bytes[$0], green: bytes[$0 + 1], blue: bytes[$0 + 2])
        }
    }
}

/// Eight bytes a share, little-endian IEEE 754: as many as there are colours, in their order.
enum SharesTransformer: ValueTransforming {
    static var placeholder: [Double] { [] }

    static func encode(_ shares: [Double]) -> Data {
        Data(
            shares.flatMap { share in (0..<8).map { UInt8(truncatingIfNeeded: share.bitPattern >> ($0 * 8)) }
            })
    }

    /// Bytes after the last whole share are left out.
    static func decode(_ data: Data) -> [Double] {
        let bytes = [UInt8](data)
        return stride(from: 0, to: bytes.count - bytes.count % 8, by: 8).map { start in
            Double(bitPattern: (0..<8).reduce(0) { $0 | UInt64(bytes[start + $1]) << ($1 * 8) })
        }
    }
}
