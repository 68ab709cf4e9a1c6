public import Foundation
public import ManagedObjects

/// A country that moods come from.
public final class Country: ManagedObject {
    @Attribute public private(set) var numericISO3166Code: Int16
    /// In English; a view translates.
    @Attribute public private(set) var name: String
    /// Denormalised, so that a list of countries needs no count over all moods.
    @Attribute public private(set) var numberOfMoods: Int64 = 0
    /// When a mood came or went last.
    @Attribute public private(set) var updatedAt: Date
    @Relationship(inverse: "country", deleteRule: .deny) public private(set) var moods: Set<Mood>
    @Relationship(inverse: \Continent.countries) public private(set) var continent: Continent?

    override public class var uniquenessConstraints: [[String]] { [["numericISO3166Code"]] }
}

/// A continent with countries that moods come from.
public final class Continent: ManagedObject {
    /// UN M.49.
    @Attribute public private(set) var numericISO3166Code: Int16
    @Attribute public private(set) var name: String
    @Attribute public private(set) var numberOfCountries: Int64 = 0
    @Attribute public private(set) var numberOfMoods: Int64 = 0
    @Attribute public private(set) var updatedAt: Date
    @Relationship(inverse: "continent", deleteRule: .deny) public private(set) var countries: Set<Country>

    override public class var uniquenessConstraints: [[String]] { [["numericISO3166Code"]] }
}
