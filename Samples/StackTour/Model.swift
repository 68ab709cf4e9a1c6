import DataStacks
import Foundation
import ManagedObjects

/// Lies in configuration "People" of People.xcdatamodeld.
final class Person: ManagedObject {
    @Attribute(.indexed) var number: Int64
    @Attribute var name: String
    @Attribute var age: Int
    @Attribute var city: String?
}

/// Lies in configuration "Log".
final class Visit: ManagedObject {
    @Attribute var place: String?
}

/// What people are imported from.
struct Row: Sendable {
    var number: Int64
    var name: String
    var age: Int
    var city: String?
}

extension Person: ImportableUniqueObject {
    static var uniqueIDKeyPath: ReferenceWritableKeyPath<Person, Int64> { \.number }

    /// A negative number skips the row.
    static func uniqueID(from row: Row, in transaction: Transaction) -> Int64? {
        row.number < 0 ? nil : row.number
    }

    /// A throw would end the import.
    func update(from row: Row, in transaction: Transaction) throws {
        (name, age, city) = (row.name, row.age, row.city)
    }
}
