/// An index that a store keeps beside those of single attributes.
public struct FetchIndexDescription: Sendable, Equatable {
    /// The name of the index.
    public let name: String
    /// The properties of the index, in order.
    public let elements: [Element]

    /// Describes an index.
    public init(_ name: String, _ elements: [Element]) { (self.name, self.elements) = (name, elements) }

    /// Whether it is one of boxes.
    var isRTree: Bool { !elements.isEmpty && elements.allSatisfy { $0.isRTree } }

    /// The most elements of an index of boxes: as many as SQLite's have.
    static let mostBoxElements = 5

    /// A property of an index.
    public struct Element: Sendable, Equatable {
        /// The name of the property.
        public let property: String
        /// Whether the greatest value comes first.
        public let isDescending: Bool
        /// Whether the index is an R*Tree instead of an order: all elements of an index or none, numbers and
        /// dates, at most five. SQLite stores keep one. Fetches go by it that bound every element, and one on
        /// both sides; other stores do without.
        public let isRTree: Bool

        /// Whether the greatest value comes first.
        public init(_ property: String, isDescending: Bool = false, isRTree: Bool = false) {
            (self.property, self.isDescending, self.isRTree) = (property, isDescending, isRTree)
        }
    }
}
