import Foundation
package import ManagedObjects
import Texts

/// A model as a picture: a box per entity, a line per relationship, in SVG.
package struct ModelDiagram {
    private let model: ManagedObjectModel
    private struct Box { let name: String, lines: [String], x: Int, y: Int, width: Int, height: Int }
    private let row = 18, gap = 60

    package init(_ model: ManagedObjectModel) { self.model = model }

    package var text: String {
        let boxes = boxes()
        let byName = Dictionary(boxes.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let width = (boxes.map { $0.x + $0.width }.max() ?? 0) + gap
        let height = (boxes.map { $0.y + $0.height }.max() ?? 0) + gap
        var parts = [
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \
            viewBox="0 0 \(width) \(height)" font-family="sans-serif" font-size="12">
            <style>
            .box { fill: #fff; stroke: #446; } .head { fill: #dde4f2; stroke: #446; }
            .name { font-weight: bold; } .abstract { font-style: italic; }
            .way { fill: none; stroke: #668; } .parent { fill: none; stroke: #668; stroke-dasharray: 5 4; }
            .label { font-size: 10px; fill: #446; }
            </style>
            <rect width="100%" height="100%" fill="#fff"/>
            """
        ]
        for entity in model.entities.sorted(by: { $0.name < $1.name }) {
            guard let box = byName[entity.name] else { continue }
            if let parent = entity.superentityName.flatMap({ byName[$0] }) {
                parts.append(line(box, to: parent, kind: "parent", label: ""))
            }
            for case .relationship(let way) in entity.declaration.properties {
                // A single line for both sides.
                let isFirst =
                    way.inverseName.map { (entity.name, way.name) <= (way.destinationName, $0) } ?? true
                guard isFirst, let other = byName[way.destinationName] else { continue }
                var label = way.name + (way.isToMany ? "*" : "")
                if let inverse = way.inverseName {
                    label = "\(inverse)\(isToMany(inverse, of: way.destinationName) ? "*" : "") / \(label)"
                }
                parts.append(line(box, to: other, kind: "way", label: label))
            }
        }
        for box in boxes { parts.append(drawing(box)) }
        return parts.joined(separator: "\n") + "\n</svg>\n"
    }

    private func isToMany(_ name: String, of entity: String) -> Bool {
        model.entity(named: entity)?.properties.contains { property in
            if case .relationship(let way) = property { way.name == name && way.isToMany } else { false }
        } ?? false
    }

    /// In columns of about the same height.
    private func boxes() -> [Box] {
        let entities = model.entities.sorted { $0.name < $1.name }
        let columns = max(1, Int(Double(entities.count).squareRoot().rounded(.up)))
        var heights = [Int](repeating: gap, count: columns), x = [Int](repeating: gap, count: columns)
        var widths = [Int](repeating: 0, count: columns), placed: [(Int, String, [String], Int, Int)] = []
        for entity in entities {
            let lines = entity.declaration.properties.sorted(by: ModelListing.precedes).map { property in
                switch property {
                case .attribute(let attribute):
                    "\(attribute.name): \(attribute.type.title)\(attribute.isOptional ? "?" : "")"
                case .relationship(let way):
                    "\(way.name) -> \(way.destinationName)\(way.isToMany ? "*" : way.isOptional ? "?" : "")"
                }
            }
            let longest = ([entity.name.count + 2] + lines.map(\.count)).max() ?? 0
            let column = heights.indices.min { heights[$0] < heights[$1] } ?? 0
            widths[column] = max(widths[column], longest * 7 + 20)
            placed.append((column, entity.name, lines, heights[column], row * (lines.count + 1) + 12))
            heights[column] += row * (lines.count + 1) + 12 + gap
        }
        for column in x.indices.dropFirst() { x[column] = x[column - 1] + widths[column - 1] + gap }
        return placed.map { column, name, lines, y, height in
            Box(name: name, lines: lines, x: x[column], y: y, width: widths[column], height: height)
        }
    }

    private func drawing(_ box: Box) -> String {
        let isAbstract = model.entity(named: box.name)?.isAbstract ?? false
        var text = "<g><rect class=\"box\" x=\"\(box.x)\" y=\"\(box.y)\" width=\"\(box.width)\" "
        text += "height=\"\(box.height)\"/>"
        text +=
            "<rect class=\"head\" x=\"\(box.x)\" y=\"\(box.y)\" width=\"\(box.width)\" "
            + "height=\"\(row + 4)\"/>"
        text += "<text class=\"name\(isAbstract ? " abstract" : "")\" x=\"\(box.x + 8)\" y=\"\(box.y + 15)\">"
        text += "\(MarkupText.attribute(box.name))</text>"
        for (index, line) in box.lines.enumerated() {
            text += "<text x=\"\(box.x + 8)\" y=\"\(box.y + row * (index + 2) + 2)\">"
            text += "\(MarkupText.attribute(line))</text>"
        }
        return text + "</g>"
    }

    private func line(_ a: Box, to b: Box, kind: String, label: String) -> String {
        if a.name == b.name {
            let (x, y) = (a.x + a.width, a.y + 20)
            return "<path class=\"\(kind)\" d=\"M\(x) \(y) h24 v24 h-24\"/>"
                + "<text class=\"label\" x=\"\(x + 4)\" y=\"\(y - 4)\">\(MarkupText.attribute(label))</text>"
        }
        let (ax, ay) = (a.x + a.width / 2, a.y + a.height / 2),
            (bx, by) = (b.x + b.width / 2, b.y + b.height / 2)
        let (mx, my) = ((ax + bx) / 2, (ay + by) / 2)
        return "<path class=\"\(kind)\" d=\"M\(ax) \(ay) L\(bx) \(by)\"/>"
            + (label.isEmpty
                ? ""
                : "<text class=\"label\" x=\"\(mx)\" y=\"\(my - 3)\">\(MarkupText.attribute(label))</text>")
    }
}
