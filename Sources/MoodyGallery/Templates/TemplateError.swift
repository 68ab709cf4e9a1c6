/// The reason why a template cannot be used, with its file and line.
package struct TemplateError: Error, CustomStringConvertible, Equatable {
    package let description: String

    package init(_ description: String) { self.description = description }
}
