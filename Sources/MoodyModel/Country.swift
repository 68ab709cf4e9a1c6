public import DataStacks
public import Foundation
public import ManagedObjects

/// A country that moods come from.
public final class Country: ManagedObject {
    /// As ``CountryFacts/number``.
    @Attribute public private(set) var numericISO3166Code: Int16
    /// In English; a view translates.
    @Attribute public private(set) var name: String
    /// Denormalised, so that a list of countries needs no count over all moods; 0 when none is left.
    /// ``recount(in:)`` puts it right, once a run: so that a photo more changes no row that all lists of the
    /// country's moods look at.
    @Attribute public private(set) var numberOfMoods: Int64 = 0
    /// When the number changed last.
    @Attribute public private(set) var updatedAt: Date
    @Relationship(inverse: "country", deleteRule: .deny) public private(set) var moods: Set<Mood>
    @Relationship(inverse: \Continent.countries) public private(set) var continent: Continent?

    override public class var uniquenessConstraints: [[String]] { [["numericISO3166Code"]] }

    /// The store's object for a country, made when there is none.
    ///
    /// - Throws: ``StoreError``.
    static func of(_ facts: CountryFacts, in transaction: Transaction) throws -> Country {
        let number = Int16(clamping: facts.number)
        let known = FetchRequest<Country>(\Country.numericISO3166Code == number)
        if let country = try transaction.fetchOne(known) { return country }
        let country = transaction.create(Country.self)
        (country.numericISO3166Code, country.name, country.updatedAt) = (number, facts.name, Date())
        country.continent = try Continent.of(facts, in: transaction)
        return country
    }

    /// Counts the moods of each country and of each continent, and puts down what changed.
    ///
    /// - Complexity: a count over an index for each country.
    /// - Throws: ``StoreError``.
    public static func recount(in transaction: Transaction) throws {
        var moods: [Int16: Int64] = [:], countries: [Int16: Int64] = [:]
        for country in try transaction.fetchAll(FetchRequest<Country>()) {
            let count = Int64(
                try transaction.fetchCount(FetchRequest<Mood>(\Mood.country == country.reference)))
            if country.numberOfMoods != count {
                (country.numberOfMoods, country.updatedAt) = (count, Date())
            }
            guard let continent = country.continent else { continue }
            moods[continent.numericISO3166Code, default: 0] += count
            countries[continent.numericISO3166Code, default: 0] += 1
        }
        for continent in try transaction.fetchAll(FetchRequest<Continent>()) {
            continent.set(
                moods: moods[continent.numericISO3166Code] ?? 0,
                countries: countries[continent.numericISO3166Code] ?? 0)
        }
    }
}

/// A continent with countries that moods come from.
public final class Continent: ManagedObject {
    /// UN M.49.
    @Attribute public private(set) var numericISO3166Code: Int16
    /// In English; a view translates.
    @Attribute public private(set) var name: String
    @Attribute public private(set) var numberOfCountries: Int64 = 0
    @Attribute public private(set) var numberOfMoods: Int64 = 0
    /// When one of the numbers changed last.
    @Attribute public private(set) var updatedAt: Date
    @Relationship(inverse: "continent", deleteRule: .deny) public private(set) var countries: Set<Country>

    override public class var uniquenessConstraints: [[String]] { [["numericISO3166Code"]] }

    fileprivate static func of(_ facts: CountryFacts, in transaction: Transaction) throws -> Continent {
        let number = Int16(clamping: facts.continent)
        let known = FetchRequest<Continent>(\Continent.numericISO3166Code == number)
        if let continent = try transaction.fetchOne(known) { return continent }
        let continent = transaction.create(Continent.self)
        (continent.numericISO3166Code, continent.name) = (number, facts.continentName)
        continent.updatedAt = Date()
        return continent
    }

    fileprivate func set(moods: Int64, countries: Int64) {
        if (moods, countries) == (numberOfMoods, numberOfCountries) { return }
        (numberOfMoods, numberOfCountries, updatedAt) = (moods, countries, Date())
    }
}
