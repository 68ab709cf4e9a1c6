/// A country: its codes and names of ISO 3166, and its continent by UN M.49.
package struct CountryFacts: Sendable, Equatable {
    /// ISO 3166-1 numeric; 983 for Kosovo, which has none there (CLDR's number for its letters, XK).
    package let number: Int
    /// ISO 3166-1 alpha-2: "FR".
    package let letters: String
    /// In English: "France".
    package let name: String
    /// UN M.49: 2, 3, 5, 9, 10, 142 or 150.
    package let continent: Int

    /// In English: "Europe".
    package var continentName: String { CountryTable.continents[continent] ?? "" }
}

extension CountryFacts {
    /// Creates the facts of a stored country, from the store if the table does not know it.
    package init(_ country: Country) {
        let number = Int(country.numericISO3166Code)
        self =
            CountryTable.facts(number: number)
            ?? CountryFacts(number: number, letters: "", name: country.name, continent: 0)
    }
}

/// The countries that the map knows.
package enum CountryTable {
    /// By number.
    package static let all: [CountryFacts] = rows.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: " ", maxSplits: 3)
        guard parts.count == 4, let number = Int(parts[0]), let continent = Int(parts[2]) else { return nil }
        return CountryFacts(
            number: number, letters: String(parts[1]), name: String(parts[3]), continent: continent)
    }

    private static let byNumber = Dictionary(uniqueKeysWithValues: all.map { ($0.number, $0) })

    package static func facts(number: Int) -> CountryFacts? { byNumber[number] }

    /// The country of a place: where it lies, or within twelve nautical miles off whose coast. Nil on the
    /// high seas, where several countries claim the ground, and for what is no place on earth.
    ///
    /// Maps each place on land to the country that the United Nations assign it to, or Kosovo; parts of a
    /// country overseas count as the country.
    ///
    /// - Parameters:
    ///   - latitude: degrees north, -90...90.
    ///   - longitude: degrees east, -180...180.
    /// - Complexity: microseconds; the first call unpacks the map, which takes milliseconds.
    package static func country(latitude: Double, longitude: Double) -> CountryFacts? {
        CountryMap.shared.country(latitude: latitude, longitude: longitude)
    }

    /// By UN M.49's number.
    package static let continents = [
        2: "Africa", 3: "North America", 5: "South America", 9: "Oceania", 10: "Antarctica", 142: "Asia",
        150: "Europe",
    ]
}
