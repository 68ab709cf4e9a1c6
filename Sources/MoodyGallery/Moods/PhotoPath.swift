import Foundation
package import MoodyModel
import Texts

/// A photo's path for programs, which want to open it, beside the one for people, who want to read it.
package struct PhotoPath: Sendable, Equatable {
    /// As the file system has it: any bytes but NUL.
    package let bytes: [UInt8]
    /// What is not UTF-8, and what could steer a terminal or pass for something else, escaped. Two files may
    /// be shown alike.
    package let shown: String

    package init(bytes: [UInt8], shown: String) { (self.bytes, self.shown) = (bytes, shown) }

    init(_ photo: Photo) {
        let slash = UInt8(ascii: "/")
        let folder = [UInt8](photo.folder)
        let bytes = folder + (folder.isEmpty || folder == [slash] ? [] : [slash]) + photo.name
        self.init(bytes: bytes, shown: ShownText.of(bytes))
    }

    /// The path itself; nil when its bytes are not UTF-8.
    package var text: String? { String(validating: bytes, as: UTF8.self) }

    /// `"path"`: the path itself when its bytes are UTF-8, whatever characters they are. When they are not,
    /// with U+FFFD for those that are none, and then only `"pathBytes"` too: all the bytes in base64 (RFC
    /// 4648).
    package var json: [(String, JSON)] {
        if let text { return [("path", .string(text))] }
        return [
            ("path", .string(String(decoding: bytes, as: UTF8.self))),
            ("pathBytes", .string(Data(bytes).base64EncodedString())),
        ]
    }

    /// The path itself, or as it is shown when its bytes are not UTF-8.
    package var cell: CSV.Cell { .text(text ?? shown) }
}
