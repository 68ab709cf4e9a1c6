import DataStacks
import Foundation
import ManagedObjects
import MoodyIngest
import Palettes

/// The settings of a store: later runs use the same unless told otherwise. For a store that is
/// yet to be made, the defaults.
enum StoreSettings {
    private static let prefix = "moody."

    static func palette(of stack: DataStack?) throws -> PaletteOptions {
        func value(_ key: String) throws -> String? { try stack?.metadata(prefix + key) }
        var options = PaletteOptions()
        if let size = try value("colors").flatMap(PaletteSize.init(argument:)) { options.size = size }
        if let mode = try value("mode").flatMap(PaletteMode.init(rawValue:)) { options.mode = mode }
        if let ignore = try value("ignore").flatMap(IgnoreList.init(argument:)) {
            options.ignore = ignore.set
        }
        options.background = try value("background").flatMap(RGB.init(hex:))
        return options
    }

    /// Patterns of files that are left out.
    static func excludes(of stack: DataStack?) throws -> [String] {
        guard let text: String = try stack?.metadata(prefix + "exclude") else { return [] }
        return (try? JSONDecoder().decode([String].self, from: Data(text.utf8))) ?? []
    }

    /// Pixels on the long side of larger pictures; 0: there are none.
    static func previewSide(of stack: DataStack?) throws -> Int {
        try stack?.metadata(prefix + "preview").flatMap { Int($0) } ?? 0
    }

    static func keep(
        _ options: PaletteOptions, excludes: [String], previewSide: Int, in stack: DataStack
    ) throws {
        let isKept = try stack.metadata(prefix + "colors") != nil
        if isKept, try palette(of: stack) == options, try self.excludes(of: stack) == excludes,
            try self.previewSide(of: stack) == previewSide
        {
            return
        }
        let ignore = options.ignore.map(\.rawValue).sorted().joined(separator: ",")
        try stack.setMetadata([
            prefix + "colors": options.size.text, prefix + "mode": options.mode.rawValue,
            prefix + "ignore": ignore.isEmpty ? nil : ignore, prefix + "background": options.background?.hex,
            prefix + "preview": previewSide > 0 ? "\(previewSide)" : nil,
            prefix + "exclude": excludes.isEmpty
                ? nil : String(decoding: try JSONEncoder().encode(excludes), as: UTF8.self),
        ])
    }
}
