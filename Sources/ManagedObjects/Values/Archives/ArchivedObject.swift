package import Foundation

/// A keyed archive as text, as tools show the values of transformable attributes.
package enum ArchivedObject {
    /// A few lines of a value would hide the others.
    private static let most = 4_000

    /// Nil for what is no keyed archive.
    package static func text(of data: Data) -> String? {
        guard let archive = try? KeyedArchive([UInt8](data)) else { return nil }
        guard let root = archive.root else { return "null" }
        var writer = Writer()
        writer.write(root, depth: 0)
        return writer.text
    }

    private struct Writer {
        var text = ""
        /// Objects may stand in many places, and inside themselves.
        private var left = 2_000

        mutating func write(_ value: ArchivedValue, depth: Int) {
            left -= 1
            if depth > 16 || left < 0 || text.utf8.count > ArchivedObject.most {
                text += "…"
                return
            }
            if let words = value.text {
                text += words.debugDescription
            } else if value.isBool {
                text += value.int == 1 ? "true" : "false"
            } else if let number = value.int {
                text += "\(number)"
            } else if let number = value.double {
                text += "\(number)"
            } else if let bytes = value["NS.uuidbytes"]?.bytes, bytes.count == 16 {
                text += UUID(storedValue: .blob(Data(bytes))).uuidString
            } else if value["NS.mantissa"] != nil, let decimal = value.decimal {
                text += "\(decimal)"
            } else if let seconds = value.date {
                text += "date(\(seconds))"
            } else if let bytes = value.bytes {
                text += "<\(bytes.count) bytes>"
            } else if let address = value["NS.relative"]?.text {
                text += address
            } else if let entries = value.entries {
                list("{", elements: entries, end: "}") { writer, entry in
                    writer.write(entry.key, depth: depth + 1)
                    writer.text += ": "
                    writer.write(entry.value, depth: depth + 1)
                }
            } else if let elements = value.elements {
                list("[", elements: elements, end: "]") { $0.write($1, depth: depth + 1) }
            } else {
                let fields = value.fields
                list("\(value.className ?? "object")(", elements: fields, end: ")") { writer, field in
                    writer.text += "\(field.name): "
                    writer.write(field.value, depth: depth + 1)
                }
            }
        }

        private mutating func list<Element>(
            _ start: String, elements: [Element], end: String, _ write: (inout Writer, Element) -> Void
        ) {
            text += start
            for (index, element) in elements.enumerated() {
                if index > 0 { text += ", " }
                if left < 0 || text.utf8.count > ArchivedObject.most {
                    text += "…"
                    break
                }
                write(&self, element)
            }
            text += end
        }
    }
}

extension ArchivedValue {
    /// The values under an object's keys, but for its class.
    var fields: [(name: String, value: ArchivedValue)] {
        names.filter { $0 != "$class" }.compactMap { name in self[name].map { (name, $0) } }
    }
}
