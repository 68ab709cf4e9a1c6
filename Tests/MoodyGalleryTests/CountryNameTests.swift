import Foundation
import MoodyModel
import Testing

@testable import MoodyGallery

/// Names of countries and continents in the user's language. The names are those of the Unicode CLDR.
@Suite struct CountryNameTests {
    @Test(arguments: [
        (710, "Südafrika", "Afrika"), (124, "Kanada", "Nordamerika"), (76, "Brasilien", "Südamerika"),
        (36, "Australien", "Ozeanien"), (392, "Japan", "Asien"), (276, "Deutschland", "Europa"),
    ])
    func `a country and its continent have names in other languages`(
        number: Int, name: String, continent: String
    )
        throws
    {
        let facts = try #require(CountryTable.facts(number: number)), german = Locale(identifier: "de_DE")
        #expect(facts.name(in: german) == name && facts.continentName(in: german) == continent)
        #expect(facts.continentName(in: Locale(identifier: "en")) == facts.continentName)
    }

    @Test func `only names that differ are translated`() {
        let german = CountryTable.translated(to: Locale(identifier: "de_DE"))
        #expect(german["Italy"] == "Italien" && german["Germany"] == "Deutschland" && german["Japan"] == nil)
        // Of some the short name is another: that of Hong Kong, of six more at most.
        let english = CountryTable.translated(to: Locale(identifier: "en"))
        #expect(english["Italy"] == nil && english.count < 8)
    }

    /// POSIX.1-2024, 8.2: what is set to nothing counts as not set.
    @Test(arguments: [
        (["LANG": "de_DE.UTF-8"], "de_DE"),
        (["LC_ALL": "", "LC_MESSAGES": "", "LANG": "de_DE.UTF-8"], "de_DE"),
        (["LC_ALL": "fr_FR", "LC_MESSAGES": "it", "LANG": "de"], "fr_FR"),
        (["LC_MESSAGES": "it", "LANG": "de"], "it"),
        (["LANG": "C.UTF-8"], "en"), (["LANG": "POSIX"], "en"), (["LANG": "sr_RS@latin"], "sr_RS"),
        ([:], "en"),
    ])
    func `the first variable that says something is the language`(environment: [String: String], name: String)
    {
        #expect(Locale(environment: environment).identifier == name)
    }
}
