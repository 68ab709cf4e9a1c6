package import Foundation
package import MoodyModel

extension CountryFacts {
    /// The country's name in a language; in English where that language has none.
    package func name(in language: Locale) -> String { Self.name(of: letters, in: language) ?? name }

    /// The continent's.
    package func continentName(in language: Locale) -> String {
        let code = String(continent)
        return Self.name(of: String(repeating: "0", count: max(0, 3 - code.count)) + code, in: language)
            ?? continentName
    }

    /// Where nothing is known the code itself comes back.
    private static func name(of code: String, in language: Locale) -> String? {
        guard !code.isEmpty, let name = language.localizedString(forRegionCode: code), name != code else {
            return nil
        }
        return name
    }
}

extension CountryTable {
    /// The names of countries in the user's language by those in English, where they differ.
    static let translated = translated(to: .user)

    static func translated(to language: Locale) -> [String: String] {
        let pairs = all.map { ($0.name, $0.name(in: language)) }.filter { $0 != $1 }
        return Dictionary(pairs, uniquingKeysWith: { name, _ in name })
    }

    /// A country's name as a search knows it: in English and in the user's language.
    static func searchedName(_ name: String) -> String {
        translated[name].map { "\(name) \($0)" } ?? name
    }
}

extension Locale {
    /// The user's language by the environment, as POSIX has it: the first of LC_ALL, LC_MESSAGES and LANG
    /// that says something. English for C and POSIX, and where nothing is said.
    package static let user = Locale(environment: ProcessInfo.processInfo.environment)

    init(environment: [String: String]) {
        let said = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
        let name = said?.prefix { $0 != "." && $0 != "@" } ?? ""
        self.init(identifier: ["", "C", "POSIX"].contains(name) ? "en" : String(name))
    }
}
