public import ArgumentParser
import MoodyGallery
import MoodyIngest
public import Palettes

/// A format on the command line: one of a command's own, a shipped template's name, or a template.
enum FormatArgument<Own: RawRepresentable & CaseIterable & Sendable>: ExpressibleByArgument, Sendable
where Own.RawValue == String {
    case own(Own)
    case shipped(ShippedTemplate)
    /// A template, or a folder of templates: it has a slash, or ends in `.mustache`.
    case file(BytePath)
    case unknown(String)

    init?(argument: String) {
        if let own = Own(rawValue: argument) {
            self = .own(own)
        } else if let shipped = ShippedTemplate.named(argument) {
            self = .shipped(shipped)
        } else if argument.contains("/") || argument.hasSuffix(".mustache"),
            let path = BytePath(argument: argument)
        {
            self = .file(path)
        } else {
            self = .unknown(argument)
        }
    }

    static var defaultCompletionKind: CompletionKind { .list(names) }

    private static var names: [String] { Own.allCases.map(\.rawValue) + ShippedTemplate.all.map(\.name) }

    var own: Own? {
        if case .own(let own) = self { return own }
        return nil
    }

    var isTemplate: Bool {
        switch self {
        case .shipped, .file: true
        case .own, .unknown: false
        }
    }

    /// As messages name it.
    var name: String {
        switch self {
        case .own(let own): own.rawValue
        case .shipped(let shipped): shipped.name
        case .file(let path): path.description
        case .unknown(let name): name
        }
    }

    /// - Throws: ``UsageError`` for a name that is none.
    func check() throws {
        guard case .unknown(let name) = self else { return }
        let near = ColorWords.nearest(to: name.lowercased(), in: Self.names)
        throw UsageError("there is no format \(name)" + (near.map { " (\($0)?)" } ?? ""))
    }

    /// Nil for a format that is no template.
    ///
    /// - Throws: ``TemplateError``, ``OutputError``.
    func templates() throws -> TemplateSet? {
        switch self {
        case .shipped(let shipped):
            TemplateSet(shipped: shipped.name, ending: shipped.ending, try shipped.format)
        case .file(let path): try TemplateSet(path)
        case .own, .unknown: nil
        }
    }
}

extension Theme.Variant: ExpressibleByArgument {}
