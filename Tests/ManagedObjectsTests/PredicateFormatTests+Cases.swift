import Foundation

@testable import ManagedObjects

extension PredicateFormatTests {
    /// Lists on either side, and relationships to many that hold an object or a value.
    func listCases(_ germany: ManagedObjectID) -> [Case] {
        [
            ("{0, 2, 5} CONTAINS rating", [], { [0, 2, 5].contains($0.rating) }),
            ("NOT ({0, 2, 5} CONTAINS rating)", [], { ![0, 2, 5].contains($0.rating) }),
            ("%@ CONTAINS title", [["fog", ""]], { ["fog", ""].contains($0.title) }),
            ("NOT %@ CONTAINS title", [["fog", ""]], { !["fog", ""].contains($0.title) }),
            ("%@ CONTAINS country", [[germany]], { $0.country?.name == "Germany" }),
            ("%@ CONTAINS country.name", [Set(["France"])], { $0.country?.name == "France" }),
            ("country IN %@", [[germany]], { $0.country?.name == "Germany" }),
            ("country.moods CONTAINS SELF", [], { $0.country != nil }),
            ("NOT country.moods CONTAINS SELF", [], { $0.country == nil }),
            ("SELF IN country.moods", [], { $0.country != nil }),
            ("0.5 IN swatches.share", [], { $0.swatches.contains { $0.share == 0.5 } }),
            ("NOT 0.5 IN swatches.share", [], { !$0.swatches.contains { $0.share == 0.5 } }),
            ("rating IN country.moods.rating", [], { $0.country != nil }),
            (
                "rating IN {country.moods.@count, 1 + 1}", [],
                { $0.rating == 2 || Int($0.rating) == $0.country?.moods.count }
            ),
            ("rating BETWEEN {1, %d - 1}", [4], { (1...3).contains($0.rating) }),
            (
                "rating BETWEEN {1 + 1, swatches.@count * 9}", [],
                { $0.rating >= 2 && Int($0.rating) <= $0.swatches.count * 9 }
            ),
            ("rating > 0x2 AND rating < 0b101", [], { $0.rating > 2 && $0.rating < 5 }),
            ("rating == %@", [NSNumber(value: 3)], { $0.rating == 3 }),
            ("rating > %@", [NSNumber(value: 2.5)], { $0.rating > 2 }),
            ("title == %@", [NSString(string: "fog")], { $0.title == "fog" }),
            (
                "title IN %@", [NSArray(array: [NSString(string: "fog"), NSString(string: "")])],
                { ["fog", ""].contains($0.title) }
            ),
            ("rating IN %@", [[NSNumber(value: 0), NSNumber(value: 5)]], { [0, 5].contains($0.rating) }),
            ("country == %@", [NSNull()], { $0.country == nil }),
            (String(repeating: "NOT ", count: 100) + "rating > 2", [], { $0.rating > 2 }),
            (String(repeating: "!", count: 101) + "(rating > 2)", [], { $0.rating <= 2 }),
        ]
    }

    /// One number made of those of all members.
    var aggregateCases: [Case] {
        func shares(_ mood: Mood) -> [Double] { mood.swatches.map(\.share) }
        func latitudes(_ mood: Mood) -> [Double] { mood.country?.moods.compactMap(\.latitude) ?? [] }
        func ratings(_ mood: Mood) -> [Int] { mood.country?.moods.map { Int($0.rating) } ?? [] }
        return [
            ("swatches.@max.share > 0.3", [], { (shares($0).max() ?? 0) > 0.3 }),
            ("NOT swatches.@max.share > 0.3", [], { (shares($0).max() ?? 0) <= 0.3 }),
            ("swatches.@min.share < 0.3", [], { (shares($0).min() ?? 9) < 0.3 }),
            ("swatches.@max.share == nil", [], { $0.swatches.isEmpty }),
            ("swatches.@sum.share == 0", [], { shares($0).reduce(0, +) == 0 }),
            ("swatches.@sum.share >= 0.75", [], { shares($0).reduce(0, +) >= 0.75 }),
            (
                "swatches.@avg.share > 0.26", [],
                { !$0.swatches.isEmpty && shares($0).reduce(0, +) / Double($0.swatches.count) > 0.26 }
            ),
            ("swatches.@avg.share == nil", [], { $0.swatches.isEmpty }),
            ("country.moods.@max.latitude > 50", [], { (latitudes($0).max() ?? 0) > 50 }),
            ("country.moods.@max.rating > rating", [], { (ratings($0).max() ?? 0) > Int($0.rating) }),
            ("country.moods.@sum.rating + 1 > 7", [], { ratings($0).reduce(0, +) > 6 }),
            (
                "country.moods.@max.title BEGINSWITH 'f'", [],
                { $0.country?.moods.map(\.title).max()?.hasPrefix("f") ?? false }
            ),
            (
                "country.moods.@max.date == date", [],
                { mood in mood.country?.moods.map(\.date).max() == mood.date }
            ),
            (
                "SUBQUERY(country.moods, $m, $m.swatches.@max.share > 0.3).@count > 0", [],
                { $0.country?.moods.contains { (shares($0).max() ?? 0) > 0.3 } ?? false }
            ),
            (
                "ANY country.moods.rating < swatches.@sum.share * 5", [],
                { mood in
                    mood.country?.moods.contains { Double($0.rating) < shares(mood).reduce(0, +) * 5 }
                        ?? false
                }
            ),
        ]
    }
}
