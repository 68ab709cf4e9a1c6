package import DataStacks
package import Foundation
package import ManagedObjects

/// A country that moods come from.
package final class Country: ManagedObject {
    /// As ``CountryFacts/number``.
    @Attribute package private(set) var numericISO3166Code: Int16
    /// In English; a view translates.
    @Attribute package private(set) var name: String
    /// Denormalized, so that a list of countries needs no count over all moods; 0 when none is left.
    /// ``recount(in:)`` puts it right, once per run over folders: so that a photo more changes no row that all
    /// lists of the country's moods look at. ``recountChanges(in:)`` keeps it right where few moods change.
    @Attribute package private(set) var numberOfMoods: Int64 = 0
    /// When the number changed last.
    @Attribute package private(set) var updatedAt: Date
    @Relationship(inverse: "country", deleteRule: .deny) package private(set) var moods: Set<Mood>
    @Relationship(inverse: \Continent.countries) package private(set) var continent: Continent?

    override package class var uniquenessConstraints: [[String]] { [["numericISO3166Code"]] }

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
    package static func recount(in transaction: Transaction) throws {
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

    /// Keeps the numbers right of the countries that the transaction's moods come from or came from, and of
    /// their continents. Call it last, once.
    ///
    /// - Complexity: O(moods that change), however many there are.
    /// - Throws: ``StoreError``.
    package static func recountChanges(in transaction: Transaction) throws {
        var changes: [ManagedObjectID: Int64] = [:], objects: [ManagedObjectID: Country] = [:]
        func add(_ number: Int64, to country: Country?) {
            guard let country else { return }
            objects[country.objectID] = country
            changes[country.objectID, default: 0] += number
        }
        let moods = transaction.unsavedObjects(Mood.self)
        for mood in moods.inserted { add(1, to: mood.country) }
        for mood in moods.updated {
            add(1, to: mood.country)
            add(-1, to: try mood.committedValues(forKeys: ["country"])["country"] as? Country)
        }
        for mood in moods.deleted {
            add(-1, to: try mood.committedValues(forKeys: ["country"])["country"] as? Country)
        }
        for country in transaction.unsavedObjects(Country.self).inserted {
            objects[country.objectID] = country
            country.continent?.add(moods: 0, countries: 1)
        }
        for (id, country) in objects {
            guard let number = changes[id], number != 0 else { continue }
            (country.numberOfMoods, country.updatedAt) = (max(0, country.numberOfMoods + number), Date())
            country.continent?.add(moods: number, countries: 0)
        }
    }
}

/// A continent with countries that moods come from.
package final class Continent: ManagedObject {
    /// UN M.49.
    @Attribute package private(set) var numericISO3166Code: Int16
    /// In English; a view translates.
    @Attribute package private(set) var name: String
    @Attribute package private(set) var numberOfCountries: Int64 = 0
    @Attribute package private(set) var numberOfMoods: Int64 = 0
    /// When one of the numbers changed last.
    @Attribute package private(set) var updatedAt: Date
    @Relationship(inverse: "continent", deleteRule: .deny) package private(set) var countries: Set<Country>

    override package class var uniquenessConstraints: [[String]] { [["numericISO3166Code"]] }

    fileprivate static func of(_ facts: CountryFacts, in transaction: Transaction) throws -> Continent {
        let number = Int16(clamping: facts.continent)
        let known = FetchRequest<Continent>(\Continent.numericISO3166Code == number)
        if let continent = try transaction.fetchOne(known) { return continent }
        let continent = transaction.create(Continent.self)
        (continent.numericISO3166Code, continent.name) = (number, facts.continentName)
        continent.updatedAt = Date()
        return continent
    }

    fileprivate func add(moods: Int64, countries: Int64) {
        set(moods: max(0, numberOfMoods + moods), countries: numberOfCountries + countries)
    }

    fileprivate func set(moods: Int64, countries: Int64) {
        if (moods, countries) == (numberOfMoods, numberOfCountries) { return }
        (numberOfMoods, numberOfCountries, updatedAt) = (moods, countries, Date())
    }
}
